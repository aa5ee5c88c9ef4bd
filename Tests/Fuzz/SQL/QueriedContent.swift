import Foundation
import LarderEngine
import LarderFormat
import LarderJSON
import LarderQuery
import LarderStore

/// A store with rows that are hard to compare, indexes over them, and a table that reads them.
struct QueriedContent {
    static let texts = [
        "", "a", "A", "ab", "aB", "abc", "b", "é", "1", "1.0", " 1", "1 ", "01", "-1", "10", "1e2", "0.5e1", "Inf",
        "a%",
        "a_b", "a*", "[a", "9007199254740993", "9223372036854775808", "\u{10FFFF}", "z",
    ]
    private static let values =
        texts.map { "\"\($0)\"" } + [
            "0", "1", "1.0", "-1", "2.5", "10", "-0.0", "100", "0.1", "9007199254740992", "9007199254740993",
            "9007199254740992.0", "9223372036854775807", "9223372036854775808", "-9223372036854775808", "1e300", "true",
            "null", "[1]", "{}",
        ]
    private static let resource = ResourceKey("items", 1)

    private let store: Store
    private let query: StoreQuery

    init() {
        do {
            store = try Store.open(at: StoreDirectory().clear("queried"), host: .fuzz)
            let table = try TableDefinition(
                "items", of: .resource(Self.resource), type: "item",
                columns: [
                    ColumnDefinition("n"), ColumnDefinition("t", path: "$.n", collation: .nocase),
                    ColumnDefinition("x", affinity: .numeric),
                ])
            query = try StoreQuery(store, tables: [table])
            try fill()
            try declare([table.index(on: "n"), table.index(on: "t")])
        } catch {
            fatalError("no content is made: \(error)")
        }
    }

    private func fill() throws {
        let keys = Self.texts.filter { !$0.isEmpty } + (-3..<20).map { "\($0)" }
        try store.writeBlocking { transaction in
            for (number, key) in keys.enumerated() {
                let value = Self.values[number * 7 % Self.values.count]
                let other = Self.values[number * 11 % Self.values.count]
                try transaction.put(
                    Array("{\"n\":\(value),\"x\":\(other)}".utf8),
                    at: RowKey(resource: Self.resource, type: "item", key: key), updatedAt: Int64(number % 5))
            }
        }
    }

    private func declare(_ indexes: [IndexDefinition]) throws {
        let done = DispatchSemaphore(value: 0)
        Task {
            for index in indexes { try await store.declareIndex(index) }
            done.signal()
        }
        done.wait()
    }

    /// Draws up to four rows, which replace or remove others.
    func change(_ input: inout FuzzedBytes) throws {
        try store.writeBlocking(durability: .relaxed) { transaction in
            for _ in 0...input.number(below: 4) {
                let name = Self.texts[1 + input.number(below: Self.texts.count - 1)]
                let key = RowKey(resource: Self.resource, type: "item", key: name)
                if input.byte() % 8 == 0 {
                    _ = try transaction.removeRow(at: key)
                } else {
                    let count = Self.values.count
                    let (value, other) = (input.number(below: count), input.number(below: count))
                    try transaction.put(
                        Array("{\"n\":\(Self.values[value]),\"x\":\(Self.values[other])}".utf8), at: key,
                        updatedAt: Int64(input.number(below: 4)))
                }
            }
        }
    }

    /// The rows of a query, each with its number.
    func rows(_ sql: String, _ arguments: [SQLValue]) throws -> [[SQLValue]: Int] {
        try query.rows(sql, arguments).rows.reduce(into: [:]) { $0[$1.values, default: 0] += 1 }
    }
}

func isTyped(_ error: any Error) -> Bool { false }
