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
        var scan = try IndexScan(
            index, range, reversed: reversed, limit: limit, after: after, generation: source.rows.generation)
        try tables.scan(&scan, source, in: transaction)
        return scan.found
    }

    /// How many entries a range has, counted up to `limit`: what a planner wants to know.
    ///
    /// Where rows are changed locally, or texts begin alike for 200 bytes, an estimate.
    ///
    /// - Throws: ``StoreError/invalid(_:)``; ``EngineError``.
    /// - Complexity: O(log *n* + `limit`).
    public borrowing func indexEntryCount(
        of index: SecondaryIndex, in resource: ResourceKey, range: IndexRange = .all, limit: Int = 1000
    ) throws -> Int {
        let source = try mergedSource(of: resource)
        guard limit > 0, source.hasRows else { return 0 }
        let (start, end) = try range.encoded(
            index.definition.collation, generation: source.rows.generation, index: index.number)
        var count = 0
        try tables.forEachRaw(.indexes, prefix: [], from: start, in: transaction) { entry in
            guard entry.key.lexicographicallyPrecedes(end.rawSpan) else { return false }
            count += 1
            return count < limit
        }
        return count
    }
}

extension Tables {
    /// Gives `scan` the entries of its index, those of rows that are shown.
    func scan<Source: TableReader & ~Copyable>(
        _ scan: inout IndexScan, _ merged: MergedSource, in source: borrowing Source
    ) throws {
        let (start, end) = try scan.bounds(generation: merged.rows.generation)
        guard start.rawSpan.lexicographicallyPrecedes(end.rawSpan) else { return }
        let indexes = RowIndexes([scan.index], type: scan.index.definition.type)
        var overlays = try overlaidEntries(scan, merged, indexes, from: start, upTo: end, in: source)
        /// Answers whether to go on.
        func visit(_ candidate: IndexCandidate) throws -> Bool {
            try scan.visit(candidate) { try wholeValue(of: $0, indexes, merged.rows, in: source) }
        }
        var isGoing = true
        if merged.hasRows {
            try forEachEntry(.indexes, from: start, upTo: end, reversed: scan.isReversed, in: source) { entry in
                let candidate = try Self.candidate(entry)
                while isGoing, let next = overlays.next(before: candidate.key) { isGoing = try visit(next) }
                if isGoing, !overlays.hides(candidate) { isGoing = try visit(candidate) }
                return isGoing
            }
        }
        while isGoing, let next = overlays.next() { isGoing = try visit(next) }
        if isGoing { _ = try scan.flush { try wholeValue(of: $0, indexes, merged.rows, in: source) } }
    }

    /// The rows that local writes make, as entries of the index of `scan`.
    private func overlaidEntries<Source: TableReader & ~Copyable>(
        _ scan: IndexScan, _ merged: MergedSource, _ indexes: RowIndexes, from start: [UInt8], upTo end: [UInt8],
        in source: borrowing Source
    ) throws -> OverlaidEntries {
        var found = OverlaidEntries(isReversed: scan.isReversed)
        guard merged.hasOverlays else { return found }
        let generation = merged.rows.generation
        let range = RowRange.type(scan.index.definition.type, of: merged.rows.owner)
        try forEachOverlaidRow(in: range, in: source) { address, entry in
            found.hide(address)
            guard let row = try Row(overlay: entry.value, key: entry.key) else { return }
            let name = try decoding(.overlay) { () throws(FormatError) in try IndexEntryKey.decodeAddress(address) }
            let value = indexes.values(of: row.payload, codec: row.codec)[0]
            let (key, term) = try IndexScan.key(of: value, name.type, name.key, scan.index, generation: generation)
            guard !key.rawSpan.lexicographicallyPrecedes(start.rawSpan),
                key.rawSpan.lexicographicallyPrecedes(end.rawSpan)
            else { return }
            found.add(IndexCandidate(key: key, term: term, type: name.type, name: name.key, value: value))
        }
        found.sort()
        return found
    }

    /// What an entry says, verified.
    private static func candidate(_ entry: borrowing Entry) throws(StoreError) -> IndexCandidate {
        let body = try body(of: entry.value, key: entry.key, table: .indexes)
        let key = [UInt8](copying: entry.key)
        return try decoding(.indexes) { () throws(FormatError) in
            let decoded = try IndexEntryKey(decoding: key.rawSpan)
            let (type, name) =
                switch decoded.address {
                case .row(let type, let key): (type, key)
                case .hash: try IndexEntryKey.decodeAddress(body)
                }
            return IndexCandidate(key: key, term: decoded.term, type: type, name: name)
        }
    }

    /// The value of a row, read from the row.
    private func wholeValue<Source: TableReader & ~Copyable>(
        of candidate: IndexCandidate, _ indexes: RowIndexes, _ rows: RowSource, in source: borrowing Source
    ) throws -> IndexValue {
        if let value = candidate.value { return value }
        let key = RowKey(resource: rows.owner, type: candidate.type, key: candidate.name)
        guard let row = try row(at: key, from: rows, in: source) else {
            // Verified, and yet it names a row that is not there: it was not written with the rows.
            let reason = FormatError.invalidValue(field: "entry", value: 0)
            throw StoreError.damaged(table: TableName.indexes.rawValue, reason: reason)
        }
        return indexes.values(of: row.payload, codec: row.codec)[0]
    }
}
