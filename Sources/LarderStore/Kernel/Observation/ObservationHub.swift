internal import Synchronization

/// Notifies observers of the changes of commits, in the order in which they subscribed.
final class ObservationHub: Sendable {
    private struct State {
        var subscriptions: [WeakSubscription] = []
        var isFinished = false
    }

    private struct WeakSubscription {
        let identifier: ObjectIdentifier
        weak var subscription: Subscription?
    }

    private let state = Mutex(State())

    /// Returns a subscription that is notified of changes from now on, until it is released.
    func subscribe(to region: Region) -> Subscription {
        let subscription = Subscription(region: region, hub: self)
        let isFinished = state.withLock { state in
            state.subscriptions.append(
                WeakSubscription(identifier: ObjectIdentifier(subscription), subscription: subscription))
            return state.isFinished
        }
        if isFinished { subscription.finish() }
        return subscription
    }

    func remove(_ identifier: ObjectIdentifier) {
        state.withLock { $0.subscriptions.removeAll { $0.identifier == identifier } }
    }

    /// Notifies every observer whose region `changes` concern.
    func publish(_ changes: ChangeSet) {
        if changes.isEmpty { return }
        for subscription in current where subscription.region.intersects(changes) {
            subscription.receive(changes)
        }
    }

    /// Ends every observation.
    func finish() {
        state.withLock { $0.isFinished = true }
        for subscription in current { subscription.finish() }
    }

    private var current: [Subscription] {
        state.withLock { $0.subscriptions.compactMap(\.subscription) }
    }
}

/// One observer's queue. Changes that arrive before its next call are merged, so it never lags by more than one set.
///
/// Several tasks may wait at once: each change is delivered to the one that has waited longest, and the end to all.
final class Subscription: Sendable {
    let region: Region
    private let hub: ObservationHub
    private let state = Mutex(State())

    private struct State {
        var pending: ChangeSet?
        var waiters: [DeferredValue<ChangeSet?>] = []
        var isFinished = false
    }

    init(region: Region, hub: ObservationHub) {
        self.region = region
        self.hub = hub
    }

    deinit {
        hub.remove(ObjectIdentifier(self))
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
