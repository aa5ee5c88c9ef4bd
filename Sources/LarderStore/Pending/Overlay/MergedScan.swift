internal import LarderEngine
internal import LarderFormat

// Rows as readers see them: the result of local writes where a row has overlays, else the server's row.

extension Tables {
    /// Returns the row that is shown at `key`: the result of its overlays where it has any, else the server's row.
    @_lifetime(copy source)
    func mergedRow(at key: RowKey, in source: ReadTransaction) throws -> Row? {
        try mergedRow(at: key, from: try mergedSource(of: key.resource, in: source), in: source)
    }

    /// As ``mergedRow(at:in:)``, from a known source of rows.
    @_lifetime(copy source)
    func mergedRow(at key: RowKey, from merged: ShownSource, in source: ReadTransaction) throws -> Row? {
        if merged.hasOverlays {
            let buffer = try KeyBuffer { try OverlayKey.append(key, to: &$0) }
            if let value = try source.value(forKey: buffer.bytes, in: overlay) {
                return try Row(overlay: value, key: buffer.bytes)
            }
            try checkAbsence(of: buffer.bytes, .overlay, in: source)
        }
        guard merged.hasRows else { return nil }
        return try row(at: key, from: merged.rows, in: source)
    }

    /// Calls `body` with the rows of `range` that are shown, and returns their number.
    func mergedScan(
        _ range: RowRange, from merged: ShownSource, in source: ReadTransaction, reversed: Bool, limit: Int,
        verified: Bool, _ body: (borrowing RowEntry) throws -> Void
    ) throws -> Int {
        guard merged.hasOverlays else {
            guard merged.hasRows else { return 0 }
            return try scan(
                range, of: merged.rows, in: source, reversed: reversed, limit: limit, verified: verified, body)
        }
        return try range.forEachPart(reversed: reversed, limit: limit) { part, limit in
            var scan = try MergedScan(part, merged.rows, isReversed: reversed, limit: limit)
            if merged.hasRows {
                try scanWhile(part, of: merged.rows, in: source, reversed: reversed, verified: verified) { entry in
                    while let overlay = try scan.nextOverlay(before: entry.encodedKey, self, source) {
                        try emit(overlay, &scan, in: source, body)
                    }
                    if try !scan.isDone && !scan.replacesRow(at: entry.encodedKey, self, source) {
                        try body(entry)
                        scan.count += 1
                    }
                    return !scan.isDone
                }
            }
            while let overlay = try scan.nextOverlay(self, source) { try emit(overlay, &scan, in: source, body) }
            return scan.count
        }
    }

    /// Passes the row that results from an overlay to `body`, if there is one.
    private func emit(
        _ key: [UInt8], _ scan: inout MergedScan, in source: ReadTransaction,
        _ body: (borrowing RowEntry) throws -> Void
    ) throws {
        guard let value = try source.value(forKey: key.rawSpan, in: overlay),
            let row = try Row(overlay: value, key: key.rawSpan)
        else { return }
        let rowKey = scan.rowKey(ofOverlay: key)
        try body(RowEntry(encodedKey: rowKey.rawSpan, row: row))
        scan.count += 1
    }

    /// Calls `body` with the stored result of each row of a range that has overlays.
    ///
    /// - Parameter body: receives the encoded type and key of the row, and its record in `overlay`.
    func forEachOverlaidRow(
        in range: RowRange, in source: ReadTransaction, _ body: (_ address: RawSpan, borrowing Entry) throws -> Void
    ) throws {
        let (start, end) = try range.encodedInOverlay()
        let prefix = try Transaction.key { try $0.append(resource: range.resource) }
        try forEachEntry(
            .overlay, from: start, upTo: end, reversed: false, checksNeighbors: true, in: source
        ) { entry in
            try body(entry.key.extracting(prefix.count..<entry.key.byteCount), entry)
            return true
        }
    }
}

/// The progress of a scan among the rows with overlays, whose keys are read in batches.
private struct MergedScan {
    /// The most keys that are read at once.
    private static let batchSize = 32

    private let isReversed: Bool
    private let limit: Int
    /// The prefixes of the keys in `overlay` and in `rows`; type and key of the row follow in both.
    private let prefix: [UInt8]
    private let rowPrefix: [UInt8]
    /// The first key that was not read yet, and the first key beyond the range.
    private var start: [UInt8]
    private var end: [UInt8]
    private var isAtEnd = false
    private var keys: [[UInt8]] = []
    private var position = 0
    /// The rows shown so far.
    var count = 0

    /// - Parameter range: one part.
    init(_ range: RowRange, _ rows: RowSource, isReversed: Bool, limit: Int) throws(StoreError) {
        self.isReversed = isReversed
        self.limit = limit
        prefix = try Transaction.key { try $0.append(resource: range.resource) }
        rowPrefix = RowKeyCoding.prefix(generation: rows.generation)
        (start, end) = try range.encodedInOverlay()
        isAtEnd = !start.rawSpan.lexicographicallyPrecedes(end.rawSpan)
    }

    /// Whether the limit is reached.
    var isDone: Bool { count >= limit }

    /// Returns the key that a row has in `rows`, or would have.
    func rowKey(ofOverlay key: [UInt8]) -> [UInt8] { rowPrefix + key.dropFirst(prefix.count) }

    /// Returns the key of the next overlay; nil at the end or at the limit.
    mutating func nextOverlay(_ tables: Tables, _ source: ReadTransaction) throws -> [UInt8]? {
        if isDone { return nil }
        guard let next = try peek(tables, source) else { return nil }
        position += 1
        return next
    }

    /// Returns the key of the next overlay if its row comes before the row at `key` of `rows`; nil also at the limit.
    mutating func nextOverlay(before key: RawSpan, _ tables: Tables, _ source: ReadTransaction) throws -> [UInt8]? {
        guard !isDone, let next = try peek(tables, source) else { return nil }
        let (overlay, row) = (address(of: next.rawSpan, after: prefix), address(of: key, after: rowPrefix))
        let isBefore = isReversed ? row.lexicographicallyPrecedes(overlay) : overlay.lexicographicallyPrecedes(row)
        return isBefore ? try nextOverlay(tables, source) : nil
    }

    /// Returns whether the next overlay is of the row at `key` of `rows`; it is shown later, in place of that row.
    mutating func replacesRow(at key: RawSpan, _ tables: Tables, _ source: ReadTransaction) throws -> Bool {
        guard let next = try peek(tables, source) else { return false }
        return address(of: next.rawSpan, after: prefix).equals(address(of: key, after: rowPrefix))
    }

    @_lifetime(copy key)
    private func address(of key: RawSpan, after prefix: [UInt8]) -> RawSpan {
        key.extracting(min(prefix.count, key.byteCount)..<key.byteCount)
    }

    private mutating func peek(_ tables: Tables, _ source: ReadTransaction) throws -> [UInt8]? {
        if position < keys.count { return keys[position] }
        if isAtEnd { return nil }
        var found: [[UInt8]] = []
        let batchLimit = min(Self.batchSize, limit - count)
        try tables.forEachEntry(
            .overlay, from: start, upTo: end, reversed: isReversed, checksNeighbors: true, in: source
        ) { entry in
            found.append([UInt8](copying: entry.key))
            return found.count < batchLimit
        }
        if let last = found.last { if isReversed { end = last } else { start = last + [0] } }
        isAtEnd = found.count < batchLimit
        (keys, position) = (found, 0)
        return found.first
    }
}
