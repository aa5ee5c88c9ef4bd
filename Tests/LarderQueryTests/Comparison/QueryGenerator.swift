// QueryGenerator: makes random queries, with how their results are to be compared.

import LarderQuery
import LarderTesting

/// A query, and how its results are to be compared.
struct RandomQuery {
    enum Order {
        /// The rows may come in any order.
        case free
        /// The rows may come in any order among those whose first values are equal.
        case byFirst
        /// Only the first values count: which of equal rows are within the limit is open.
        case firstOnly
        /// The rows come in exactly this order.
        case exact
    }

    var sql: String
    var arguments: [SQLValue] = []
    var order = Order.free
    /// Whether the first values are ordered without regard to case.
    var isFolded = false
    /// Whether it joins tables by their keys.
    var joinsKeys = false
}

/// Makes queries on the tables `items` and `others` at random.
struct QueryGenerator {
    private var random: SeededGenerator
    private var arguments: [SQLValue] = []

    init(seed: UInt64) {
        random = SeededGenerator(seed: seed)
    }

    mutating func next() -> RandomQuery {
        arguments = []
        var made =
            switch Int.random(in: 0..<10, using: &random) {
            case 0: aggregate()
            case 1, 2: join()
            case 3: limited()
            case 4: limitedByFirst()
            case 5, 6: ordered()
            default: RandomQuery(sql: "SELECT \(all()) FROM items WHERE \(condition(2))")
            }
        made.arguments = arguments
        return made
    }

    /// Keys are texts in the store and may be numbers in SQLite; as texts they are the same.
    private func all() -> String { "\(Self.shown("key")), price, name, v, city, updated_at" }

    private static func shown(_ column: String) -> String { column == "key" ? "(key || '')" : column }

    private mutating func ordered() -> RandomQuery {
        let order = Self.shown(pick(Self.columns))
        let direction = pick(["", " DESC", " ASC"])
        return RandomQuery(
            sql:
                "SELECT \(order), \(all()) FROM items WHERE \(condition(1, hasCasts: false)) ORDER BY \(order)\(direction)",
            order: .byFirst, isFolded: order == "title")
    }

    private mutating func limited() -> RandomQuery {
        let order = Self.shown(pick(Self.columns))
        let direction = pick(["", " DESC", " DESC NULLS LAST", " NULLS LAST"])
        return RandomQuery(
            sql: """
                SELECT \(all()) FROM items WHERE \(condition(1, hasCasts: false)) ORDER BY \(order)\(direction), \(Self.shown("key")) \(limit())
                """, order: .exact)
    }

    private mutating func limitedByFirst() -> RandomQuery {
        let order = Self.shown(pick(Self.columns))
        let direction = pick(["", " DESC"])
        let filter = Bool.random(using: &random) ? " WHERE \(comparison(hasCasts: false))" : ""
        return RandomQuery(
            sql: "SELECT \(order) FROM items\(filter) ORDER BY \(order)\(direction) \(limit())", order: .firstOnly,
            isFolded: order == "title")
    }

    private mutating func limit() -> String {
        let offset = Bool.random(using: &random) ? " OFFSET \(Int.random(in: 0..<20, using: &random))" : ""
        return "LIMIT \(Int.random(in: 0..<30, using: &random))\(offset)"
    }

    private mutating func aggregate() -> RandomQuery {
        let column = Self.shown(pick(Self.columns))
        return switch Int.random(in: 0..<5, using: &random) {
        case 4: RandomQuery(sql: "SELECT count(*) FROM items" + pick(["", " a JOIN others o ON o.key = 5"]))
        case 0: RandomQuery(sql: "SELECT count(*), count(\(column)) FROM items WHERE \(condition(2))")
        case 1:
            RandomQuery(
                sql: "SELECT \(pick(["min", "max"]))(\(column)) FROM items WHERE \(comparison(hasCasts: false))",
                order: .firstOnly,
                isFolded: column == "title")
        case 2: RandomQuery(sql: "SELECT count(*) FROM items WHERE \(comparison()) GROUP BY \(column)")
        default:
            RandomQuery(
                sql: "SELECT DISTINCT typeof(\(column)), \(column) IS NULL FROM items WHERE \(comparison())")
        }
    }

    private mutating func join() -> RandomQuery {
        let kind = pick(["JOIN", "LEFT JOIN", "CROSS JOIN"])
        var sides = [pick(["price", "v", "name", "key", "ref"]), pick(["price", "v", "name", "key", "ref"])]
        // At least half of them by a key: with integers, with texts that spell some, with whatever else a column has.
        if Bool.random(using: &random) { sides[Int.random(in: 0...1, using: &random)] = "key" }
        let comparison = pick(["=", "=", "=", "=", "IS", "<"])
        let extra = Bool.random(using: &random) ? " AND a.\(self.comparison())" : ""
        return RandomQuery(
            sql: """
                SELECT a.key || '', a.v, o.key || '', o.v FROM items a \(kind) others o ON a.\(sides[0]) \(comparison) o.\(sides[1]) \
                WHERE a.price < 40\(extra)
                """, joinsKeys: sides.contains("key"))
    }

