import LarderFormat
import LarderStore

/// A copy of a row, for printing.
struct ListedRow {
    let key: RowKey
    let updatedAt: Int64
    let codec: PayloadCodec
    let payload: [UInt8]

    init(_ key: RowKey, _ row: borrowing Row) {
        self.key = key
        updatedAt = row.updatedAt
        codec = row.codec
        payload = [UInt8](copying: row.payload)
    }
}

extension Redactor {
    /// Returns a row in the form that `get` and `list` print.
    func json(_ row: ListedRow) -> JSON {
        .object([
            JSON.Member(name: "group", value: json(row.key.resource.group)),
            JSON.Member(name: "id", value: json(row.key.resource.id)),
            JSON.Member(name: "type", value: json(row.key.type)),
            JSON.Member(name: "key", value: json(row.key.key)),
            JSON.Member(name: "updatedAt", value: .integer(row.updatedAt)),
            JSON.Member(name: "codec", value: .integer(Int64(row.codec.rawValue))),
            JSON.Member(name: "size", value: .count(row.payload.count)),
            payload(row.payload),
        ])
    }

    /// Returns a row for display, without its payload.
    func columns(_ row: ListedRow) -> [String] {
        [text(row.key.type), text(row.key.key), timeText(row.updatedAt), "\(row.payload.count)"]
    }
}
