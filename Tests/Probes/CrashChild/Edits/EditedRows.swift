// EditedRows: the rows that a client edits; each holds a number that only increases.

import LarderFormat
import LarderStore

/// The rows that a client edits while its server is wrong in many ways: each holds a number that only goes up.
enum EditedRows {
    static let resources: [Int64] = [1, 2]
    static let filters = ["translations:*", "translations:1"]

    static let all: [RowKey] = resources.flatMap { resource in
        (1...8).map { RowKey(resource: ResourceKey("translations", resource), type: "translation", key: "\($0)") }
    }

    /// The row with a number.
    static func body(_ key: String, _ number: Int) -> String { "{\"id\":\(key),\"text\":\"\(number)\"}" }

    /// The number of a row.
    static func number(in body: some StringProtocol) -> Int? {
        guard let start = body.firstRange(of: "\"text\":\"") else { return nil }
        return Int(body[start.upperBound...].prefix { $0.isNumber })
    }

    /// The numbers of the rows that are shown.
    static func shown(in store: Store) throws -> [RowKey: Int] {
        try store.read { view in
            var numbers: [RowKey: Int] = [:]
            for key in all {
                guard let row = try view.row(at: key) else { continue }
                numbers[key] = number(in: String(decoding: Array(copying: row.payload), as: UTF8.self))
            }
            return numbers
        }
    }
}
