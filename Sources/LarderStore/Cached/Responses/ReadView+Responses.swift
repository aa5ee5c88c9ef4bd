internal import LarderEngine
package import LarderFormat

/// A stored response and its place.
package struct ResponseEntry: Hashable, Sendable {
    /// The place of the response.
    package var place: ResponseAddress
    /// Everything but its body.
    package var record: ResponseRecord
}

/// The limits of stored responses.
package enum ResponseLimits {
    /// The most responses of one cache key, which differ by `Vary`; pinned ones do not count.
    ///
    /// More would make every lookup slow, and hardly any of them would be used again.
    package static let variants = 32
    /// The most responses of one cache key read at a time, pinned ones included.
    package static let read = 64
    /// The most records read to find those of one cache key: other keys may share its beginning and its hash.
    static let examined = 128

    /// Returns the least recently used entries, which have to be removed so that at most `count` are left.
    package static func excess<Element>(
        of entries: [Element], leaving count: Int, _ usedAt: (Element) -> some Comparable
    ) -> ArraySlice<Element> {
        guard entries.count > count else { return [] }
        return entries.sorted { usedAt($0) < usedAt($1) }.prefix(entries.count - count)
    }
}

extension StoreReader where Self: ~Copyable & ~Escapable {
    /// Returns the responses behind `place` in key order, nil being the start; for eviction and for tools.
    ///
    /// - Parameter limit: the most responses to return.
    /// - Throws: ``EngineError``.
    package borrowing func responses(after place: ResponseAddress?, limit: Int) throws -> [ResponseEntry] {
        try tables.responses(after: place, limit: limit, in: engine)
    }
}

extension ReadView {
    /// Returns the number of the stored responses, damaged ones included.
    ///
    /// - Throws: ``EngineError``.
    /// - Complexity: reads every key of a response.
    package borrowing func responseCount() throws -> Int {
        var count = 0
        try tables.forEachRaw(.responses, prefix: ResponseKey.responses, in: transaction) { _ in
            count += 1
            return true
        }
        return count
    }
}

extension Transaction {
    /// Returns the places of the responses of a cache key that `isWanted` selects, this transaction's own changes
    /// included.
    ///
    /// Only one record at a time is in memory. Damaged ones are skipped.
    ///
    /// - Throws: ``EngineError``.
    package borrowing func responsePlaces(
        forKey key: String, where isWanted: (ResponseRecord) -> Bool
    ) throws -> [(place: ResponseAddress, blob: Int64)] {
        var found: [(place: ResponseAddress, blob: Int64)] = []
        try tables.forEachResponse(from: ResponseKey.responses(of: key, tables.texts), in: engine) { place, record in
            if let record, record.key.equalsBytewise(key), isWanted(record) { found.append((place, record.blob)) }
            return true
        }
        return found
    }
}

extension Tables {
    func response(at place: ResponseAddress, in source: ReadTransaction) throws -> ResponseRecord? {
        try record(.responses, in: source, as: ResponseRecord.self) { try ResponseKey.response(place).append(to: &$0) }
    }

    /// Returns the record of an entry, or nil when it is damaged.
    static func readable(_ entry: borrowing Entry) -> ResponseRecord? {
        try? decoding(.responses) { () throws(FormatError) in
            try ResponseRecord(
                decoding: try Record.open(
                    entry.value, key: entry.key, seed: TableName.responses.seed, codec: RecordHeader.tupleCodec))
        }
    }

    func responses(after place: ResponseAddress?, limit: Int, in source: ReadTransaction) throws -> [ResponseEntry] {
        var found: [ResponseEntry] = []
        if limit <= 0 { return [] }
        let start = try place.map { place in
            // No key is the beginning of another: with one more byte, it sorts behind this key and before the next.
            try Transaction.key { try ResponseKey.response(place).append(to: &$0) } + [0]
        }
        try forEachResponse(from: start ?? ResponseKey.responses, within: ResponseKey.responses, in: source) {
            place, record in
            if let record { found.append(ResponseEntry(place: place, record: record)) }
            return found.count < limit
        }
        return found
    }

    /// Calls `body` with every response whose key is at or behind `start` and begins with `prefix` (nil: with `start`),
    /// until it returns false. A damaged record is nil; a key that cannot be read is skipped.
    func forEachResponse(
        from start: [UInt8], within prefix: [UInt8]? = nil, in source: ReadTransaction,
        _ body: (ResponseAddress, ResponseRecord?) throws -> Bool
    ) throws {
        try forEachRaw(.responses, prefix: prefix ?? start, from: start, in: source) { entry in
            guard case .response(let place)? = try? ResponseKey(decoding: entry.key) else { return true }
            return try body(place, Self.readable(entry))
        }
    }
}
