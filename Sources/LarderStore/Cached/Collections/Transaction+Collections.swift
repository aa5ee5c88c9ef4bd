internal import LarderEngine
public import LarderFormat

extension Transaction {
    /// Stores a collection in place of the one with the same name.
    ///
    /// Unchanged records are not written: chunks that name the same rows, and the holders of rows that stay. A damaged
    /// old collection is replaced too.
    ///
    /// - Parameters:
    ///   - rows: the rows it holds, in order; a row may be repeated, and need not be stored.
    ///   - home: the resource most of them belong to.
    ///   - fetchedAt: when the server sent it, in milliseconds since 1970-01-01 UTC.
    /// - Throws: ``StoreError/invalid(_:)`` for a name, a row or a validator beyond the limits; ``EngineError``.
    /// - Complexity: O(*n*) for the rows held before and now.
    package mutating func putCollection(
        _ name: CollectionName, rows: [RowKey], home: ResourceKey, validators: Validators = Validators(),
        fetchedAt: Int64
    ) throws {
        try Self.check(validators)
        var record = CollectionRecord(name: name, mainResource: home, fetchedAt: fetchedAt)
        record.entityTag = validators.entityTag
        record.lastModified = validators.lastModified
        let old = try collectionToReplace(name)
        let number = try old?.number ?? next(\.nextCollection)
        let chunks = CollectionChunk.split(rows, mainResource: home, type: name.className)
        record.rowCount = Int64(rows.count)
        record.chunkCount = Int64(chunks.count)
        try updateHolders(of: number, from: old?.rows ?? [], to: rows)
        for (place, chunk) in chunks.enumerated() {
            try putIfChanged(chunk.encode(mainResource: home, type: name.className)) {
                try CollectionKey.append(number: number, chunk: Int64(place), to: &$0)
            }
        }
        for place in Int64(chunks.count)..<max(old?.record.chunkCount ?? 0, Int64(chunks.count)) {
            try removeCollectionRecord { try CollectionKey.append(number: number, chunk: place, to: &$0) }
        }
        try putIfChanged(record.encode()) { try CollectionKey.append(number: number, to: &$0) }
        let texts = tables.texts
        try putIfChanged(CollectionNumberRecord(number: number).encode()) {
            try CollectionKey.append(name: name, texts, to: &$0)
        }
        effects.changes.addCollection(name)
    }

    /// Records that the server confirmed a collection, whose rows stay as they are.
    ///
    /// - Parameters:
    ///   - validators: those of the confirmation; a part that is nil keeps the stored one.
    ///   - fetchedAt: when it was confirmed, in milliseconds since 1970-01-01 UTC.
    /// - Returns: false when there is no such collection.
    /// - Throws: ``StoreError/invalid(_:)`` for a name or a validator beyond the limits;
    ///   ``StoreError/damaged(table:reason:)``; ``EngineError``.
    @discardableResult
    package mutating func confirmCollection(
        _ name: CollectionName, validators: Validators = Validators(), fetchedAt: Int64
    ) throws -> Bool {
        try Self.check(validators)
        guard let found = try tables.collection(name, in: engine) else { return false }
        var record = found.record
        record.entityTag = validators.entityTag ?? record.entityTag
        record.lastModified = validators.lastModified ?? record.lastModified
        record.fetchedAt = fetchedAt
        try putIfChanged(record.encode()) { try CollectionKey.append(number: found.number, to: &$0) }
        return true
    }

    /// Removes a collection; its rows stay.
    ///
    /// - Returns: the rows it held, in its order, none if it was damaged; nil when there was no collection.
    /// - Throws: ``StoreError/invalid(_:)`` for a name beyond the limits; ``EngineError``.
    @discardableResult
    package mutating func removeCollection(_ name: CollectionName) throws -> [RowKey]? {
        do {
            guard let (number, record) = try tables.collection(name, in: engine) else { return nil }
            let rows = try tables.rowKeys(ofCollection: number, record, in: engine)
            try remove(number, record, holding: rows)
            return rows
        } catch StoreError.damaged(TableName.collections.rawValue, _) {
            try removeRemains(of: name)
            return []
        }
    }

    /// Removes every collection of a class, those fetched through references included; their rows stay.
    ///
    /// - Returns: the number of collections.
    /// - Throws: ``StoreError/invalid(_:)`` for a class name beyond the limits; ``StoreError/damaged(table:reason:)``;
    ///   ``EngineError``.
    @discardableResult
    package mutating func removeCollections(ofClass className: String) throws -> Int {
        let numbers = try tables.collectionNumbers(ofClass: className, in: engine)
        for collection in try tables.collections(numbers, in: engine) { try removeCollection(collection.name) }
        return numbers.count
    }

    /// Removes the validators of every collection that holds a row, because the row is not the one they were sent with
    /// any more.
    ///
    /// - Throws: ``StoreError/invalid(_:)`` for a row beyond the limits; ``StoreError/damaged(table:reason:)``;
    ///   ``EngineError``.
    /// - Complexity: one range of keys, and one lookup for each collection.
    package mutating func removeValidators(ofCollectionsHolding row: RowKey) throws {
        for number in try tables.collectionNumbers(holding: row, in: engine) {
            guard var record = try tables.collection(number: number, in: engine) else { continue }
            record.entityTag = nil
            record.lastModified = nil
            try putIfChanged(record.encode()) { try CollectionKey.append(number: number, to: &$0) }
        }
    }

