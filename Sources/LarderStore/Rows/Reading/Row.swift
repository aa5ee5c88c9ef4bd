public import LarderFormat

/// One row in the store, the server's or a local write: nothing is copied.
///
/// Valid as long as the view or transaction it was read from, in a transaction only until its next change.
public struct Row: ~Escapable {
    /// When the row was last changed, by the server or locally, in milliseconds since 1970-01-01 UTC; 0 when its
    /// source states no time. A row of a fetched snapshot has the time of the fetch.
    public let updatedAt: Int64
    /// How the payload is to be read.
    public let codec: PayloadCodec
    /// The payload.
    public let payload: RawSpan

    /// The row that a stored value makes, verified when there is a seed.
    @_lifetime(copy value)
    init(opening value: RawSpan, key: RawSpan, seed: UInt64?) throws(StoreError) {
        do throws(FormatError) {
            let row = try OpenedRow(value, key: key, seed: seed)
            codec = row.codec
            updatedAt = row.updatedAt
            payload = row.payload
        } catch {
            throw .damaged(table: TableName.rows.rawValue, reason: error)
        }
    }

    /// The row that an overlay makes, verified; nil when it makes none.
    @_lifetime(copy value)
    init?(overlay value: RawSpan, key: RawSpan) throws(StoreError) {
        do throws(FormatError) {
            let body = try Record.open(value, key: key, seed: TableName.overlay.seed)
            let row = try OverlayRow(body: body)
            // The result of writes that depend on a damaged one is unknown.
            if row.result == .unknown { throw .invalidValue(field: "result", value: 2) }
            if row.result == .none { return nil }
            codec = try RecordHeader.payloadCodec(in: value)
            updatedAt = row.updatedAt
            payload = row.payload
        } catch {
            throw .damaged(table: TableName.overlay.rawValue, reason: error)
        }
    }
}

/// A row copied out of the store.
public struct StoredRow: Hashable, Sendable {
    /// The key of the row.
    public let key: RowKey
    /// When the row was last changed, by the server or locally, in milliseconds since 1970-01-01 UTC; 0 when its
    /// source states no time. A row of a fetched snapshot has the time of the fetch.
    public let updatedAt: Int64
    /// How the payload is to be read.
    public let codec: PayloadCodec
    /// The payload.
    public let payload: [UInt8]
}

/// One row of a scan; valid until the closure it is lent to returns.
public struct RowEntry: ~Escapable {
    /// The key it has in `rows`, or would have.
    let encodedKey: RawSpan
    /// The row.
    public let row: Row

    @_lifetime(copy encodedKey, copy row)
    init(encodedKey: RawSpan, row: consuming Row) {
        self.encodedKey = encodedKey
        self.row = row
    }

    /// The type and key within the resource.
    ///
    /// - Throws: ``StoreError/damaged(table:reason:)`` for a key that cannot be decoded.
    /// - Complexity: decodes both, one allocation each when they are longer than 15 bytes.
    public func key() throws(StoreError) -> (type: String, key: String) {
        do throws(FormatError) {
            guard let found = try RowKeyCoding.decode(encodedKey).row else {
                // Ranges leave owner rows out, but a scan without verification may have mistaken such a key for a
                // row's.
                throw .truncated(offset: encodedKey.byteCount)
            }
            return found
        } catch {
            throw .damaged(table: TableName.rows.rawValue, reason: error)
        }
    }
}
