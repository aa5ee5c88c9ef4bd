public import LarderFormat
public import LarderStore

/// Objects in the store: rows, and collections of rows.
public struct StoreObjectStorage: ObjectStorage {
    /// The store.
    public let store: Store

    /// Keeps objects in `store`.
    public init(_ store: Store) {
        self.store = store
    }

    /// An object, and how it was fetched by itself; nil when it is not kept.
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

    /// A collection; nil when it is not kept.
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

    /// The collections that hold an object.
    public func collections(holding object: ObjectName) throws -> [CollectionName] {
        try store.read { view in try view.collections(holding: object.row).map(\.name) }
    }

    /// The collections of a class, those fetched through references among them.
    public func collections(ofClass className: String) throws -> [CollectionName] {
        try store.read { view in try view.collections(ofClass: className).map(\.name) }
    }

    /// The classes of which an object or a collection is kept.
    public func classNames() throws -> [String] {
        try store.read { view in
            let classes = try view.resources().filter { $0.rowCount > 0 }.compactMap {
                ObjectName.className(of: $0.key)
            }
            return classes + (try view.collections().map(\.name.className))
        }
    }

    /// An element after commits that change `region`, those of other processes among them.
    public func changes(in region: Region) -> AsyncStream<Void> {
        let changes = store.changes(in: region)
        return AsyncStream(unfolding: {
            var iterator = changes.makeAsyncIterator()
            return await iterator.next().map { _ in }
        })
    }

    /// Binds the objects of the store to a server.
    public func use(server: String) async throws { try await store.bindServer(server, to: .objects) }

    /// Makes all of the changes that `decide` returns in the transaction that decides, in their order.
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
        case .noteSingle(let name, let validators, let time):
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
                if try !isHeld(row) { try remove(row) }
            }
        case .removeClass(let className): try removeClass(className)
        }
    }

    private mutating func put(_ object: StoredObject) throws {
        // Not what a local change shows in its place.
        let isSame = try holds(object)
        try put(object.payload, at: object.name.row, updatedAt: object.updatedAt, codec: object.codec)
        if isSame { return }
        try removeSingleAnswer(at: object.name.row)
        try removeValidators(ofCollectionsHolding: object.name.row)
    }

    private borrowing func holds(_ object: StoredObject) throws -> Bool {
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
        // As one that was never there: what is written over it becomes the row.
        try update(resource) { $0.applied = .zero }
    }
}
