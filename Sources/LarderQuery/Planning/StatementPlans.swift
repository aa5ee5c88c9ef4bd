internal import LarderFormat
internal import LarderStore

/// What a compiled statement keeps beside SQLite's own program: how its tables are read.
final class StatementPlans {
    let memberships: MembershipQueries
    /// The plans that SQLite was offered; the number of one is its position.
    var plans: [TablePlan] = []

    init(_ sql: String) {
        memberships = MembershipQueries(sql)
    }
}

/// What plans rest on: where it is the same in a later snapshot, they hold there too.
struct PlanBasis: Equatable {
    let indexes: [SecondaryIndex]
    /// The resources with rows to show, of the tables that were planned for.
    let resources: [TableDefinition.Scope: [ResourceKey]]
}
