public import LarderFormat
public import LarderStore

/// A row as an object: its key and its payload.
public struct QueryObject: Hashable, Sendable {
    /// The key of the row.
    public let key: RowKey
    /// The time of the server's last change, in milliseconds since 1970-01-01 UTC.
    public let updatedAt: Int64
    /// The payload.
    public let payload: [UInt8]

    init(key: RowKey, updatedAt: Int64, payload: [UInt8]) {
        self.key = key
        self.updatedAt = updatedAt
        self.payload = payload
    }

    /// Reads the columns by which ``StoreQuery`` requests objects.
    init(_ row: QueryRow, type: String) {
        let resource = ResourceKey(row[0].text ?? "", row[1].integer ?? 0)
        key = RowKey(resource: resource, type: type, key: row[2].text ?? "")
        updatedAt = row[3].integer ?? 0
        payload =
            switch row[4] {
            case .text(let text): Array(text.utf8)
            case .blob(let bytes): bytes
            case .null, .integer, .real: []
            }
    }
}

extension QueryObject {
    /// Returns the payload as a value.
    ///
    /// - Throws: the error of the coder.
    public func value<Value: Decodable>(_ type: Value.Type, using coder: some PayloadCoder) throws -> Value {
        try coder.decode(type, from: payload.rawSpan)
    }
}
