internal import LarderFormat
internal import LarderStore

/// What the shell of the coordinator holds besides the pure machine, under one lock.
struct CoordinatorState {
    typealias Waiter = CheckedContinuation<Result<SyncReport, SyncError>, Never>

    /// What is held while the coordinator runs.
    struct Loop {
        var machine: CoordinatorMachine
        let events: AsyncStream<CoordinatorEvent>.Continuation
        var runs: [String: Task<Void, Never>] = [:]
        var progress: [String: RunProgress] = [:]
        /// The filters whose run is over, of which the machine has not heard yet.
        var over: Set<String> = []
        var timer: Task<Void, Never>?
        /// Whether the source of the network has said how it is.
        var hasNetwork = false
        /// How the runs ended, by filter.
        var outcomes: [String: Result<SyncReport, SyncError>] = [:]
    }

    var filters: [(filter: ResourceFilter, priority: SyncPriority)] = []
    var isForcedOffline = false
    var loop: Loop?
    var waiters: [String: [Int: Waiter]] = [:]
    /// The waiters who came after the end of the run that the machine still thinks is under way.
    var late: Set<Int> = []
    var observers: [Int: AsyncStream<SyncStatus>.Continuation] = [:]
    /// When progress was last published, and what.
    var publishedAt: Duration?
    var published: SyncStatus?
    var nextNumber = 0
}

extension CoordinatorState {
    /// Takes those who wait for the run of a filter that is over: not who came later, nor, after a run that was ended
    /// from here, who asked for another one.
    mutating func takeWaiters(forEndOf text: String) -> [Waiter] {
        let all = waiters.removeValue(forKey: text) ?? [:]
        loop?.over.remove(text)
        let isAskedForAgain = loop?.machine.isAskedForAgain(text) ?? false
        let staying = all.filter { isAskedForAgain || late.contains($0.key) }
        late.subtract(staying.keys)
        if !staying.isEmpty { waiters[text] = staying }
        return all.filter { staying[$0.key] == nil }.map(\.value)
    }
}
