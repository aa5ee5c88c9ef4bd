public import LarderFormat

/// A source of rows: a read view, or a write transaction with the changes it has made so far.
///
/// A row is the result of local writes where there are any, else the server's row.
public protocol RowReader: StoreReader, ~Copyable, ~Escapable {
    /// Returns the row at `key`, or nil; see ``ReadView/row(at:)``.
    ///
    /// - Throws: as ``ReadView/row(at:)``.
    @_lifetime(borrow self)
    borrowing func row(at key: RowKey) throws -> Row?

    /// Calls `body` with the rows of `range`; see ``ReadView/forEachRow(in:reversed:limit:verified:_:)``.
    ///
    /// - Throws: as ``ReadView/forEachRow(in:reversed:limit:verified:_:)``.
    @discardableResult
    borrowing func forEachRow(
        in range: RowRange, reversed: Bool, limit: Int, verified: Bool, _ body: (borrowing RowEntry) throws -> Void
    ) throws -> Int
}

extension RowReader where Self: ~Copyable & ~Escapable {
    /// Returns a copy of the payload at `key`, or nil.
    ///
    /// - Throws: as ``ReadView/row(at:)``.
    public borrowing func payload(at key: RowKey) throws -> [UInt8]? {
        guard let row = try row(at: key) else { return nil }
        return [UInt8](copying: row.payload)
    }

    /// Returns copies of the rows of `range` in key order.
    ///
    /// - Throws: as ``ReadView/forEachRow(in:reversed:limit:verified:_:)``.
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

    /// Returns the decoded value at `key`, or nil when no row is shown there.
    ///
    /// - Throws: ``StoreError/unexpectedCodec(stored:expected:)`` when the row is not marked with the coder's codec;
    ///   the errors of the coder; as ``ReadView/row(at:)``.
    public borrowing func value<Value: Decodable>(
        _ type: Value.Type, at key: RowKey, using coder: some PayloadCoder
    ) throws -> Value? {
        guard let row = try row(at: key) else { return nil }
        return try row.value(type, using: coder)
    }
}
