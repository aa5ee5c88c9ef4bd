internal import LarderFormat
internal import LarderStore

/// What the shell of the coordinator holds besides the pure machine, under one lock.
struct CoordinatorState {
    typealias Waiter = Pending<Result<SyncReport, SyncError>>

    /// What is held while the coordinator runs.
    struct Loop {
        var machine: CoordinatorMachine
        let events: AsyncStream<CoordinatorEvent>.Continuation
        var runs: [String: Task<Void, Never>] = [:]
        var progress: [String: RunProgress] = [:]
        /// Whether the source of the network has said how it is.
        var hasNetwork = false
        /// How the runs ended, by filter.
        var outcomes: [String: Result<SyncReport, SyncError>] = [:]
    }

    var filters: [(filter: ResourceFilter, priority: SyncPriority)] = []
    /// Those of the filters that stand for a list.
    var lists: [String: PagedList] = [:]
    var isForcedOffline = false
    var loop: Loop?
    var waiters: [String: [Waiter]] = [:]
    /// The waiters that the machine has not heard of yet: no run that ends before it has is an answer to them.
    var unheard: Set<ObjectIdentifier> = []
    /// When the status was last published.
    var publishedAt: Duration?
    /// When the store was last swept.
    var sweptAt: Duration?
}

extension CoordinatorState {
    /// Whether a filter to be added covers the resource of a list, or a list to be added has one that a filter covers.
    func overlaps(_ filter: ResourceFilter, _ list: PagedList?) -> Bool {
        let covers = { (filter: ResourceFilter, resource: ResourceKey) in
            filter.matches(group: resource.group, id: resource.id)
        }
        guard let list else { return lists.values.contains { covers(filter, $0.resource) } }
        return filters.contains { lists[$0.filter.description] == nil && covers($0.filter, list.resource) }
    }

    /// Takes those who wait for the run of a filter that is over; after one that was ended from here, who asked for
    /// another goes on waiting.
    mutating func takeWaiters(forEndOf text: String) -> [Waiter] {
        if loop?.machine.isAskedForAgain(text) == true { return [] }
        let all = waiters.removeValue(forKey: text) ?? []
        waiters[text] = all.filter { unheard.contains(ObjectIdentifier($0)) }
        return all.filter { !unheard.contains(ObjectIdentifier($0)) }
    }

    /// Notes that the machine hears of those who ask for a filter by hand, or for every filter.
    mutating func hear(of filter: ResourceFilter?) {
        for (text, asking) in waiters where filter == nil || filter?.description == text {
            unheard.subtract(asking.map(ObjectIdentifier.init))
        }
    }
}
