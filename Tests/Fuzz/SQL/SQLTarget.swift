// Proves for any conditions on any rows: a query of which the module reads ranges of keys and of indexes gives the same
// rows as one that reads every row and leaves the conditions to SQLite.

import Foundation
import LarderFormat
import LarderQuery
import LarderStore

enum FuzzTarget {
    static let seeds: [[UInt8]] =
        (0..<24).map { [0, 1, 0, $0, 2, $0, $0 / 2] }
        + (0..<9).map { [0, 2, 1, $0, 1, 5, 2, $0, 3, 9] } + (0..<24).map { [1, $0, 3, 2, 1, 0, 1, 2, $0, 2, $0, 0] }

    private static let content = QueriedContent()

    static func run(_ input: [UInt8]) {
        var input = FuzzedBytes(input)
        let isChanged = input.byte() % 8 == 1
        do {
            if isChanged { try content.change(&input) }
            let condition = Condition(&input)
            let order = ["", " ORDER BY n", " ORDER BY t DESC", " ORDER BY key"][input.number(below: 4)]
            // SQLite moves no condition into a part with a limit: it reads every row.
            let all = "(SELECT key, n, t, x, updated_at FROM items LIMIT -1 OFFSET 0)"
            let shown = "SELECT (key || '') AS id, n, t, x FROM "
            let other = isSelfTest ? " AND key <> 'ab'" : ""
            let pushed = try content.rows("\(shown)items WHERE \(condition.sql)\(order)", condition.arguments)
            let plain = try content.rows("\(shown)\(all) WHERE (\(condition.sql))\(other)", condition.arguments)
            require(pushed == plain, "\(condition.sql) \(condition.arguments): \(pushed) in place of \(plain)")
        } catch QueryError.evaluation {
            // The same condition fails in either way, or only where a row is read.
        } catch {
            fatalError("\(error)")
        }
    }
}

/// Conditions with their arguments.
struct Condition {
    private(set) var sql = ""
    private(set) var arguments: [SQLValue] = []

    private static let columns = ["key", "n", "t", "x", "updated_at"]
    private static let comparisons = ["=", "<>", "<", "<=", ">", ">=", "IS", "IS NOT", "GLOB", "LIKE"]

    /// Draws one to four conditions.
    init(_ input: inout FuzzedBytes) {
        for number in 0...input.number(below: 4) {
            if number > 0 { sql += input.byte() % 4 == 0 ? " OR " : " AND " }
            let column = Self.columns[input.number(below: Self.columns.count)]
            let kind = input.number(below: 14)
            switch kind {
            case 10:
                let values = (0...input.number(below: 4)).map { _ in SQLValue(&input) }
                append("\(column) IN (\(values.map { _ in "?" }.joined(separator: ", ")))", values)
            case 11: append("\(column) BETWEEN ? AND ?", [SQLValue(&input), SQLValue(&input)])
            case 12: append("\(column) IS NULL", [])
            case 13: append("\(column) = CAST(? AS \(input.byte() % 2 == 0 ? "TEXT" : "NUMERIC"))", [SQLValue(&input)])
            default: append("\(column) \(Self.comparisons[kind]) ?", [SQLValue(&input)])
            }
        }
    }

    private mutating func append(_ text: String, _ values: [SQLValue]) {
        sql += text
        arguments += values
    }
}

extension SQLValue {
    /// Draws a value, mostly one that a row may have.
    init(_ input: inout FuzzedBytes) {
        switch input.number(below: 8) {
        case 0: self = .null
        case 1: self = .integer(Int64(input.byte()) - 8)
        case 2: self = .integer(input.integer())
        case 3: self = .real(Double(input.integer()) / 4)
        case 4: self = .real(Double(bitPattern: UInt64(bitPattern: input.integer())).isNaN ? 0.1 : 1e300)
        case 5: self = .text(QueriedContent.texts[input.number(below: QueriedContent.texts.count)])
        case 6: self = .text(String(Int64(input.byte()) - 8))
        default: self = .text(input.text().filter { $0 != "\0" })
        }
    }
}
