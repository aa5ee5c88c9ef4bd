internal import LarderEngine
public import LarderFormat

extension ReadView: RowReader {
    /// Returns the row at `key` with local writes applied; nil when there is none.
    ///
    /// The server's rows of a resource that is not ready are not shown; local writes always are. Verifies the checksum,
    /// which covers key and owner.
    ///
    /// - Throws: ``StoreError/damaged(table:reason:)``, ``StoreError/invalid(_:)`` for a key beyond the format's
    ///   limits.
    /// - Complexity: O(log *n*) page visits; nothing is allocated.
    @_lifetime(borrow self)
    public borrowing func row(at key: RowKey) throws -> Row? {
        try tables.mergedRow(at: key, from: try mergedSource(of: key.resource), in: transaction)
    }

    /// Calls `body` with the rows of `range` in key order, with local writes applied.
    ///
    /// - Parameters:
    ///   - range: the rows to read.
    ///   - reversed: from the end to the start.
    ///   - limit: the most rows to read.
    ///   - verified: whether to verify every row's checksum; if not, damage goes unnoticed.
    ///   - body: receives the rows, each valid during its call only.
    /// - Returns: the number of rows read.
    /// - Throws: ``StoreError/damaged(table:reason:)``, ``StoreError/invalid(_:)``; the errors of `body`, which end the
    ///   scan.
    @discardableResult
    public borrowing func forEachRow(
        in range: RowRange, reversed: Bool = false, limit: Int = .max, verified: Bool = true,
        _ body: (borrowing RowEntry) throws -> Void
    ) throws -> Int {
        try tables.mergedScan(
            range, from: try mergedSource(of: range.resource), in: transaction, reversed: reversed, limit: limit,
            verified: verified, body)
    }
}
