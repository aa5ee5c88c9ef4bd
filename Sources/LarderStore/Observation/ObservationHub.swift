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
final class Subscription: Sendable {
    let region: Region
    private let hub: ObservationHub
    private let state = Mutex(State())

    private struct State {
        var pending: ChangeSet?
        var waiter: CheckedContinuation<ChangeSet?, Never>?
        var isFinished = false
    }

    init(region: Region, hub: ObservationHub) {
        self.region = region
        self.hub = hub
    }

    deinit {
        hub.remove(ObjectIdentifier(self))
    }

    /// Whether the store was closed or the observing task cancelled.
    var isFinished: Bool { state.withLock { $0.isFinished } }

    func receive(_ changes: ChangeSet) {
        let waiter = state.withLock { state -> CheckedContinuation<ChangeSet?, Never>? in
            if let waiter = state.waiter.take() { return waiter }
            if state.pending == nil { state.pending = changes } else { state.pending?.merge(changes) }
            return nil
        }
        waiter?.resume(returning: changes)
    }

    func finish() {
        let waiter = state.withLock { state in
            state.isFinished = true
            return state.waiter.take()
        }
        waiter?.resume(returning: nil)
    }

    /// The changes since the last call; nil when the store closed or the task was cancelled.
    func next() async -> ChangeSet? {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let known = state.withLock { state -> ChangeSet?? in
                    if let pending = state.pending.take() { return .some(pending) }
                    if state.isFinished { return .some(nil) }
                    state.waiter = continuation
                    return nil
                }
                if let known { continuation.resume(returning: known) }
            }
        } onCancel: {
            finish()
        }
    }
}
