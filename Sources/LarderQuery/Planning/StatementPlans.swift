internal import LarderFormat
internal import LarderStore

/// The data of a compiled statement beside SQLite's own program: the plans of its tables.
final class StatementPlans {
    let memberships: MembershipQueries
    /// The plans that SQLite was offered; the number of one is its position.
    var plans: [TablePlan] = []

    init(_ sql: String) {
        memberships = MembershipQueries(sql)
    }
}

/// The basis of plans: where it is the same in a later read view, they are valid there too.
struct PlanBasis: Equatable {
    let indexes: [SecondaryIndex]
    /// The resources with rows to show, of the tables that have plans.
    let resources: [TableDefinition.Scope: [ResourceKey]]
}
