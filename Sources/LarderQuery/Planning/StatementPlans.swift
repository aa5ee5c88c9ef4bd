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

/// The data of the store that plans and reads of one commit depend on, found once for all of its statements.
final class CommitContent {
    /// The resources of a table's scope.
    private struct ScopeContent {
        let resources: [ResourceKey]
        /// The rows of all types; an estimate where some are local.
        let rowCount: Int
    }

    private struct TypeKey: Hashable {
        let resource: ResourceKey
        let type: String
    }

    private struct IndexedScope: Hashable {
        let index: Int64
        let resources: [ResourceKey]
    }

    /// The most resources in which entries are counted for an estimate.
    private static let examinedResources = 32

    /// The number of the commit.
    let commit: UInt64
    private var scopes = KnownValues<TableDefinition.Scope, ScopeContent>()
    private var readyIndexes: [SecondaryIndex]?
    private var places = KnownValues<ResourceKey, ResourcePlace>()
    private var spelledNumbers = KnownValues<TypeKey, Bool>()
    private var counts: [String: Int?] = [:]
    private var entriesOfOneValue: [IndexedScope: Int] = [:]

    init(commit: UInt64) {
        self.commit = commit
    }

    /// The resources with rows to show of the tables that were read, by scope.
    var resources: [TableDefinition.Scope: [ResourceKey]] { scopes.all.mapValues(\.resources) }

    /// The numbers of bits that the numbers of their rows need, and five for fewer than 32 rows.
    var magnitudes: [TableDefinition.Scope: Int] {
        scopes.all.mapValues { Int.bitWidth - max($0.rowCount, 31).leadingZeroBitCount }
    }

    /// Returns the resources whose rows a table of a scope shows, in order, and the number of their rows.
    func resources(of scope: TableDefinition.Scope, _ store: Store) throws -> (keys: [ResourceKey], rowCount: Int) {
        if let known = scopes[scope] { return (known.resources, known.rowCount) }
        let shown = try store.read { view in try view.shownResources(of: scope) }
        let found = ScopeContent(
            resources: shown.map(\.key), rowCount: shown.reduce(0) { $0 + $1.rowCount + $1.overlayCount })
        scopes[scope] = found
        return (found.resources, found.rowCount)
    }

    /// Returns the indexes that can be read.
    func indexes(_ store: Store) throws -> [SecondaryIndex] {
        if let readyIndexes { return readyIndexes }
        let found = try store.read { view in try view.indexes() }.filter { $0.state == .ready }
        readyIndexes = found
        return found
    }

    /// Returns the place of a resource's rows.
    func place(of resource: ResourceKey, _ view: borrowing ReadView) throws -> ResourcePlace {
        if let known = places[resource] { return known }
        let place = try view.place(of: resource)
        places[resource] = place
        return place
    }

    /// Returns the number of entries with one value, at most `limit`: the more of those with the lowest value but null and
    /// with the highest one; of many resources a part is read, and the rest estimated by it. `limit` where it is unknown.
    func entriesOfOneValue(
        of index: SecondaryIndex, in resources: [ResourceKey], limit: Int, _ store: Store
    ) throws -> Int {
        let scope = IndexedScope(index: index.number, resources: resources)
        if let known = entriesOfOneValue[scope] { return known }
        let part = resources.prefix(Self.examinedResources)
        var most = 0
        do {
            try store.read { view in
                for isLast in [false, true] {
                    guard let value = try endValue(of: index, in: part, isLast, view) else { continue }
                    var count = 0
                    for resource in part where count < limit {
                        count += try view.indexEntryCount(
                            of: index, in: resource, range: .equal(value), limit: limit - count)
                    }
                    most = max(most, count)
                }
            }
        } catch StoreError.damaged {
            // The statement may not read what is damaged.
            most = 0
        }
        let found = most == 0 ? limit : min(limit, most * resources.count / part.count)
        entriesOfOneValue[scope] = found
        return found
    }

    /// Returns the lowest value but null, or the highest one, of the first resource that has any.
    private func endValue(
        of index: SecondaryIndex, in resources: ArraySlice<ResourceKey>, _ isLast: Bool, _ view: borrowing ReadView
    ) throws -> IndexValue? {
        for resource in resources {
            let place = try place(of: resource, view)
            let found = try view.indexEntries(
                of: index, in: place, range: .above(.null), reversed: isLast, limit: 1, after: nil)
            if let entry = found.first { return entry.value }
        }
        return nil
    }

    /// Returns whether a resource has keys of a type that spell a number and are stored as text, such as `05`.
    func hasSpelledNumbers(_ resource: ResourceKey, type: String, _ store: Store) throws -> Bool {
        let key = TypeKey(resource: resource, type: type)
        if let known = spelledNumbers[key] { return known }
        let range = RowRange.keys(
            from: NumericText.start, through: NumericText.end, type: type, of: resource)
        let found = try store.read { view in try view.forEachRow(in: range, limit: 1) { _ in } } > 0
        spelledNumbers[key] = found
        return found
    }

    /// Returns the number of rows of a table, as `count` finds it the first time.
    func count(of table: String, _ count: () throws -> Int?) rethrows -> Int? {
        if let known = counts[table] { return known }
        let found = try count()
        counts[table] = .some(found)
        return found
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

/// Values by key. A statement alternates between few keys: the last four are found without a hash.
private struct KnownValues<Key: Hashable, Value> {
    private(set) var all: [Key: Value] = [:]
    private var recent: [(key: Key, value: Value)] = []

    subscript(key: Key) -> Value? {
        mutating get {
            if let index = recent.firstIndex(where: { $0.key == key }) { return recent[index].value }
            guard let value = all[key] else { return nil }
            remember(value, for: key)
            return value
        }
        set {
            all[key] = newValue
            if let newValue { remember(newValue, for: key) }
        }
    }

    private mutating func remember(_ value: Value, for key: Key) {
        if recent.count == 4 { recent.removeLast() }
        recent.insert((key, value), at: 0)
    }
}