    /// Returns whether any collection holds a row, this transaction's own changes included.
    ///
    /// - Throws: ``StoreError/invalid(_:)`` for a row beyond the limits; ``StoreError/damaged(table:reason:)``.
    /// - Complexity: one lookup.
    public borrowing func isInAnyCollection(_ row: RowKey) throws -> Bool {
        try !tables.collectionNumbers(holding: row, limit: 1, in: engine).isEmpty
    }
}

// MARK: - Parts

extension Transaction {
    /// Returns the collection that a new one with `name` replaces.
    ///
    /// Removes a collection of another name under the same key, because the key names one collection.
    private mutating func collectionToReplace(
        _ name: CollectionName
    ) throws -> (number: Int64, record: CollectionRecord, rows: [RowKey])? {
        do {
            guard let (number, record) = try tables.collectionAtKey(of: name, in: engine) else { return nil }
            let rows = try tables.rowKeys(ofCollection: number, record, in: engine)
            if record.name == name { return (number, record, rows) }
            try remove(number, record, holding: rows)
        } catch StoreError.damaged(TableName.collections.rawValue, _) {
            try removeRemains(of: name)
        }
        return nil
    }

    /// Removes the remains of a damaged collection; reads the whole table.
    private mutating func removeRemains(of name: CollectionName) throws {
        let nameKey = try Self.key { try CollectionKey.append(name: name, tables.texts, to: &$0) }
        var numbers: Set<Int64> = []
        var keys: [(key: [UInt8], number: Int64)] = []
        try engine.withCursor(in: tables.collections) { cursor in
            while let entry = try cursor.next() {
                guard let key = try? CollectionKey(decoding: entry.key) else { continue }
                switch key {
                case .name:
                    guard entry.key.equals(nameKey.rawSpan) else { continue }
                    let body = try? Tables.body(of: entry.value, key: entry.key, table: .collections)
                    if let body, let place = try? CollectionNumberRecord(decoding: body) {
                        numbers.insert(place.number)
                    }
                case .record(let number):
                    let body = try? Tables.body(of: entry.value, key: entry.key, table: .collections)
                    if let body, let record = try? CollectionRecord(decoding: body), record.name == name {
                        numbers.insert(number)
                    }
                    keys.append(([UInt8](copying: entry.key), number))
                case .membership(_, let number), .chunk(let number, _):
                    keys.append(([UInt8](copying: entry.key), number))
                case .validators: continue
                }
            }
        }
        try remove(key: nameKey, in: .collections)
        for (key, number) in keys where numbers.contains(number) { try remove(key: key, in: .collections) }
        effects.changes.addCollection(name)
    }

    private mutating func remove(_ number: Int64, _ record: CollectionRecord, holding rows: [RowKey]) throws {
        try updateHolders(of: number, from: rows, to: [])
        for place in 0..<record.chunkCount {
            try removeCollectionRecord { try CollectionKey.append(number: number, chunk: place, to: &$0) }
        }
        try removeCollectionRecord { try CollectionKey.append(number: number, to: &$0) }
        let texts = tables.texts
        try removeCollectionRecord { try CollectionKey.append(name: record.name, texts, to: &$0) }
        effects.changes.addCollection(record.name)
    }

    private mutating func updateHolders(of number: Int64, from old: [RowKey], to new: [RowKey]) throws {
        var times: [RowKey: Int64] = [:]
        for row in new { times[row, default: 0] += 1 }
        // An unchanged count is stored too, so that a damaged holder is repaired.
        for (row, count) in times {
            try putIfChanged(CollectionMembershipRecord(count: count).encode()) {
                try CollectionKey.append(membershipOf: row, number: number, to: &$0)
            }
        }
        for row in Set(old) where times[row] == nil {
            try removeCollectionRecord { try CollectionKey.append(membershipOf: row, number: number, to: &$0) }
        }
    }

    /// Seals and stores a record of `collections` unless the same one is there.
    mutating func putIfChanged(
        _ body: [UInt8], key build: (inout KeyBuffer) throws -> Void
    ) throws {
        let key = try Self.key(build)
        let value = Record.seal(body: body.rawSpan, key: key.rawSpan, seed: TableName.collections.seed)
        if let old = try engine.value(forKey: key.rawSpan, in: tables.collections), old.equals(value.rawSpan) {
            return
        }
        try put(value.rawSpan, key: key.rawSpan, in: .collections)
    }

    @discardableResult
    mutating func removeCollectionRecord(
        _ build: (inout KeyBuffer) throws -> Void
    ) throws -> Bool {
        try remove(key: Self.key(build), in: .collections)
    }

    static func check(_ validators: Validators) throws(StoreError) {
        try encoding {
            for case let text? in [validators.entityTag, validators.lastModified] { try Limits.check(validator: text) }
        }
    }
}
