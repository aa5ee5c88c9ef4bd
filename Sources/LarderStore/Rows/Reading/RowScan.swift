internal import LarderEngine
internal import LarderFormat

extension Tables {
    /// Calls `body` with the server's rows of `range`.
    func scan(
        _ range: RowRange, in source: ReadTransaction, reversed: Bool, limit: Int, verified: Bool,
        _ body: (borrowing RowEntry) throws -> Void
    ) throws -> Int {
        guard let rows = try rowSource(of: range.resource, in: source) else { return 0 }
        return try scan(range, of: rows, in: source, reversed: reversed, limit: limit, verified: verified, body)
    }

    /// As ``scan(_:in:reversed:limit:verified:_:)``, when the place of the rows is known.
    func scan(
        _ range: RowRange, of rows: RowSource, in source: ReadTransaction, reversed: Bool, limit: Int, verified: Bool,
        _ body: (borrowing RowEntry) throws -> Void
    ) throws -> Int {
        try range.forEachPart(reversed: reversed, limit: limit) { part, limit in
            try scanWhile(part, of: rows, in: source, reversed: reversed, limit: limit, verified: verified) {
                try body($0)
                return true
            }
        }
    }

    /// Calls `body` with the rows of `range`, which is one part, until it returns false.
    ///
    /// - Parameter limit: the most rows; at least one.
    /// - Returns: the number of rows read.
    @discardableResult
    func scanWhile(
        _ range: RowRange, of rowSource: RowSource, in source: ReadTransaction, reversed: Bool, limit: Int = .max,
        verified: Bool, _ body: (borrowing RowEntry) throws -> Bool
    ) throws -> Int {
        let (start, end) = try range.encoded(generation: rowSource.generation)
        guard start.rawSpan.lexicographicallyPrecedes(end.rawSpan) else { return 0 }
        return try source.withCursor(in: rows) { cursor in
            var scan = RowScan(
                start: start, end: end, isReversed: reversed, limit: limit, seed: verified ? rowSource.seed : nil)
            let checksNeighbors = verified && !source.isWriting
            if checksNeighbors, reversed, let entry = try cursor.seek(end.rawSpan) {
                try verifyNeighbor(entry, .rows, rowSource, in: source)
            } else if checksNeighbors, !reversed, let entry = try cursor.seek(before: start.rawSpan) {
                try verifyNeighbor(entry, .rows, rowSource, in: source)
            }
            // A seek that finds nothing leaves no position to step from.
            var shouldContinue = false
            if reversed {
                if let entry = try cursor.seek(before: end.rawSpan) { shouldContinue = try scan.visit(entry, body) }
                while shouldContinue, let entry = try cursor.previous() { shouldContinue = try scan.visit(entry, body) }
            } else {
                if let entry = try cursor.seek(start.rawSpan) { shouldContinue = try scan.visit(entry, body) }
                while shouldContinue, let entry = try cursor.next() { shouldContinue = try scan.visit(entry, body) }
            }
            if checksNeighbors, scan.isBeyondRange, let entry = try cursor.current() {
                try verifyNeighbor(entry, .rows, rowSource, in: source)
            }
            return scan.count
        }
    }
}

/// The progress of a scan. A closure must not capture it: every access to it would be checked at run time.
private struct RowScan {
    /// The first key within, and the first one beyond.
    let start: [UInt8]
    let end: [UInt8]
    let isReversed: Bool
    let limit: Int
    /// The seed of the rows' checksums; nil when they are not verified.
    let seed: UInt64?
    private(set) var count = 0
    /// Whether the last entry is outside the range.
    private(set) var isBeyondRange = false

    init(start: [UInt8], end: [UInt8], isReversed: Bool, limit: Int, seed: UInt64?) {
        self.start = start
        self.end = end
        self.isReversed = isReversed
        self.limit = limit
        self.seed = seed
    }

    /// Lends the row at `entry` to `body`; returns false when it is outside the range, or none is wanted after it.
    mutating func visit(_ entry: borrowing Entry, _ body: (borrowing RowEntry) throws -> Bool) throws -> Bool {
        let isInside =
            isReversed
            ? !entry.key.lexicographicallyPrecedes(start.rawSpan)
            : entry.key.lexicographicallyPrecedes(end.rawSpan)
        guard isInside else {
            isBeyondRange = true
            return false
        }
        let row = try Row(value: entry.value, body: try Self.body(of: entry, seed: seed))
        count += 1
        return try body(RowEntry(encodedKey: entry.key, row: row)) && count < limit
    }

    /// The body of a row, verified when there is a seed.
    @_lifetime(copy entry)
    private static func body(of entry: borrowing Entry, seed: UInt64?) throws(StoreError) -> RawSpan {
        do throws(FormatError) {
            guard let seed else { return try Record.openUnverified(entry.value) }
            return try Record.open(entry.value, key: entry.key, seed: seed)
        } catch {
            throw .damaged(table: TableName.rows.rawValue, reason: error)
        }
    }
}
