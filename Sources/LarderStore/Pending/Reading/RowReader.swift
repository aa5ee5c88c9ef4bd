public import LarderFormat

/// What rows are read from: a snapshot, or a write transaction with the changes it has made so far.
///
/// Rows are as local writes have them, or else as the server does.
public protocol RowReader: StoreReader, ~Copyable, ~Escapable {
    /// The row at `key`, or nil; see ``ReadView/row(at:)``.
    @_lifetime(borrow self)
    borrowing func row(at key: RowKey) throws -> Row?

    /// Calls `body` with the rows of `range`; see ``ReadView/forEachRow(in:reversed:limit:verified:_:)``.
    @discardableResult
    borrowing func forEachRow(
        in range: RowRange, reversed: Bool, limit: Int, verified: Bool, _ body: (borrowing RowEntry) throws -> Void
    ) throws -> Int
}

extension RowReader where Self: ~Copyable & ~Escapable {
    /// A copy of the payload at `key`, or nil.
    public borrowing func payload(at key: RowKey) throws -> [UInt8]? {
        guard let row = try row(at: key) else { return nil }
        return [UInt8](copying: row.payload)
    }

    /// Copies of the rows of `range` in key order.
    public borrowing func rows(in range: RowRange, reversed: Bool = false, limit: Int = .max) throws -> [StoredRow] {
        var rows: [StoredRow] = []
        try forEachRow(in: range, reversed: reversed, limit: limit, verified: true) { entry in
            let (type, key) = try entry.key()
            rows.append(
                StoredRow(
                    key: RowKey(resource: range.resource, type: type, key: key), updatedAt: entry.row.updatedAt,
                    codec: entry.row.codec, payload: [UInt8](copying: entry.row.payload)))
        }
        return rows
    }

    /// The value stored at `key`, or nil when there is no row or its resource is not ready.
    ///
    /// - Throws: ``StoreError/unexpectedCodec(stored:expected:)`` when the row is not marked with the coder's codec;
    ///   what the coder throws; as ``ReadView/row(at:)``.
    public borrowing func value<Value: Decodable>(
        _ type: Value.Type, at key: RowKey, using coder: some PayloadCoder
    ) throws -> Value? {
        guard let row = try row(at: key) else { return nil }
        return try row.value(type, using: coder)
    }
}
