internal import Synchronization

/// Notifies observers of the changes of commits, in the order in which they subscribed.
///
/// Subscriptions are found by the topics of their regions, so that a commit costs nothing for observers of other things.
final class ObservationHub: Sendable {
    private struct State {
        /// By their numbers, which ascend.
        var subscriptions: [UInt64: WeakSubscription] = [:]
        /// The numbers of the subscriptions to regions of a topic.
        var members: [Topic: Set<UInt64>] = [:]
        var nextNumber: UInt64 = 0
        var isFinished = false
    }

    private struct WeakSubscription {
        weak var subscription: Subscription?
    }

    private let state = Mutex(State())

    /// Returns a subscription that is notified of changes from now on, until it is released.
    func subscribe(to region: Region) -> Subscription {
        let (subscription, isFinished) = state.withLock { state in
            let subscription = Subscription(region: region, hub: self, number: state.nextNumber)
            state.nextNumber += 1
            state.subscriptions[subscription.number] = WeakSubscription(subscription: subscription)
            for topic in region.topics { state.members[topic, default: []].insert(subscription.number) }
            return (subscription, state.isFinished)
        }
        if isFinished { subscription.finish() }
        return subscription
    }

    fileprivate func remove(_ number: UInt64, _ region: Region) {
        state.withLock { state in
            state.subscriptions[number] = nil
            for topic in region.topics {
                state.members[topic]?.remove(number)
                if state.members[topic]?.isEmpty == true { state.members[topic] = nil }
            }
        }
    }

    /// Notifies every observer whose region `changes` concern.
    func publish(_ changes: ChangeSet) {
        if changes.isEmpty { return }
        for subscription in candidates(for: changes) where subscription.region.intersects(changes) {
            subscription.receive(changes)
        }
    }

    /// Ends every observation.
    func finish() {
        state.withLock { $0.isFinished = true }
        for subscription in candidates(for: .everything) { subscription.finish() }
    }

    /// Returns the subscriptions whose topics changed: those that `changes` may concern, the oldest first.
    func candidates(for changes: ChangeSet) -> [Subscription] {
        state.withLock { state in
            if state.subscriptions.isEmpty { return [] }
            let numbers =
                changes.isEverything
                ? Set(state.subscriptions.keys)
                : changes.topics.reduce(into: []) { $0.formUnion(state.members[$1] ?? []) }
            return numbers.sorted().compactMap { state.subscriptions[$0]?.subscription }
        }
    }
}

/// One observer's queue. Changes that arrive before its next call are merged, so it never lags by more than one set.
///
/// Several tasks may wait at once: each change is delivered to the one that has waited longest, and the end to all.
final class Subscription: Sendable {
    let region: Region
    /// Its number at the hub.
    let number: UInt64
    private let hub: ObservationHub
    private let state = Mutex(State())

    private struct State {
        var pending: ChangeSet?
        var waiters: [DeferredValue<ChangeSet?>] = []
        var isFinished = false
    }

    init(region: Region, hub: ObservationHub, number: UInt64) {
        self.region = region
        self.hub = hub
        self.number = number
    }

    deinit {
        hub.remove(number, region)
    }

    /// Whether the store was closed.
    var isFinished: Bool { state.withLock { $0.isFinished } }

    /// The number of tasks that wait.
    var waiterCount: Int { state.withLock { $0.waiters.count } }

    func receive(_ changes: ChangeSet) {
        state.withLock { state in
            // This runs under the lock, so that a cancelled wait finds itself in the queue or finds its changes.
            if !state.waiters.isEmpty { return state.waiters.removeFirst().fulfil(changes) }
            if state.pending == nil { state.pending = changes } else { state.pending?.merge(changes) }
        }
    }

    func finish() {
        state.withLock { state in
            state.isFinished = true
            for waiter in state.waiters { waiter.fulfil(nil) }
            state.waiters = []
        }
    }

    /// The changes since the last call; nil when the store closed or the task was cancelled.
    func next() async -> ChangeSet? {
        if Task.isCancelled { return nil }
        let waiter = DeferredValue<ChangeSet?>()
        state.withLock { state in
            if let pending = state.pending.take() { return waiter.fulfil(pending) }
            if state.isFinished { return waiter.fulfil(nil) }
            state.waiters.append(waiter)
        }
        if let changes = await waiter.value() { return changes }
        return state.withLock { state in
            state.waiters.removeAll { $0 === waiter }
            return waiter.current ?? nil
        }
    }
}
