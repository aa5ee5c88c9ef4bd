public import LarderFormat
public import LarderStore

/// A row as an object: where it lies, and its payload.
public struct QueryObject: Hashable, Sendable {
    /// Where the row lies.
    public let key: RowKey
    /// When the server last changed it, in milliseconds since 1970-01-01 UTC.
    public let updatedAt: Int64
    /// The payload.
    public let payload: [UInt8]

    init(key: RowKey, updatedAt: Int64, payload: [UInt8]) {
        self.key = key
        self.updatedAt = updatedAt
        self.payload = payload
    }

    /// Reads the columns that ``StoreQuery`` asks objects by.
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
    /// The payload as a value.
    ///
    /// - Throws: what the coder throws.
    public func value<Value: Decodable>(_ type: Value.Type, using coder: some PayloadCoder) throws -> Value {
        try coder.decode(type, from: payload.rawSpan)
    }
}
