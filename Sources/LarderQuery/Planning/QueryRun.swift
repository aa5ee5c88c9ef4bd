internal import LarderFormat
internal import LarderStore
internal import Logging

/// One statement being run: what its tables read from, and what they note.
///
/// It lives within one `read` of the store, on one thread. Every read of a table is nested in that one and so shares
/// its snapshot.
final class QueryRun {
    /// How often the limits are looked at, in steps.
    static let watchInterval = 1000

    let store: Store
    let options: QueryOptions
    /// What is known of the statement from when it was compiled.
    private let compiled: StatementPlans
    private(set) var facts = QueryFacts()
    private(set) var interruption: QueryError.Interruption?
    private var begun: Set<Int> = []
    private var scanned: [String: Int] = [:]
    private var resources: [TableDefinition.Scope: [ResourceKey]] = [:]
    private var rowCounts: [TableDefinition.Scope: Int] = [:]
    private var readyIndexes: [SecondaryIndex]?
    private var steps = 0

    init(_ compiled: StatementPlans, store: Store, options: QueryOptions) {
        self.store = store
        self.options = options
        self.compiled = compiled
    }

    var memberships: MembershipQueries { compiled.memberships }
    var plans: [TablePlan] { compiled.plans }

    /// Keeps a plan and answers its number.
    func add(_ plan: TablePlan) -> Int {
        compiled.plans.append(plan)
        return plans.count - 1
    }

    /// The plan that SQLite chose.
    func begin(_ number: Int) -> TablePlan {
        let plan = plans[number]
        if begun.insert(number).inserted { facts.uses.append(plan.use) }
        return plan
    }

    /// Counts rows that were read under a plan, and warns of a long scan once.
    func noteRows(_ count: Int, _ plan: TablePlan) {
        facts.rowsVisited += count
        guard case .scan = plan.access else { return }
        let before = scanned[plan.table.name, default: 0]
        scanned[plan.table.name] = before + count
        if before < options.scanWarning, before + count >= options.scanWarning {
            store.host.logger.warning(
                "a question scans a table: an index would spare reading most of its rows",
                metadata: ["table": "\(plan.table.name)", "rows": "\(before + count)"])
        }
    }

    /// Notes that the statement was not compiled anew.
    func noteKeptStatement() { facts.isCompiledBefore = true }

    /// Counts entries of an index that were read.
    func noteEntries(_ count: Int) { facts.entriesVisited += count }

    /// Called every ``watchInterval`` steps; answers whether to go on.
    func mayContinue() -> Bool {
        steps += Self.watchInterval
        if Task.isCancelled { interruption = .cancelled }
        if let limit = options.stepLimit, steps > limit { interruption = .stepLimit(limit) }
        return interruption == nil
    }

    /// The resources whose rows a table shows in this snapshot, in order.
    func resources(of table: TableDefinition) throws -> [ResourceKey] {
        if !table.isPersistent() { throw QueryError.memoryOnly(table: table.name) }
        if let known = resources[table.scope] { return known }
        let (keys, count) = try store.read { view in
            let known = try view.resources(of: table.scope)
            return (try view.resourceKeys(of: table.scope), known.reduce(0) { $0 + $1.rowCount + $1.overlayCount })
        }
        resources[table.scope] = keys
        rowCounts[table.scope] = count
        return keys
    }

    /// What plans made in this snapshot rest on.
    func basis() throws -> PlanBasis { PlanBasis(indexes: try indexes(), resources: resources) }

    /// Whether plans that rest on `basis` hold in this snapshot.
    func fulfils(_ basis: PlanBasis, _ tables: [TableDefinition]) throws -> Bool {
        // A table that is in memory only now fails where it is read.
        for table in tables where basis.resources[table.scope] != nil && table.isPersistent() {
            if try resources(of: table) != basis.resources[table.scope] { return false }
        }
        return try indexes() == basis.indexes
    }

    /// The rows of the resources of a table, those of other types included; an estimate where some are local.
    func rowCount(of table: TableDefinition) throws -> Int {
        _ = try resources(of: table)
        return rowCounts[table.scope] ?? 0
    }

    /// The rows that a table shows in this snapshot, from the counts that are stored with its resources and what local writes
    /// change of them; nil when there are rows of several types, which are counted together.
    func storedCount(of table: TableDefinition) throws -> Int? {
        let resources = try resources(of: table)
        return try store.read { view in
            var count = 0
            for resource in resources {
                guard let part = try view.storedCount(of: table.type, in: resource) else { return nil }
                count += part
            }
            return count
        }
    }

    /// The indexes that can be read in this snapshot.
    func indexes() throws -> [SecondaryIndex] {
        if let readyIndexes { return readyIndexes }
        let found = try store.read { view in try view.indexes() }.filter { $0.state == .ready }
        readyIndexes = found
        return found
    }
}

extension TablePlan {
    /// The plan as the caller is told of it.
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
    /// The resources that may have rows to show: those that are ready, and those with local writes.
    borrowing func resourceKeys(of scope: TableDefinition.Scope) throws -> [ResourceKey] {
        try resources(of: scope).filter { $0.state == .ready || $0.overlayCount > 0 }.map(\.key)
    }

    /// The rows of a resource that are shown; nil when not all of the server's are of one type.
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
