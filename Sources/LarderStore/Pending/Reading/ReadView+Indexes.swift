internal import LarderEngine
public import LarderFormat

extension ReadView {
    /// Copies of the entries of an index over the rows of one resource, in the index's order, those of equal values by
    /// the keys of their rows.
    ///
    /// Exact: what does not fit an entry is read from its row, and local writes are in place of the server's rows.
    ///
    /// - Parameters:
    ///   - range: which values.
    ///   - reversed: from the last to the first.
    ///   - limit: the most entries.
    ///   - after: goes on behind this entry, the last of the call before; it need not be there any more.
    /// - Throws: ``StoreError/indexNotReady(_:)`` when the index is being built, or is unknown;
    ///   ``StoreError/damaged(table:reason:)``; ``StoreError/invalid(_:)``.
    /// - Complexity: O(log *n* + entries); texts whose first 200 bytes are equal are read and sorted together.
    public borrowing func indexEntries(
        of index: SecondaryIndex, in resource: ResourceKey, range: IndexRange = .all, reversed: Bool = false,
        limit: Int = .max, after: IndexEntry? = nil
    ) throws -> [IndexEntry] {
        guard try indexes().contains(where: { $0.number == index.number && $0.state == .ready }) else {
            throw StoreError.indexNotReady(index.definition.name)
        }
        guard limit > 0, index.covers(resource) else { return [] }
        let source = try mergedSource(of: resource)
        var scan = try IndexScan(index, range, reversed: reversed, limit: limit, after: after)
        try tables.scan(&scan, source, in: transaction)
        return scan.found
    }

    /// How many entries a range has, counted up to `limit`: what a planner wants to know.
    ///
    /// Where rows are changed locally, which counts them twice, or texts begin alike for 200 bytes, an estimate.
    ///
    /// - Throws: ``StoreError/invalid(_:)``; ``EngineError``.
    /// - Complexity: O(log *n* + `limit`).
    public borrowing func indexEntryCount(
        of index: SecondaryIndex, in resource: ResourceKey, range: IndexRange = .all, limit: Int = 1000
    ) throws -> Int {
        let source = try mergedSource(of: resource)
        var count = 0
        for scope in source.indexScopes where count < limit {
            let prefix = IndexEntryKey.prefix(scope, index: index.number)
            let (start, end) = try range.encoded(index.definition.collation, prefix)
            try tables.forEachEntry(.indexes, from: start, upTo: end, reversed: false, in: transaction) { _ in
                count += 1
                return count < limit
            }
        }
        return count
    }
}

extension MergedSource {
    /// Where entries of its rows are.
    fileprivate var indexScopes: [IndexEntryKey.Scope] {
        (hasRows ? [.generation(rows.generation)] : []) + (hasOverlays ? [.overlaid(rows.owner)] : [])
    }
}

extension Tables {
    /// Gives `scan` the entries of its index, those of rows that are shown.
    func scan(_ scan: inout IndexScan, _ merged: MergedSource, in source: ReadTransaction) throws {
        let indexes = RowIndexes([scan.index], type: scan.index.definition.type)
        var overlaid = try OverlaidEntries(of: scan, merged)
        /// Answers whether to go on.
        func visit(_ candidate: IndexCandidate) throws -> Bool {
            try scan.visit(candidate) { try wholeValue(of: $0, indexes, merged, in: source) }
        }
        var isGoing = true
        if merged.hasRows {
            let prefix = IndexEntryKey.prefix(.generation(merged.rows.generation), index: scan.index.number)
            let (start, end) = try scan.bounds(prefix)
            try forEachEntry(.indexes, from: start, upTo: end, reversed: scan.isReversed, in: source) { entry in
                let candidate = try Self.candidate(entry, behind: prefix)
                while isGoing, let next = try overlaid.next(before: candidate.place, self, source) {
                    isGoing = try visit(next)
                }
                if isGoing, try !isOverlaid(candidate, merged, in: source) { isGoing = try visit(candidate) }
                return isGoing
            }
        }
        while isGoing, let next = try overlaid.next(self, source) { isGoing = try visit(next) }
        if isGoing { _ = try scan.flush { try wholeValue(of: $0, indexes, merged, in: source) } }
    }

    /// Whether local writes lie over a row of the server's, which has no other place then but that of what they make.
    private func isOverlaid(
        _ candidate: IndexCandidate, _ merged: MergedSource, in source: ReadTransaction
    ) throws -> Bool {
        guard merged.hasOverlays else { return false }
        let row = RowKey(resource: merged.rows.owner, type: candidate.type, key: candidate.name)
        let key = try Transaction.key { try OverlayKey.append(row, to: &$0) }
        guard let value = try source.value(forKey: key.rawSpan, in: overlay) else { return false }
        // What cannot be known is in no place, and must not be missed.
        _ = try Row(overlay: value, key: key.rawSpan) == nil
        return true
    }

    /// What an entry says, verified.
    static func candidate(_ entry: borrowing Entry, behind prefix: [UInt8]) throws(StoreError) -> IndexCandidate {
        let body = try body(of: entry.value, key: entry.key, table: .indexes)
        let key = [UInt8](copying: entry.key)
        return try decoding(.indexes) { () throws(FormatError) in
            let decoded = try IndexEntryKey(decoding: key.rawSpan)
            let (type, name) =
                switch decoded.address {
                case .row(let type, let key): (type, key)
                case .hash: try IndexEntryKey.decodeAddress(body)
                }
            return IndexCandidate(place: Array(key[prefix.count...]), term: decoded.term, type: type, name: name)
        }
    }

    /// The value of a row, read from the row.
    private func wholeValue(
        of candidate: IndexCandidate, _ indexes: RowIndexes, _ merged: MergedSource, in source: ReadTransaction
    ) throws -> IndexValue {
        let key = RowKey(resource: merged.rows.owner, type: candidate.type, key: candidate.name)
        guard let row = try mergedRow(at: key, from: merged, in: source) else {
            // Verified, and yet it names a row that is not there: it was not written with the rows.
            let reason = FormatError.invalidValue(field: "entry", value: 0)
            throw StoreError.damaged(table: TableName.indexes.rawValue, reason: reason)
        }
        return indexes.values(of: row.payload, codec: row.codec)[0]
    }
}
