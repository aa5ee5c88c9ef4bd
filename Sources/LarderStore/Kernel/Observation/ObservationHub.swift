internal import Synchronization

/// Tells observers what commits changed.
final class ObservationHub: Sendable {
    private struct State {
        var subscriptions: [ObjectIdentifier: WeakSubscription] = [:]
        var isFinished = false
    }

    private struct WeakSubscription {
        weak var subscription: Subscription?
    }

    private let state = Mutex(State())

    /// A subscription that hears of changes from now on, until it is released.
    func subscribe(to region: Region) -> Subscription {
        let subscription = Subscription(region: region, hub: self)
        let isFinished = state.withLock { state in
            state.subscriptions[ObjectIdentifier(subscription)] = WeakSubscription(subscription: subscription)
            return state.isFinished
        }
        if isFinished { subscription.finish() }
        return subscription
    }

    func remove(_ identifier: ObjectIdentifier) {
        state.withLock { $0.subscriptions[identifier] = nil }
    }

    /// Tells every observer whose region `changes` concern.
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
        state.withLock { $0.subscriptions.values.compactMap(\.subscription) }
    }
}

/// One observer's wait. Changes that come before it looks again are merged, so it never lags by more than one.
///
/// Several tasks may wait at once: each change goes to the one that has waited longest, and the end to all.
final class Subscription: Sendable {
    let region: Region
    private let hub: ObservationHub
    private let state = Mutex(State())

    private struct State {
        var pending: ChangeSet?
        var nextTicket = 0
        var waiters: [(ticket: Int, continuation: CheckedContinuation<ChangeSet?, Never>)] = []
        /// Waits that were cancelled before they began.
        var cancelled: Set<Int> = []
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

    /// How many tasks wait.
    var waiterCount: Int { state.withLock { $0.waiters.count } }

    func receive(_ changes: ChangeSet) {
        let waiter = state.withLock { state -> CheckedContinuation<ChangeSet?, Never>? in
            if !state.waiters.isEmpty { return state.waiters.removeFirst().continuation }
            if state.pending == nil { state.pending = changes } else { state.pending?.merge(changes) }
            return nil
        }
        waiter?.resume(returning: changes)
    }

    func finish() {
        let waiters = state.withLock { state in
            defer { state.waiters = [] }
            state.isFinished = true
            return state.waiters
        }
        for waiter in waiters { waiter.continuation.resume(returning: nil) }
    }

    /// The changes since the last call; nil when the store closed or the task was cancelled.
    func next() async -> ChangeSet? {
        let ticket = state.withLock { state in
            state.nextTicket += 1
            return state.nextTicket
        }
        let changes = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let known = state.withLock { state -> ChangeSet?? in
                    if state.cancelled.contains(ticket) { return .some(nil) }
                    if let pending = state.pending.take() { return .some(pending) }
                    if state.isFinished { return .some(nil) }
                    state.waiters.append((ticket, continuation))
                    return nil
                }
                if let known { continuation.resume(returning: known) }
            }
        } onCancel: {
            cancel(ticket)
        }
        state.withLock { _ = $0.cancelled.remove(ticket) }
        return changes
    }

    /// Ends one wait; others of the same observer go on.
    private func cancel(_ ticket: Int) {
        let waiter = state.withLock { state -> CheckedContinuation<ChangeSet?, Never>? in
            guard let index = state.waiters.firstIndex(where: { $0.ticket == ticket }) else {
                state.cancelled.insert(ticket)
                return nil
            }
            return state.waiters.remove(at: index).continuation
        }
        waiter?.resume(returning: nil)
    }
}
