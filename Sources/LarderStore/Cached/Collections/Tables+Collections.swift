internal import LarderEngine
internal import LarderFormat

/// Lookups of collections that read views and write transactions share.
extension Tables {
    /// Returns the collection with a name, or nil. A collection of another name under the same key does not count.
    func collection(
        _ name: CollectionName, in source: ReadTransaction
    ) throws -> (number: Int64, record: CollectionRecord)? {
        guard let found = try collectionAtKey(of: name, in: source), found.record.name == name else { return nil }
        return found
    }

    /// Returns the collection under the key of a name, which in rare cases has another name.
    func collectionAtKey(
        of name: CollectionName, in source: ReadTransaction
    ) throws -> (number: Int64, record: CollectionRecord)? {
        let place = try record(.collections, in: source, as: CollectionNumberRecord.self) {
            try CollectionKey.append(name: name, texts, to: &$0)
        }
        guard let number = place?.number else { return nil }
        guard let record = try collection(number: number, in: source) else {
            throw Self.damagedCollection("number", number)
        }
        return (number, record)
    }

    /// Returns the record of the collection with a number, or nil.
    func collection(number: Int64, in source: ReadTransaction) throws -> CollectionRecord? {
        try record(.collections, in: source, as: CollectionRecord.self) {
            try CollectionKey.append(number: number, to: &$0)
        }
    }

    /// Calls `body` with the key of each row of a collection, in its order, repeated rows included.
    ///
    /// - Throws: ``StoreError/damaged(table:reason:)`` unless there are exactly as many rows and chunks as the record
    ///   says.
    func forEachRow(
        ofCollection number: Int64, _ record: CollectionRecord, in source: ReadTransaction,
        _ body: (RowKey) throws -> Void
    ) throws {
        var rows: Int64 = 0
        var chunks: Int64 = 0
        try forEach(.collections, prefix: CollectionKey.prefix(number: number), in: source) { key, value in
            let chunk = try decoding(.collections) { () throws(FormatError) -> CollectionChunk? in
                guard case .chunk(_, let place) = try CollectionKey(decoding: key) else { return nil }
                if place != chunks { throw .invalidValue(field: "chunk", value: place) }
                return try CollectionChunk(
                    decoding: value, mainResource: record.mainResource, type: record.name.className)
            }
            guard let chunk else { return true }
            chunks += 1
            for row in chunk.rows {
                rows += 1
                try body(row)
            }
            return true
        }
        if chunks != record.chunkCount { throw Self.damagedCollection("chunks", chunks) }
        if rows != record.rowCount { throw Self.damagedCollection("rows", rows) }
    }

    /// Returns the keys of a collection's rows, in its order.
    func rowKeys(
        ofCollection number: Int64, _ record: CollectionRecord, in source: ReadTransaction
    ) throws -> [RowKey] {
        var rows: [RowKey] = []
        try forEachRow(ofCollection: number, record, in: source) { rows.append($0) }
        return rows
    }

    /// Returns the numbers of the collections that hold a row, ascending.
    func collectionNumbers(holding row: RowKey, limit: Int = .max, in source: ReadTransaction) throws -> [Int64] {
        try check(row)
        var numbers: [Int64] = []
        try forEach(.collections, prefix: CollectionKey.prefix(membershipsOf: row), in: source) { key, body in
            let number = try decoding(.collections) { () throws(FormatError) -> Int64? in
                guard case .membership(_, let number) = try CollectionKey(decoding: key) else { return nil }
                _ = try CollectionMembershipRecord(decoding: body)
                return number
            }
            if let number { numbers.append(number) }
            return numbers.count < limit
        }
        return numbers
    }

    /// Returns the numbers of the collections of a class, or of all, in the order of class and query.
    func collectionNumbers(ofClass className: String?, in source: ReadTransaction) throws -> [Int64] {
        try encoding { if let className { try Limits.check(rowType: className) } }
        var numbers: [Int64] = []
        try forEach(.collections, prefix: CollectionKey.prefix(namesOf: className), in: source) { _, body in
            numbers.append(
                try decoding(.collections) { () throws(FormatError) in
                    try CollectionNumberRecord(decoding: body).number
                })
            return true
        }
        return numbers
    }

    /// Returns the collections with these numbers; a missing one is damage.
    func collections(_ numbers: [Int64], in source: ReadTransaction) throws -> [StoredCollection] {
        var found: [StoredCollection] = []
        for number in numbers {
            guard let record = try collection(number: number, in: source) else {
                throw Self.damagedCollection("number", number)
            }
            found.append(StoredCollection(number: number, record: record))
        }
        return found
    }

    private func check(_ row: RowKey) throws(StoreError) {
        try encoding { try RowKeyCoding.checkBudget(resource: row.resource, type: row.type, key: row.key) }
    }

    static func damagedCollection(_ field: String, _ value: Int64) -> StoreError {
        .damaged(table: TableName.collections.rawValue, reason: .invalidValue(field: field, value: value))
    }
}
