// SampleRows: rows with values that are hard to compare, many of them equal.

import LarderQuery
import LarderTesting

/// Rows with everything that is hard to compare, many of them alike.
enum SampleRows {
    static let numbers = [
        "0", "1", "1.0", "-1", "2", "2.5", "10", "9", "30", "-0.0", "1e2", "100", "0.1", "0.30000000000000004",
        "9007199254740992", "9007199254740993", "9007199254740992.0", "9223372036854775807", "9223372036854775808",
        "-9223372036854775808", "1e300", "1.5e-7", "true", "false",
    ]
    static let texts = [
        "", "a", "A", "ab", "AB", "aB", "abc", "b", "B", "é", "É", "z", "Z", "1", "1.0", " 1", "1 ", "01", "-1", "10",
        "11.0", "011", " 5", "5 ", "0.5e1",
        "9", "1e2", "9007199254740993", "a%", "a_b", "x-1", "Inf", "null", "\\ud83d\\ude00",
        String(repeating: "long ", count: 60), String(repeating: "long ", count: 60) + "a",
        String(repeating: "LONG ", count: 60) + "B",
    ]
    static let others = ["null", "[1, 2]", "{\"a\" : 1}", "\"\""]

    /// The key and payload of row number `index`.
    static func row(_ index: Int, _ random: inout SeededGenerator) -> (key: String, payload: String) {
        func pick(_ elements: [String]) -> String { elements[Int.random(in: elements.indices, using: &random)] }
        func text() -> String { "\"" + pick(texts) + "\"" }
        func any() -> String {
            switch Int.random(in: 0..<5, using: &random) {
            case 0, 1: pick(numbers)
            case 2, 3: text()
            default: pick(others)
            }
        }
        let key =
            switch index % 6 {
            case 0: "0x\(index)"
            case 1: "a\(index)"
            case 2: "A\(index)"
            case 3: "-\(index)"
            // Beyond 2^53, where not every integer is a real.
            case 4 where index % 12 == 4: "\(9_007_199_254_740_992 + Int64(index / 12))"
            default: "\(index)"
            }
        var members = ["\"price\": \(Int.random(in: 0..<6, using: &random) == 0 ? any() : pick(numbers))"]
        members.append("\"name\": \(Int.random(in: 0..<8, using: &random) == 0 ? any() : text())")
        if Bool.random(using: &random) { members.append("\"v\": \(any())") }
        if Bool.random(using: &random) { members.append("\"address\": {\"city\": \(any())}") }
        // A reference to a key, as number or text.
        let number = Int.random(in: 0..<40, using: &random)
        members.append("\"count\": \(Int.random(in: 0..<6, using: &random) == 0 ? "null" : pick(numbers))")
        members.append("\"label\": \(Int.random(in: 0..<6, using: &random) == 0 ? "null" : text())")
        members.append("\"ref\": " + (Bool.random(using: &random) ? "\(number)" : "\"\(number)\""))
        return (key, "{" + members.shuffled(using: &random).joined(separator: ", ") + "}")
    }

    /// SQL literals of every kind.
    static let literals =
        [
            "NULL", "0", "1", "1.0", "-1", "'1'", "'1.0'", "' 1'", "'01'", "2.5", "10", "'10'", "'-1'", "100", "1e2",
            "'1e2'", "0.1", "'0.1'", "'0.3'", "9007199254740992", "9007199254740993", "9007199254740992.0",
            "'9007199254740993'", "9223372036854775807", "9223372036854775808.0", "-9223372036854775808", "1e300",
            "x'61'", "x''", "''", "'long'", "9e999", "-9e999", "'Inf'",
        ] + ["a", "A", "ab", "aB", "b", "é", "z", "Z", "x-1", "long ", "LONG"].map { "'\($0)'" }

    /// Literals that the values of a column are likely to equal.
    static func likely(_ column: String) -> [String] {
        switch column {
        case "price": ["0", "1", "1.0", "-1", "2", "2.5", "10", "30", "0.1", "100", "9007199254740993", "'1'", "1e300"]
        case "count": ["1", "'1'", "'2.5'", "'10'", "'9'", "' 30'", "'abc'", "'9007199254740993'", "10", "2.5"]
        case "label": ["1", "10", "9", "1.0", "2.5", "9007199254740993", "-1", "'a'", "'10'", "'01'", "'ab'", "'B'"]
        case "name", "title": ["'a'", "'A'", "'ab'", "'AB'", "'b'", "'é'", "'Z'", "'1'", "''", "'x-1'", "'long'", "1"]
        case "key":
            [
                "'0x6'", "'a7'", "'05'", "'11.0'", "' 5 '", "'A8'", "'-9'", "10", "'10'", "4", "5.0", "'5'", "-9",
                "'a'", "'A'", "'1'", "'0x'",
                "''",
                "9007199254740993", "9007199254740995", "'9007199254740993'", "'9007199254740997'",
                "9007199254740996.0",
            ]
        case "ref": ["5", "'5'", "12", "'12'", "39"]
        case "updated_at": ["3", "3.0", "'3'", "10", "-1"]
        default: literals
        }
    }

    /// The value of a literal that can be a parameter; nil for the others.
    static func argument(_ literal: String) -> SQLValue? {
        if literal.hasPrefix("'") { return .text(String(literal.dropFirst().dropLast())) }
        if let integer = Int64(literal) { return .integer(integer) }
        if literal == "NULL" { return .null }
        return Double(literal).map { .real($0) }
    }
}
