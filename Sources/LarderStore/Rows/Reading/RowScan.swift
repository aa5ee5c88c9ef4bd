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
        let seed = verified ? rowSource.seed : nil
        var count = 0
        try forEachEntry(
            .rows, from: start, upTo: end, reversed: reversed, checksNeighbors: verified, rows: rowSource, in: source
        ) { entry in
            let row = try Row(opening: entry.value, key: entry.key, seed: seed)
            count += 1
            return try body(RowEntry(encodedKey: entry.key, row: row)) && count < limit
        }
        return count
    }
}
