/// A condition on rows, built of values: nothing in it is ever read as SQL.
///
/// ```swift
/// let cheap = try query.objects(
///     of: "products", where: .less("price", 50) && .hasPrefix("name", "a"), order: [.ascending("price")])
/// for product in cheap { print(product.key.key, product.payload.count) }
/// ```
///
/// It has the meaning of its SQL: comparisons with null are unknown, and what is unknown is left out, also by `!`.
public struct QueryPredicate: Sendable {
    indirect enum Term: Sendable {
        case always
        case compare(String, Operator, SQLValue)
        case among(String, [SQLValue])
        case isNull(String)
        case hasPrefix(String, String)
        case and([Term])
        case or([Term])
        case not(Term)
    }

    enum Operator: String, Sendable {
        case equal = "="
        case notEqual = "<>"
        case less = "<"
        case lessOrEqual = "<="
        case greater = ">"
        case greaterOrEqual = ">="
    }

    let term: Term

    /// Every row.
    public static let all = QueryPredicate(term: .always)

    /// Selects rows whose value is `value`.
    public static func equal(_ column: String, _ value: SQLValue) -> QueryPredicate { compare(column, .equal, value) }

    /// Selects rows that have a value other than `value`.
    public static func notEqual(_ column: String, _ value: SQLValue) -> QueryPredicate {
        compare(column, .notEqual, value)
    }

    /// Selects rows whose value sorts before `value`.
    public static func less(_ column: String, _ value: SQLValue) -> QueryPredicate { compare(column, .less, value) }

    /// Selects rows whose value sorts before `value`, or is it.
    public static func lessOrEqual(_ column: String, _ value: SQLValue) -> QueryPredicate {
        compare(column, .lessOrEqual, value)
    }

    /// Selects rows whose value sorts after `value`.
    public static func greater(_ column: String, _ value: SQLValue) -> QueryPredicate {
        compare(column, .greater, value)
    }

    /// Selects rows whose value sorts after `value`, or is it.
    public static func greaterOrEqual(_ column: String, _ value: SQLValue) -> QueryPredicate {
        compare(column, .greaterOrEqual, value)
    }

    /// Selects rows whose value is one of `values`.
    public static func among(_ column: String, _ values: [SQLValue]) -> QueryPredicate {
        QueryPredicate(term: .among(column, values))
    }

    /// Selects rows without a value.
    public static func isNull(_ column: String) -> QueryPredicate { QueryPredicate(term: .isNull(column)) }

    /// Selects rows whose value, as a text, begins with exactly these characters, case included.
    public static func hasPrefix(_ column: String, _ prefix: String) -> QueryPredicate {
        QueryPredicate(term: .hasPrefix(column, prefix))
    }

    /// Selects the rows of both.
    public static func && (left: QueryPredicate, right: QueryPredicate) -> QueryPredicate {
        QueryPredicate(term: .and([left.term, right.term]))
    }

    /// Selects the rows of either.
    public static func || (left: QueryPredicate, right: QueryPredicate) -> QueryPredicate {
        QueryPredicate(term: .or([left.term, right.term]))
    }

    /// Selects rows for which the condition is known and does not hold.
    public static prefix func ! (predicate: QueryPredicate) -> QueryPredicate {
        QueryPredicate(term: .not(predicate.term))
    }

    private static func compare(_ column: String, _ comparison: Operator, _ value: SQLValue) -> QueryPredicate {
        QueryPredicate(term: .compare(column, comparison, value))
    }
}

extension QueryPredicate {
    /// Returns the condition as SQL with parameters, and their values in order.
    func sql(of table: String) -> (text: String, arguments: [SQLValue]) {
        var text = QueryPredicateText(table: table)
        text.append(term)
        return (text.sql, text.arguments)
    }
}

/// A predicate being written as SQL.
private struct QueryPredicateText {
    let table: String
    private(set) var sql = ""
    private(set) var arguments: [SQLValue] = []

    init(table: String) {
        self.table = table.quotedName
    }

    mutating func append(_ term: QueryPredicate.Term) {
        switch term {
        case .always: sql += "1"
        case .compare(let column, let comparison, let value):
            append(column, "\(comparison.rawValue) ?", [value])
        case .among(let column, let values):
            append(column, "IN (" + values.map { _ in "?" }.joined(separator: ", ") + ")", values)
        case .isNull(let column): append(column, "IS NULL", [])
        case .hasPrefix(let column, let prefix): append(column, "GLOB ?", [.text(Self.globPattern(prefix))])
        case .and(let terms): append(terms, "AND")
        case .or(let terms): append(terms, "OR")
        case .not(let term):
            sql += "NOT ("
            append(term)
            sql += ")"
        }
    }

    private mutating func append(_ column: String, _ condition: String, _ values: [SQLValue]) {
        sql += "\(table).\(column.quotedName) \(condition)"
        arguments += values
    }

    private mutating func append(_ terms: [QueryPredicate.Term], _ word: String) {
        for (index, term) in terms.enumerated() {
            sql += index == 0 ? "(" : " \(word) "
            append(term)
        }
        sql += ")"
    }

    /// Returns a pattern for texts that begin with `prefix`: its own wildcards in brackets.
    private static func globPattern(_ prefix: String) -> String {
        var pattern = ""
        for scalar in prefix.unicodeScalars {
            if scalar == "*" || scalar == "?" || scalar == "[" {
                pattern += "[\(scalar)]"
            } else {
                pattern.unicodeScalars.append(scalar)
            }
        }
        return pattern + "*"
    }
}
