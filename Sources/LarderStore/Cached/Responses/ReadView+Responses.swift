internal import LarderEngine
package import LarderFormat

/// A kept response and where it stands.
package struct ResponseEntry: Hashable, Sendable {
    /// Where it stands.
    package var place: ResponsePlace
    /// Everything but its body.
    package var record: ResponseRecord
}

/// Limits of what is kept of responses.
package enum ResponseLimits {
    /// The most responses of one cache key, which `Vary` tells apart; pinned ones do not count.
    ///
    /// More would make every lookup slow, and hardly any of them would be used again.
    package static let variants = 32
    /// The most responses of one cache key read at a time: there is room for pinned ones.
    package static let read = 64
    /// The most records looked at to find those of one cache key: others may share the beginning and the hash.
    static let examined = 128

    /// Those of the entries, used longest ago, that have to go so that at most `count` are left.
    package static func excess<Kept>(
        of entries: [Kept], leaving count: Int, _ usedAt: (Kept) -> some Comparable
    ) -> ArraySlice<Kept> {
        guard entries.count > count else { return [] }
        return entries.sorted { usedAt($0) < usedAt($1) }.prefix(entries.count - count)
    }
}

extension ReadView {
    /// The responses kept under a cache key, the most recent first. Damaged ones are passed over: they are as good as
    /// none, and `verify` names them.
    ///
    /// At most ``ResponseLimits/read``, those with the highest numbers, however many there are. Notes no use.
    ///
    /// - Throws: ``EngineError``.
    package borrowing func responses(forKey key: String) throws -> [ResponseEntry] {
        try tables.newestResponses(forKey: key, in: transaction).sorted { $0.record.receivedAt > $1.record.receivedAt }
    }
}

extension StoreReader where Self: ~Copyable & ~Escapable {
    /// The responses from the one behind `place` on in key order, nil being the start; for eviction and for tools.
    ///
    /// - Parameter limit: the most to give.
    package borrowing func responses(after place: ResponsePlace?, limit: Int) throws -> [ResponseEntry] {
        try tables.responses(after: place, limit: limit, in: engine)
    }
}

extension Transaction {
    /// Where the responses of a cache key stand that `isWanted` selects, this transaction's own changes included.
    ///
    /// However many there are, one record at a time is in memory. Damaged ones are passed over.
    package borrowing func responsePlaces(
        forKey key: String, where isWanted: (ResponseRecord) -> Bool
    ) throws -> [(place: ResponsePlace, blob: Int64)] {
        var found: [(place: ResponsePlace, blob: Int64)] = []
        try tables.forEachResponse(from: ResponseKey.responses(of: key), in: engine) { place, record in
            if let record, record.key.isSameText(as: key), isWanted(record) { found.append((place, record.blob)) }
            return true
        }
        return found
    }
}

extension Tables {
    func response(at place: ResponsePlace, in source: ReadTransaction) throws -> ResponseRecord? {
        try record(.responses, in: source, as: ResponseRecord.self) { try ResponseKey.response(place).append(to: &$0) }
    }

    /// The responses of a cache key with the highest variants, the highest first.
    fileprivate func newestResponses(forKey key: String, in source: ReadTransaction) throws -> [ResponseEntry] {
        let prefix = ResponseKey.responses(of: key)
        var found: [ResponseEntry] = []
        var examined = 0
        /// Answers whether to go on.
        func visit(_ entry: borrowing Entry) throws -> Bool {
            guard entry.key.starts(with: prefix.rawSpan) else { return false }
            examined += 1
            if case .response(let place)? = try? ResponseKey(decoding: entry.key),
                let record = Self.readable(entry), record.key.isSameText(as: key)
            {
                found.append(ResponseEntry(place: place, record: record))
            }
            return found.count < ResponseLimits.read && examined < ResponseLimits.examined
        }
        // There is always one: a prefix begins with the number of a kind.
        guard let end = successor(ofPrefix: prefix) else { return [] }
        try source.withCursor(in: responses) { cursor in
            var isGoing = false
            if let entry = try cursor.seek(before: end.rawSpan) { isGoing = try visit(entry) }
            while isGoing {
                guard let entry = try cursor.previous() else { return }
                isGoing = try visit(entry)
            }
        }
        return found
    }

    /// The record of an entry, or nil when it is damaged.
    private static func readable(_ entry: borrowing Entry) -> ResponseRecord? {
        try? decoding(.responses) { () throws(FormatError) in
            try ResponseRecord(
                decoding: try Record.open(
                    entry.value, key: entry.key, seed: TableName.responses.seed, codec: RecordHeader.tupleCodec))
        }
    }

    func responses(after place: ResponsePlace?, limit: Int, in source: ReadTransaction) throws -> [ResponseEntry] {
        var found: [ResponseEntry] = []
        if limit <= 0 { return [] }
        let start = try place.map { place in
            // No key is the beginning of another: a byte more lies behind it and before the next.
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
    /// until it answers false. A damaged record is nil; a key that cannot be read is passed over.
    func forEachResponse(
        from start: [UInt8], within prefix: [UInt8]? = nil, in source: ReadTransaction,
        _ body: (ResponsePlace, ResponseRecord?) throws -> Bool
    ) throws {
        let prefix = prefix ?? start
        /// Answers whether to go on.
        func visit(_ entry: borrowing Entry) throws -> Bool {
            guard entry.key.starts(with: prefix.rawSpan) else { return false }
            guard case .response(let place)? = try? ResponseKey(decoding: entry.key) else { return true }
            return try body(place, Self.readable(entry))
        }
        try source.withCursor(in: responses) { cursor in
            var isGoing = false
            if let entry = try cursor.seek(start.rawSpan) { isGoing = try visit(entry) }
            while isGoing {
                guard let entry = try cursor.next() else { return }
                isGoing = try visit(entry)
            }
        }
    }
}

extension String {
    /// Whether both are the same UTF-8: unlike `==`, canonically equivalent texts differ.
    func isSameText(as other: String) -> Bool { utf8.elementsEqual(other.utf8) }
}
