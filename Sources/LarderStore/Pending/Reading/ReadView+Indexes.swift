internal import LarderEngine
public import LarderFormat

extension ReadView {
    /// Returns copies of the entries of an index over the rows of one resource, in the index's order.
    ///
    /// Entries of equal values are in the order of their rows' keys. The result is exact: a value that does not fit an
    /// entry is read from its row, and local writes are applied.
    ///
    /// - Parameters:
    ///   - index: the index; see ``index(named:)``.
    ///   - resource: the resource of the rows.
    ///   - range: the values to include.
    ///   - reversed: from the last to the first.
    ///   - limit: the most entries.
    ///   - after: the last entry of the previous call, behind which this one continues; it need not exist any more.
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
        return try indexEntries(
            of: index, in: try place(of: resource), range: range, reversed: reversed, limit: limit, after: after)
    }

    /// Returns the number of entries in a range, counted up to `limit`, for a query planner.
    ///
    /// The number is an estimate where rows are changed locally, which counts them twice, or where texts have the same
    /// first 200 bytes.
    ///
    /// - Throws: ``StoreError/invalid(_:)``; `EngineError`.
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

    /// Returns the number of entries with the lowest value but null of an index, or with the highest one, counted up to
    /// `limit`, for a query planner.
    ///
    /// The value is that of the first resource that has any. No entry is verified; texts with the same first 200 bytes
    /// count as one value, and rows that are changed locally count twice.
    ///
    /// - Returns: 0 where no resource has a value but null, or the first entry cannot be decoded.
    /// - Throws: `EngineError`; ``StoreError/damaged(table:reason:)`` for the record of a resource.
    /// - Complexity: O(resources · log *n* + `limit`).
    package borrowing func entryCount(
        ofEndValueOf index: SecondaryIndex, in resources: some Sequence<ResourceKey>, isLast: Bool, limit: Int
    ) throws -> Int {
        var value: [UInt8]?
        var count = 0
        for resource in resources {
            for scope in try mergedSource(of: resource).indexScopes where count < limit {
                let prefix = IndexEntryKey.prefix(scope, index: index.number)
                if value == nil { value = try tables.endValue(of: index, prefix, isLast, in: transaction) }
                guard let value else { continue }
                let start = prefix + value
                let end = endOfKeys(beginningWith: start)
                try tables.forEachEntry(.indexes, from: start, upTo: end, reversed: false, in: transaction) { _ in
                    count += 1
                    return count < limit
                }
            }
        }
        return count
    }
}

extension Tables {
    /// Returns the encoded form of the lowest value but null, or of the highest one, under a prefix of `indexes`.
    fileprivate func endValue(
        of index: SecondaryIndex, _ prefix: [UInt8], _ isLast: Bool, in source: ReadTransaction
    ) throws -> [UInt8]? {
        let (start, end) = try IndexRange.above(.null).encoded(index.definition.collation, prefix)
        var found: [UInt8]?
        try forEachEntry(.indexes, from: start, upTo: end, reversed: isLast, in: source) { entry in
            var buffer = KeyBuffer()
            try? IndexEntryKey(decoding: entry.key).term.append(to: &buffer)
            if buffer.count > 0 { found = buffer.array() }
            return false
        }
        return found
    }
}

extension ShownSource {
    /// The scopes in which entries of its rows are.
    fileprivate var indexScopes: [IndexEntryKey.Scope] {
        (hasRows ? [.generation(rows.generation)] : []) + (hasOverlays ? [.overlaid(rows.owner)] : [])
    }
}

extension Tables {
    /// Passes the index entries of the rows that are shown to `scan`.
    func scan(_ scan: inout IndexScan, _ merged: ShownSource, in source: ReadTransaction) throws {
        let indexes = RowIndexes([scan.index], type: scan.index.definition.type)
        var overlaid = try OverlaidEntries(of: scan, merged)
        /// Returns whether to continue.
        func visit(_ candidate: IndexCandidate) throws -> Bool {
            try scan.visit(candidate) { try wholeValue(of: $0, indexes, merged, in: source) }
        }
        var shouldContinue = true
        if merged.hasRows {
            let prefix = IndexEntryKey.prefix(.generation(merged.rows.generation), index: scan.index.number)
            let (start, end) = try scan.bounds(prefix)
            try forEachEntry(
                .indexes, from: start, upTo: end, reversed: scan.isReversed, checksNeighbors: true, in: source
            ) { entry in
                let candidate = try Self.candidate(entry, after: prefix, needsPlace: merged.hasOverlays)
                if merged.hasOverlays {
                    while shouldContinue, let next = try overlaid.next(before: candidate.place, self, source) {
                        shouldContinue = try visit(next)
                    }
                    if try !shouldContinue || isOverlaid(candidate, merged, in: source) { return shouldContinue }
                }
                shouldContinue = try visit(candidate)
                return shouldContinue
            }
        }
        while shouldContinue, let next = try overlaid.next(self, source) { shouldContinue = try visit(next) }
        if shouldContinue { _ = try scan.flush { try wholeValue(of: $0, indexes, merged, in: source) } }
    }

    /// Returns whether a server's row has overlays, so that only the entry of their result counts.
    private func isOverlaid(
        _ candidate: IndexCandidate, _ merged: ShownSource, in source: ReadTransaction
    ) throws -> Bool {
        let row = RowKey(resource: merged.rows.owner, type: candidate.type, key: candidate.name)
        let key = try Transaction.key { try OverlayKey.append(row, to: &$0) }
        guard let value = try source.value(forKey: key.rawSpan, in: overlay) else {
            try checkAbsence(of: key.rawSpan, .overlay, in: source)
            return false
        }
        // A row that is unknown has no entry; this error keeps it from being left out unnoticed.
        _ = try Row(overlay: value, key: key.rawSpan) == nil
        return true
    }

    /// Decodes and verifies an entry.
    ///
    /// - Parameter needsPlace: whether its place is compared with others; that of a cut text always is.
    static func candidate(
        _ entry: borrowing Entry, after prefix: [UInt8], needsPlace: Bool = true
    ) throws(StoreError) -> IndexCandidate {
        let body = try body(of: entry.value, key: entry.key, table: .indexes)
        do throws(FormatError) {
            let decoded = try IndexEntryKey(decoding: entry.key)
            let (type, name) =
                switch decoded.address {
                case .row(let type, let key): (type, key)
                case .hash: try IndexEntryKey.decodeAddress(body)
                }
            var place: [UInt8] = []
            if needsPlace || decoded.term.isCut {
                place = [UInt8](copying: entry.key.extracting(prefix.count..<entry.key.byteCount))
            }
            return IndexCandidate(place: place, term: decoded.term, type: type, name: name)
        } catch {
            throw .damaged(table: TableName.indexes.rawValue, reason: error)
        }
    }

    /// Returns the value of a row, read from the row.
    private func wholeValue(
        of candidate: IndexCandidate, _ indexes: RowIndexes, _ merged: ShownSource, in source: ReadTransaction
    ) throws -> IndexValue {
        let key = RowKey(resource: merged.rows.owner, type: candidate.type, key: candidate.name)
        guard let row = try mergedRow(at: key, from: merged, in: source) else {
            // The entry is verified, but its row does not exist: it was not written with the rows.
            let reason = FormatError.invalidValue(field: "entry", value: 0)
            throw StoreError.damaged(table: TableName.indexes.rawValue, reason: reason)
        }
        return indexes.values(of: row.payload, codec: row.codec)[0]
    }
}
