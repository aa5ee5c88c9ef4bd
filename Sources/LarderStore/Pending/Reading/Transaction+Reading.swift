internal import LarderEngine
public import LarderFormat

extension Transaction: RowReader {
    /// The row at `key` as local writes have it, or else as the server does, this transaction's own changes included; ends
    /// with the next change.
    @_lifetime(borrow self)
    public borrowing func row(at key: RowKey) throws -> Row? {
        try tables.mergedRow(at: key, in: engine)
    }

    /// Calls `body` with the rows of `range`, this transaction's own changes included.
    @discardableResult
    public borrowing func forEachRow(
        in range: RowRange, reversed: Bool = false, limit: Int = .max, verified: Bool = true,
        _ body: (borrowing RowEntry) throws -> Void
    ) throws -> Int {
        try tables.mergedScan(
            range, from: try tables.mergedSource(of: range.resource, in: engine), in: engine, reversed: reversed,
            limit: limit, verified: verified, body)
    }
}
