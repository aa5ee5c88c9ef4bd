internal import LarderFormat
internal import LarderStore

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
        let most = try Self.estimate(store) { view in
            try [false, true].map { isLast in
                try view.entryCount(ofEndValueOf: index, in: part, isLast: isLast, limit: limit)
            }.max()
        }
        let found = most.map { $0 == 0 ? limit : min(limit, $0 * resources.count / part.count) } ?? limit
        entriesOfOneValue[scope] = found
        return found
    }

    /// Returns an estimate; nil where what it reads is damaged, as the statement may not read that.
    static func estimate<Value>(_ store: Store, _ body: (borrowing ReadView) throws -> Value?) throws -> Value? {
        do {
            return try store.read(body)
        } catch let error where Store.isDamage(error) {
            return nil
        }
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
