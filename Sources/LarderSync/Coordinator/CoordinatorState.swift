internal import LarderFormat
internal import LarderStore

/// The state of the coordinator around the pure machine, under one lock.
struct CoordinatorState {
    typealias Waiter = DeferredValue<Result<SyncReport, SyncError>>

    /// The state that exists while the coordinator runs.
    struct Loop {
        var machine: CoordinatorMachine
        let events: AsyncStream<CoordinatorEvent>.Continuation
        var runs: [String: Task<Void, Never>] = [:]
        var progress: [String: RunProgress] = [:]
        /// The connection over which the server reports changes, with its number.
        var listener: (number: Int, task: Task<Void, Never>)?
        /// Whether the connectivity source has reported a state.
        var hasNetwork = false
        /// The outcomes of the last runs, by filter.
        var outcomes: [String: Result<SyncReport, SyncError>] = [:]
    }

    var filters: [(filter: ResourceFilter, priority: SyncPriority)] = []
    /// The lists, by the texts of their filters.
    var lists: [String: PagedList] = [:]
    var isForcedOffline = false
    var loop: Loop?
    var waiters: [String: [Waiter]] = [:]
    /// The waiters whose request the machine has not handled yet: a run that ends before then does not complete them.
    var unhandled: Set<ObjectIdentifier> = []
    /// The time at which the status was last published.
    var publishedAt: Duration?
    /// The time at which the store was last swept.
    var sweptAt: Duration?
}

extension CoordinatorState {
    /// Whether a filter to add covers the resource of a list, or a list to add has one that a filter covers.
    func overlaps(_ filter: ResourceFilter, _ list: PagedList?) -> Bool {
        let covers = { (filter: ResourceFilter, resource: ResourceKey) in
            filter.matches(group: resource.group, id: resource.id)
        }
        guard let list else { return lists.values.contains { covers(filter, $0.resource) } }
        return filters.contains { lists[$0.filter.description] == nil && covers($0.filter, list.resource) }
    }

    /// Removes and returns the waiters that the end of a filter's run completes. After a run that the coordinator
    /// cancelled, callers that requested another one go on waiting.
    mutating func removeWaiters(forEndOf text: String) -> [Waiter] {
        if loop?.machine.isRequestedAgain(text) == true { return [] }
        let all = waiters.removeValue(forKey: text) ?? []
        waiters[text] = all.filter { unhandled.contains(ObjectIdentifier($0)) }
        return all.filter { !unhandled.contains(ObjectIdentifier($0)) }
    }

    /// Records that the machine handles the manual requests for a filter, or for every filter.
    mutating func markHandled(_ filter: ResourceFilter?) {
        for (text, requesting) in waiters where filter == nil || filter?.description == text {
            unhandled.subtract(requesting.map(ObjectIdentifier.init))
        }
    }
}
