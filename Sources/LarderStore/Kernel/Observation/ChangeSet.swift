public import LarderFormat

/// The changes of one or more commits.
public struct ChangeSet: Equatable, Sendable {
    /// The rows of one resource that changed.
    public struct Rows: Equatable, Sendable {
        /// Rows put, each once; empty when there were too many to list.
        public private(set) var upserts: Set<RowKey> = []
        /// Rows removed, each once; empty when there were too many to list.
        public private(set) var removals: Set<RowKey> = []
        /// The lowest and the highest row that changed.
        public private(set) var range: ClosedRange<RowKey>
        /// Whether ``upserts`` and ``removals`` name every change; otherwise only ``range`` is known.
        public private(set) var isComplete = true

        /// The most rows that are listed one by one.
        static let limit = 256

        init(_ key: RowKey) {
            range = key...key
        }

        mutating func add(_ key: RowKey, isRemoval: Bool) {
            if key < range.lowerBound { range = key...range.upperBound }
            if range.upperBound < key { range = range.lowerBound...key }
            guard isComplete else { return }
            // Most commits only put rows or only remove some, and need not look for a key among the others.
            if isRemoval {
                if !upserts.isEmpty { upserts.remove(key) }
                removals.insert(key)
            } else {
                if !removals.isEmpty { removals.remove(key) }
                upserts.insert(key)
            }
            if upserts.count + removals.count > Self.limit { discardKeys() }
        }

        mutating func merge(_ later: Rows) {
            widen(to: later.range)
            guard isComplete, later.isComplete else { return discardKeys() }
            for key in later.upserts { add(key, isRemoval: false) }
            for key in later.removals { add(key, isRemoval: true) }
        }

        private mutating func widen(to other: ClosedRange<RowKey>) {
            range = min(range.lowerBound, other.lowerBound)...max(range.upperBound, other.upperBound)
        }

        private mutating func discardKeys() {
            isComplete = false
            upserts = []
            removals = []
        }
    }

    /// Rows changed one by one, by resource.
    public private(set) var rows: [ResourceKey: Rows] = [:]
    /// Resources whose rows were all replaced or withdrawn at once.
    public private(set) var replaced: Set<ResourceKey> = []
    /// Resources of which anything changed, metadata included.
    public private(set) var touched: Set<ResourceKey> = []
    /// Outbox lanes that gained or lost an entry.
    public private(set) var lanes: Set<String> = []
    /// Filters whose sync state changed.
    public private(set) var filters: Set<String> = []
    /// The evictions, at most the newest 256.
    public private(set) var evictions: [Eviction] = []

    /// Buffers that gained or lost a point, or whose upload progressed.
    public private(set) var buffers: Set<BufferName> = []

    private static let evictionLimit = 256
    /// Whether another process has committed: anything but ``evictions`` may have changed, and no change is listed.
    public private(set) var isEverything = false

    /// The changes of another process's commit.
    static let everything: ChangeSet = {
        var changes = ChangeSet()
        changes.isEverything = true
        return changes
    }()
    /// Collections that were put or removed.
    public private(set) var collections: Set<CollectionName> = []

    init() {}

    /// Whether nothing changed.
    public var isEmpty: Bool {
        !isEverything && rows.isEmpty && replaced.isEmpty && touched.isEmpty && lanes.isEmpty && filters.isEmpty
            && evictions.isEmpty && collections.isEmpty && buffers.isEmpty
    }

    mutating func addUpsert(_ key: RowKey) { add(key, isRemoval: false) }

    mutating func addRemoval(_ key: RowKey) { add(key, isRemoval: true) }

    mutating func addReplaced(_ resource: ResourceKey) {
        replaced.insert(resource)
        touched.insert(resource)
    }

    mutating func addTouched(_ resource: ResourceKey) { touched.insert(resource) }

    mutating func addLane(_ lane: String) { lanes.insert(lane) }

    mutating func addFilter(_ filter: String) { filters.insert(filter) }

    mutating func addEviction(_ eviction: Eviction) { append([eviction]) }
    mutating func addBuffer(_ name: BufferName) { buffers.insert(name) }

    mutating func addCollection(_ name: CollectionName) { collections.insert(name) }

    /// Adds the changes of a later commit.
    mutating func merge(_ later: ChangeSet) {
        for (resource, change) in later.rows {
            if rows[resource] == nil { rows[resource] = change } else { rows[resource]?.merge(change) }
        }
        replaced.formUnion(later.replaced)
        touched.formUnion(later.touched)
        lanes.formUnion(later.lanes)
        filters.formUnion(later.filters)
        append(later.evictions)
        collections.formUnion(later.collections)
        buffers.formUnion(later.buffers)
        isEverything = isEverything || later.isEverything
    }

    private mutating func append(_ later: [Eviction]) {
        evictions += later
        evictions.removeFirst(max(0, evictions.count - Self.evictionLimit))
    }

    private mutating func add(_ key: RowKey, isRemoval: Bool) {
        rows[key.resource, default: Rows(key)].add(key, isRemoval: isRemoval)
        touched.insert(key.resource)
    }
}
