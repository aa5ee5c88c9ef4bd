internal import LarderFormat
internal import LarderStore

/// The data of a compiled statement beside SQLite's own program: the plans of its tables.
final class StatementPlans {
    let memberships: MembershipQueries
    let comparisons: DirectComparisons
    /// Whether SQLite may read keys that it does not request: to know rows again after a `RIGHT` or `FULL` join, or an `OR`.
    let readsKeys: Bool
    /// The name of the table, in capitals, of which the statement only counts all rows.
    let countedTable: String?
    /// The plans that SQLite was offered; the number of one is its position.
    var plans: [TablePlan] = []

    init(_ sql: String) {
        let tokens = SQLToken.tokens(of: sql)
        memberships = MembershipQueries(tokens)
        comparisons = DirectComparisons(tokens)
        readsKeys = tokens.contains { [.word("RIGHT"), .word("FULL"), .word("OR")].contains($0) }
        let count: [SQLToken] = [
            .word("SELECT"), .word("COUNT"), .character("("), .character("*"), .character(")"), .word("FROM"),
        ]
        countedTable = tokens.count == count.count + 1 && tokens.starts(with: count) ? tokens.last?.name : nil
    }
}

/// The basis of plans: where it is the same in a later read view, they are valid there too.
struct PlanBasis {
    /// The commit of the last read view in which they were valid.
    var commit: UInt64
    let indexes: [SecondaryIndex]
    /// The resources with rows to show, of the tables that have plans.
    let resources: [TableDefinition.Scope: [ResourceKey]]
    /// The magnitude of their rows: a plan for few rows may be a bad one for many.
    let magnitudes: [TableDefinition.Scope: Int]
}