    /// A condition of some comparisons.
    ///
    /// - Parameter hasCasts: false where the order of equal values counts. SQLite takes a column that equals a constant
    ///   for constant, also where affinity makes `'1'` and `1.0` equal, and leaves such rows unsorted.
    private mutating func condition(_ depth: Int, hasCasts: Bool = true) -> String {
        if depth == 0 { return comparison(hasCasts: hasCasts) }
        switch Int.random(in: 0..<8, using: &random) {
        case 0:
            let first = condition(depth - 1, hasCasts: hasCasts)
            return "(\(first) OR \(condition(depth - 1, hasCasts: hasCasts)))"
        case 1: return "NOT (\(condition(depth - 1, hasCasts: hasCasts)))"
        case 2...4:
            let first = comparison(hasCasts: hasCasts)
            return "(\(first) AND \(condition(depth - 1, hasCasts: hasCasts)))"
        default: return comparison(hasCasts: hasCasts)
        }
    }

    /// A comparison that begins with a column.
    private mutating func comparison(hasCasts: Bool = true) -> String {
        let column = pick(Int.random(in: 0..<5, using: &random) == 0 ? Self.converting : Self.columns)
        switch Int.random(in: hasCasts ? 0..<14 : 1..<14, using: &random) {
        case 0:
            let comparison = pick(["=", "<", ">="])
            let type = pick(["INTEGER", "REAL", "NUMERIC", "TEXT"])
            return "\(column) \(comparison) CAST(\(value(column)) AS \(type))"
        case 1: return "\(column) IS NOT NULL"
        case 2: return "\(column) IN (\(value(column)), \(value(column)), \(value(column)))"
        case 3: return "\(column) BETWEEN \(bound(column)) AND \(bound(column))"
        // SQLite's own table stores 1.0 in a column of numbers as 1, which another pattern matches.
        case 4 where column == "count", 5 where column == "count":
            return "\(column) IN (\(value(column)), \(value("label")))"
        case 4: return "\(column) \(pick(["LIKE", "NOT LIKE"])) \(pattern("%"))"
        case 5: return "\(column) GLOB \(pattern("*"))"
        case 6: return "\(column) = \(value(column)) COLLATE \(pick(["NOCASE", "BINARY", "RTRIM"]))"
        case 7: return "\(column) IS NULL"
        case 8: return "\(column) \(pick(["IS", "IS NOT"])) \(value(column))"
        case 9: return "\(column) > \(bound(column)) COLLATE \(pick(["NOCASE", "BINARY"]))"
        case 10, 11: return "\(column) \(pick(["<", "<=", ">", ">="])) \(bound(column))"
        default: return "\(column) \(pick(["=", "=", "=", "<>"])) \(value(column))"
        }
    }

    /// A value to be equal to, as a literal or a parameter; mostly one that the column has.
    private mutating func value(_ column: String) -> String {
        spell(pick(literals(column)))
    }

    /// A value to be above or below, as a literal or a parameter.
    private mutating func bound(_ column: String) -> String { spell(pick(literals(column))) }

    private mutating func literals(_ column: String) -> [String] {
        Int.random(in: 0..<5, using: &random) == 0 ? SampleRows.literals : SampleRows.likely(column)
    }

    private mutating func spell(_ literal: String) -> String {
        if Bool.random(using: &random), let argument = SampleRows.argument(literal) {
            arguments.append(argument)
            return "?"
        }
        return literal
    }

    private mutating func pattern(_ wildcard: String) -> String {
        let start = pick(["", "a", "A", "ab", "b", "1", "-", "0", "é", "Z", "a_", "[ab]", "x-1"])
        let pattern = start + pick([wildcard, "", wildcard + "b", "_" + wildcard])
        if Bool.random(using: &random) {
            arguments.append(.text(pattern))
            return "?"
        }
        return "'\(pattern)'"
    }

    private mutating func pick<Element>(_ elements: [Element]) -> Element {
        elements[Int.random(in: elements.indices, using: &random)]
    }

    private static let columns = ["price", "price", "name", "title", "v", "v", "key", "ref", "city", "updated_at"]
    /// Columns with an affinity: SQLite's own table converts their values when it stores them, so they are not shown.
    private static let converting = ["count", "label"]
}
