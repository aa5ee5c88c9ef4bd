internal import LarderEngine
public import LarderFormat

extension Transaction: RowReader {
    /// Returns the row at `key` with local writes applied, this transaction's own changes included.
    ///
    /// The row is valid until the next change.
    ///
    /// - Throws: as ``ReadView/row(at:)``.
    @_lifetime(borrow self)
    public borrowing func row(at key: RowKey) throws -> Row? {
        try tables.mergedRow(at: key, in: engine)
    }

    /// Calls `body` with the rows of `range`, this transaction's own changes included.
    ///
    /// - Throws: as ``ReadView/forEachRow(in:reversed:limit:verified:_:)``.
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
