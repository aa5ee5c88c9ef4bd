internal import LarderFormat
internal import LarderStore
internal import Logging

/// One statement being run: the store that its tables read, and the facts that they record.
///
/// It exists within one `read` of the store, on one thread. Every read of a table is nested in it and shares its view.
final class QueryRun {
    /// The interval between checks of the limits, in steps.
    static let watchInterval = 1000

    let store: Store
    let options: QueryOptions
    /// The plans of the statement from its compilation.
    private let compiled: StatementPlans
    private(set) var facts = QueryFacts()
    private(set) var interruption: QueryError.Interruption?
    private var begun: [Int] = []
    private var scanned: [String: Int] = [:]
    private let content: CommitContent
    private var steps = 0

    init(_ compiled: StatementPlans, store: Store, options: QueryOptions, content: CommitContent) {
        self.content = content
        self.store = store
        self.options = options
        self.compiled = compiled
    }

    var memberships: MembershipQueries { compiled.memberships }
    var comparisons: DirectComparisons { compiled.comparisons }
    /// Whether SQLite may read keys that it does not request.
    var readsKeys: Bool { compiled.readsKeys }
    var plans: [TablePlan] { compiled.plans }

    /// Stores a plan and returns its number.
    func add(_ plan: TablePlan) -> Int {
        compiled.plans.append(plan)
        return plans.count - 1
    }

    /// Returns the plan that SQLite chose, and records its use.
    func begin(_ number: Int) -> TablePlan {
        let plan = plans[number]
        if !begun.contains(number) {
            begun.append(number)
            facts.uses.append(plan.use)
        }
        return plan
    }

    /// Counts rows that were read under a plan, and logs a warning about a long scan once.
    func countRows(_ count: Int, _ plan: TablePlan) {
        facts.rowsVisited += count
        guard case .scan = plan.access else { return }
        let before = scanned[plan.table.name, default: 0]
        scanned[plan.table.name] = before + count
        if before < options.scanWarning, before + count >= options.scanWarning {
            store.host.logger.warning(
                "a query scans a table: an index would avoid reading most of its rows",
                metadata: ["table": "\(plan.table.name)", "rows": "\(before + count)"])
        }
    }

    /// Records that the statement was not compiled again.
    func setUsedCachedStatement() { facts.usedCachedStatement = true }

    /// Counts entries of an index that were read.
    func countEntries(_ count: Int) { facts.entriesVisited += count }

    /// Returns whether to continue; called every ``watchInterval`` steps, and while entries are counted.
    func mayContinue(after count: Int = watchInterval) -> Bool {
        steps += count
        if Task.isCancelled { interruption = .cancelled }
        if let limit = options.stepLimit, steps > limit { interruption = .stepLimit(limit) }
        return interruption == nil
    }

    /// Returns the resources whose rows a table shows in this read view, in order.
    func resources(of table: TableDefinition) throws -> [ResourceKey] {
        if !table.isPersistent() { throw QueryError.memoryOnly(table: table.name) }
        return try content.resources(of: table.scope, store).keys
    }

    /// Lends the read view to `body`, with the place of a resource's rows in it.
    func read<Result>(
        _ resource: ResourceKey, _ body: (borrowing ReadView, ResourcePlace) throws -> Result
    ) throws -> Result {
        try store.read { view in
            let place = try content.place(of: resource, view)
            view.use(place)
            return try body(view, place)
        }
    }

    /// Returns whether a resource has keys of a type that spell a number and are stored as text.
    func hasSpelledNumbers(_ resource: ResourceKey, type: String) throws -> Bool {
        try content.hasSpelledNumbers(resource, type: type, store)
    }

    /// Returns the number of entries of an index with one value, estimated by its lowest and its highest one.
    func entriesOfOneValue(of index: SecondaryIndex, in resources: [ResourceKey], limit: Int) throws -> Int {
        try content.entriesOfOneValue(of: index, in: resources, limit: limit, store)
    }

