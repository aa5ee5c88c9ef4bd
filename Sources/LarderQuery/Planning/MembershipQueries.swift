/// The expressions `IN (SELECT …)` of a statement, which an index over a declared column cannot serve.
///
/// For such a constraint SQLite passes one value of the subquery after the other. It checks the rows that are found for
/// equality with that value, without the affinity of the subquery's column: of `'7'` and 7, which the whole expression
/// both finds for a `key` 7, it keeps one (SQLite 3.40, `sqlite3WhereCodeOneLoopStart`). A list has no affinity.
struct MembershipQueries {
    /// Whether a subquery or a table follows an `IN`.
    private(set) var hasQuery = false
    /// Whether that may follow a row value, `(a, b) IN (SELECT …)`: SQLite does not mark these constraints.
    private(set) var hasRowQuery = false
    /// The names before `IN`, in capitals; nil where something else is there, or a name may mean something else.
    private var operands: Set<String>? = []

    init(_ tokens: [SQLToken]) {
        let tokens = Self.words(tokens)
        // One is the statement's, one that of each of these subqueries: any other may rename the columns.
        var others = tokens.count { $0 == "SELECT" } - 1
        for (index, token) in tokens.enumerated() where token == "IN" {
            let behind = tokens[(index + 1)...].prefix(2)
            // A table's name or a subquery follows; anything else in parentheses is a list.
            if behind.first == "(", ["SELECT", "VALUES", "WITH"].allSatisfy({ $0 != behind.last }) { continue }
            hasQuery = true
            let before = tokens[..<index].filter { $0 != "NOT" }.suffix(2)
            if before.last == ")" { hasRowQuery = true }
            if behind.last == "SELECT" { others -= 1 }
            if let name = before.last, before.first != "COLLATE" { operands?.insert(name) } else { operands = nil }
        }
        if others > 0 || tokens.contains("WITH") { operands = nil }
    }

    /// Whether a constraint on a column of this name may come from such an expression.
    ///
    /// - Parameter columns: the names of all columns of its table. Any other name before `IN` may mean this one.
    func mayCause(_ constraint: PlanRequest.Constraint, on column: String, of columns: [String]) -> Bool {
        guard constraint.comparison == .equal else { return false }
        guard constraint.isMembership else { return hasRowQuery && constraint.value == nil }
        guard hasQuery, let operands, operands.isSubset(of: columns.map { $0.uppercased() }) else { return hasQuery }
        return operands.contains(column.uppercased())
    }

    /// Returns words in capitals, parentheses, and a dot for everything else.
    private static func words(_ tokens: [SQLToken]) -> [String] {
        tokens.map { token in
            switch token {
            case .word(let word): word
            case .character("("): "("
            case .character(")"): ")"
            case .quotedName, .text, .parameter, .symbol: "."
            }
        }
    }
}
