// Proves that columns have the values that SQLite's json_extract finds.

import LarderFormat
import LarderQuery
import LarderTesting
import Testing

/// Columns against `json_extract` of SQLite itself.
@Suite struct `A column` {
    private struct JSONGenerator {
        var random: SeededGenerator

        mutating func json(_ depth: Int) -> String {
            switch Int.random(in: 0..<(depth > 0 ? 12 : 8), using: &random) {
            case 0: return pick(["null", "true", "false"])
            case 1, 2: return pick(SampleRows.numbers)
            case 3: return "\(Int64.random(in: .min ... .max, using: &random))"
            case 4: return "\(Double(bitPattern: random.next() & 0x7FEF_FFFF_FFFF_FFFF))"
            case 5: return number()
            case 6, 7: return string()
            case 8, 9:
                let members = (0..<Int.random(in: 0..<4, using: &random)).map { _ in
                    "\(space())\(pick(["\"a\"", "\"b\"", "\"c d\"", "\"\""]))\(space()):\(json(depth - 1))"
                }
                return "{" + members.joined(separator: ",") + space() + "}"
            default:
                let elements = (0..<Int.random(in: 0..<4, using: &random)).map { _ in space() + json(depth - 1) }
                return "[" + elements.joined(separator: ",") + space() + "]"
            }
        }

        private mutating func number() -> String {
            let sign = pick(["", "-"])
            let digits = (0..<Int.random(in: 1..<22, using: &random)).map { _ in
                String(Int.random(in: 0...9, using: &random))
            }
            let whole = digits[0] == "0" ? "0" : digits.joined()
            let fraction = Bool.random(using: &random) ? "." + digits.joined() : ""
            let exponent =
                Bool.random(using: &random)
                ? pick(["e", "E"]) + pick(["", "+", "-"]) + "\(Int.random(in: 0..<30, using: &random))" : ""
            return sign + whole + fraction + exponent
        }

        private mutating func string() -> String {
            let parts = [
                "a", "é", "\\n", "\\\"", "\\\\", "\\/", "\\u00e9", "\\ud83d\\ude00", "😀", " ", "{", "]", ":", "\\u0001",
            ]
            return "\"" + (0..<Int.random(in: 0..<6, using: &random)).map { _ in pick(parts) }.joined() + "\""
        }

        private mutating func space() -> String { pick(["", "", " ", "\n\t"]) }

        private mutating func pick(_ elements: [String]) -> String {
            elements[Int.random(in: elements.indices, using: &random)]
        }
    }

    @Test func `has the value that json_extract finds`() throws {
        let seed: UInt64 = 4
        var maker = JSONGenerator(random: SeededGenerator(seed: seed))
        let documents = (0..<1500).map { ("\($0)", maker.json(4)) }
        let fixture = try QueryStore()
        try fixture.put(documents.map { (key: $0.0, payload: $0.1) })
        let paths = ["$", "$.a", "$.b.a", "$[1]", "$.a[0].b", "$.\"c d\"", "$[0][0]"]
        let table = try TableDefinition(
            "items", of: .resource(items), type: "item",
            columns: paths.enumerated().map { try ColumnDefinition("c\($0.offset)", path: $0.element) })
        let query = try StoreQuery(fixture.store, tables: [table])
        let plain = PlainSQLite()
        let found = try query.rows("SELECT key, c0, c1, c2, c3, c4, c5, c6 FROM items")
        #expect(found.rows.count == documents.count)
        for row in found.rows {
            let index = try #require(row[0].text.flatMap { Int($0) })
            let document = documents[index].1
            for (column, path) in paths.enumerated() {
                let expected = try plain.rows("SELECT json_extract(?, ?)", [.text(document), .text(path)])[0][0]
                let value = row[column + 1]
                #expect(Self.isSame(value, expected), "seed \(seed): \(path) of \(document): \(value), not \(expected)")
            }
        }
    }

    @Test func `reads escapes in names, and texts to their end, where SQLite does not`() throws {
        let fixture = try QueryStore()
        try fixture.put([("1", #"{"n\u0061me": "a\u0000b"}"#), ("2", #"{"name": "a"}"#)])
        let query = try StoreQuery(fixture.store, tables: [itemTable()])
        #expect(try query.column("SELECT name FROM items WHERE name = ?", ["a\u{0}b"]) == ["a\u{0}b"])
        #expect(try query.column("SELECT key FROM items WHERE name = 'a'") == ["2"])
        // `LIKE` and `GLOB` of SQLite end at U+0000, and so does a comparison without regard to case.
        #expect(try query.column("SELECT key FROM items WHERE name GLOB 'a'") == ["1", "2"])
    }

    /// SQLite's own reading of decimals is off in the last digits.
    private static func isSame(_ value: SQLValue, _ expected: SQLValue) -> Bool {
        if case .real(let value) = value, case .real(let expected) = expected {
            return value == expected || abs(value - expected) <= 1e-15 * max(abs(value), abs(expected)) * 4
        }
        return value == expected
    }
}
