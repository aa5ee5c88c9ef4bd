public import LarderFormat
public import LarderStore

/// A storage of objects in the store: as rows, and collections of rows.
public struct StoreObjectStorage: ObjectStorage {
    /// The store.
    public let store: Store

    /// Creates a storage of objects in `store`.
    public init(_ store: Store) {
        self.store = store
    }

    /// Returns an object, and the validators of its own fetch; nil when it is not stored.
    ///
    /// - Throws: `StoreError.invalid(_:)` for a name beyond the limits; `StoreError.damaged(table:reason:)`; as
    ///   `Store.read(_:)`.
    public func object(_ name: ObjectName) throws -> ObjectEntry? {
        try store.read { view in
            guard let object = try Self.object(name, in: view) else { return nil }
            return ObjectEntry(object: object, answer: try view.singleAnswer(at: name.row))
        }
    }

    private static func object(_ name: ObjectName, in view: borrowing ReadView) throws -> StoredObject? {
        guard let row = try view.row(at: name.row) else { return nil }
        return StoredObject(
            name: name, updatedAt: row.updatedAt, codec: row.codec, payload: [UInt8](copying: row.payload))
    }

    /// Returns a collection; nil when it is not stored.
    ///
    /// - Throws: as ``object(_:)``.
    public func collection(_ name: CollectionName) throws -> CollectionEntry? {
        try store.read { view in
            guard let found = try view.collection(name) else { return nil }
            let members = try view.rowKeys(of: found).compactMap(ObjectName.init(row:))
            var objects: [ObjectName: StoredObject] = [:]
            for member in members where objects[member] == nil {
                objects[member] = try Self.object(member, in: view)
            }
            return CollectionEntry(
                members: members, objects: objects, validators: found.validators, fetchedAt: found.fetchedAt)
        }
    }

    /// Returns the collections that hold an object.
    ///
    /// - Throws: as ``object(_:)``.
    public func collections(containing object: ObjectName) throws -> [CollectionName] {
        try store.read { view in try view.collections(holding: object.row).map(\.name) }
    }

    /// Returns the collections of a class, including those fetched through references.
    ///
    /// - Throws: as ``object(_:)``.
    public func collections(ofClass className: String) throws -> [CollectionName] {
        try store.read { view in try view.collections(ofClass: className).map(\.name) }
    }

    /// Returns the classes of which an object or a collection is stored.
    ///
    /// - Throws: as ``object(_:)``.
    public func classNames() throws -> [String] {
        try store.read { view in
            let classes = try view.allResources().filter { $0.rowCount > 0 }.compactMap {
                ObjectName.className(of: $0.key)
            }
            return classes + (try view.collections().map(\.name.className))
        }
    }

    /// Returns a stream with an element after commits that change `region`, also those of other processes.
    public func changes(in region: Region) -> AsyncStream<Void> {
        let changes = store.changes(in: region)
        return AsyncStream(unfolding: {
            var iterator = changes.makeAsyncIterator()
            return await iterator.next().map { _ in }
        })
    }

    /// Binds the objects of the store to a server.
    ///
    /// - Throws: `ServerMismatch` when the store holds objects of another server; as `Store.write(durability:_:)`.
    public func bind(server: String) async throws { try await store.bindServer(server, to: .objects) }

    /// Makes all of the changes that `decide` returns, in their order, in the transaction that decides.
    ///
    /// - Throws: `StoreError.invalid(_:)` for a name or a validator beyond the limits; as
    ///   `Store.write(durability:_:)`.
    @discardableResult
    public func apply(deciding decide: @escaping @Sendable () -> [ObjectChange]) async throws -> [ObjectChange] {
        try await store.write { transaction in
            let changes = decide()
            for change in changes { try transaction.apply(change) }
            return changes
        }
    }
}

extension Transaction {
    fileprivate mutating func apply(_ change: ObjectChange) throws {
        switch change {
        case .put(let object): try put(object)
        case .putSingleAnswer(let name, let validators, let time):
            try putSingleAnswer(at: name.row, validators: validators, fetchedAt: time)
        case .putCollection(let name, let members, let validators, let time):
            try putCollection(
                name, rows: members.map(\.row), home: ObjectName.resource(ofClass: name.className),
                validators: validators, fetchedAt: time)
        case .confirmCollection(let name, let validators, let time):
            try confirmCollection(name, validators: validators, fetchedAt: time)
        case .remove(let name): try remove(name.row)
        case .removeCollection(let name): try removeCollection(name)
        case .removeCollectionAndObjects(let name, let keeping):
            for row in Set(try removeCollection(name) ?? []) {
                if let object = ObjectName(row: row), keeping.contains(object) { continue }
                if try !isInAnyCollection(row) { try remove(row) }
            }
        case .removeClass(let className): try removeClass(className)
        }
    }

    private mutating func put(_ object: StoredObject) throws {
        // Compared with the server's row, not with a local change applied over it.
        let isSame = try contains(object)
        try put(object.payload, at: object.name.row, updatedAt: object.updatedAt, codec: object.codec)
        if isSame { return }
        try removeSingleAnswer(at: object.name.row)
        try removeValidators(ofCollectionsHolding: object.name.row)
    }

    private borrowing func contains(_ object: StoredObject) throws -> Bool {
        guard let row = try serverRow(at: object.name.row) else { return false }
        return row.payload.equals(object.payload.rawSpan)
    }

    private mutating func remove(_ row: RowKey) throws {
        try removeRow(at: row)
        try removeSingleAnswer(at: row)
    }

    private mutating func removeClass(_ className: String) throws {
        let resource = ObjectName.resource(ofClass: className)
        try removeCollections(ofClass: className)
        try removeSingleAnswers(ofType: className, in: resource)
        guard try self.resource(resource) != nil else { return }
        try withdraw(resource, as: .empty)
        // The resource is as one that never existed: a local write over it becomes the row.
        try update(resource) { $0.applied = .zero }
    }
}
