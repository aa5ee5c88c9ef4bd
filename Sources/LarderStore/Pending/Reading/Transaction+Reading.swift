internal import LarderEngine
public import LarderFormat

extension Transaction {
    /// The row at `key` as local writes have it, or else as the server does, this transaction's own changes included; ends
    /// with the next change.
    @_lifetime(borrow self)
    public borrowing func row(at key: RowKey) throws -> Row? {
        try tables.mergedRow(at: key, in: engine)
    }

    /// A copy of the payload at `key`, this transaction's own changes included, or nil.
    public borrowing func payload(at key: RowKey) throws -> [UInt8]? {
        guard let row = try row(at: key) else { return nil }
        return [UInt8](copying: row.payload)
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

    /// The value stored at `key`, this transaction's own changes included; otherwise as ``ReadView/value(_:at:using:)``.
    public borrowing func value<Value: Decodable>(
        _ type: Value.Type, at key: RowKey, using coder: some PayloadCoder
    ) throws -> Value? {
        guard let row = try row(at: key) else { return nil }
        return try row.value(type, using: coder)
    }
}
