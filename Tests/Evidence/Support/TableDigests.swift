// TableDigests: the content of a store as one number for each table.

import LarderFormat
import LarderStore

/// The content of a store: the hash of the raw records of each table.
struct TableDigests: Hashable {
    static let count = TableName.allCases.count
    let values: [UInt64]

    init(_ view: borrowing ReadView) throws {
        var values: [UInt64] = []
        for table in TableName.allCases {
            var hash: UInt64 = 0
            var last: [UInt8]?
            while true {
                let page = try view.rawRecords(of: table, after: last)
                guard let end = page.last else { break }
                for record in page {
                    hash = record.key.rawSpan.xxh64(seed: hash &+ 1)
                    hash = record.value.rawSpan.xxh64(seed: hash)
                }
                last = end.key
            }
            values.append(hash)
        }
        self.values = values
    }

    subscript(table: TableName) -> UInt64 { values[TableName.allCases.firstIndex(of: table) ?? 0] }

    /// One number for all tables.
    var whole: UInt64 { values.reduce(17) { ($0 ^ $1) &* 0x100_0000_01B3 } }

    /// The digest of a table by its name, or of everything for `all`.
    func value(named name: Substring) -> UInt64? {
        name == "all" ? whole : TableName(rawValue: String(name)).map { self[$0] }
    }

    /// The names of the tables in which another content differs.
    func differences(from other: TableDigests) -> String {
        zip(TableName.allCases, zip(values, other.values)).filter { $1.0 != $1.1 }.map(\.0.rawValue)
            .joined(separator: ",")
    }
}