    /// Returns the number of rows of the table that the statement only counts, without running it; nil where it does
    /// anything else, or the number is not stored.
    func wholeCount() throws -> Int? {
        guard let name = compiled.countedTable, let number = plans.firstIndex(where: \.isCount),
            plans[number].table.name.uppercased() == name
        else { return nil }
        guard let count = try storedCount(of: plans[number].table) else { return nil }
        _ = begin(number)
        return count
    }

    /// Returns the basis of plans made in this read view.
    func basis() throws -> PlanBasis {
        let scopes = Set(plans.map(\.table.scope))
        return PlanBasis(
            commit: content.commit, indexes: try indexes(),
            resources: content.resources.filter { scopes.contains($0.key) },
            magnitudes: content.magnitudes.filter { scopes.contains($0.key) })
    }

    /// Whether plans made on `basis` are valid in this read view.
    func satisfies(_ basis: PlanBasis, _ tables: [TableDefinition]) throws -> Bool {
        if basis.commit == content.commit { return true }
        // A table that is now kept in memory only fails where it is read.
        for table in tables where basis.resources[table.scope] != nil && table.isPersistent() {
            if try resources(of: table) != basis.resources[table.scope] { return false }
            if content.magnitudes[table.scope] != basis.magnitudes[table.scope] { return false }
        }
        return try indexes() == basis.indexes
    }

    /// Returns the number of rows of a table's resources, of other types too; an estimate where some are local.
    func rowCount(of table: TableDefinition) throws -> Int {
        _ = try resources(of: table)
        return try content.resources(of: table.scope, store).rowCount
    }

    /// Returns the number of rows that a table shows in this read view, from the stored counts of its resources and the
    /// changes by local writes; nil when there are rows of several types, which are counted together.
    func storedCount(of table: TableDefinition) throws -> Int? {
        let resources = try resources(of: table)
        return try content.count(of: table.name) {
            try store.read { view in
                var count = 0
                for resource in resources {
                    guard let part = try view.storedCount(of: table.type, in: resource) else { return nil }
                    count += part
                }
                return count
            }
        }
    }

    /// Returns the indexes that can be read in this read view.
    func indexes() throws -> [SecondaryIndex] { try content.indexes(store) }
}

extension TablePlan {
    /// The plan as it is reported to the caller.
    var use: QueryFacts.TableUse {
        let found: QueryFacts.TableUse.Access =
            switch access {
            case .scan: .scan
            case .key: .key
            case .index(let index, _): .index(index.definition.name)
            }
        return QueryFacts.TableUse(table: table.name, access: found, isOrdered: isOrdered)
    }
}

extension ReadView {
    /// Returns the resources that may have rows to show: those that are ready, and those with local writes.
    borrowing func shownResources(of scope: TableDefinition.Scope) throws -> [Resource] {
        try resources(of: scope).filter { $0.state == .ready || $0.overlayCount > 0 }
    }

    /// Returns the number of rows of a resource that are shown; nil when not all of the server's are of one type.
    fileprivate borrowing func storedCount(of type: String, in key: ResourceKey) throws -> Int? {
        guard let resource = try resource(key) else { return 0 }
        var isOfType = true
        for isLast in [false, true] {
            try forEachServerRow(in: .all(of: key), reversed: isLast, limit: 1) { entry in
                if try !entry.key().type.utf8.elementsEqual(type.utf8) { isOfType = false }
            }
        }
        guard isOfType else { return nil }
        var count = resource.state == .ready ? resource.rowCount : 0
        guard resource.overlayCount > 0 else { return count }
        for overlaid in try overlaidRows(of: key, type: type) {
            if resource.state == .ready, let _ = try serverRow(at: overlaid.key) { count -= 1 }
            if overlaid.payload != nil { count += 1 }
        }
        return count
    }

    fileprivate borrowing func resources(of scope: TableDefinition.Scope) throws -> [Resource] {
        switch scope {
        case .resource(let key): try resource(key).map { [$0] } ?? []
        case .group(let group): try resources(inGroup: group)
        }
    }
}
