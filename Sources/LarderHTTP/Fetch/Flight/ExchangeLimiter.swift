import Synchronization

/// Limits how many exchanges run at a time. Of those that wait, the one of the highest priority goes first, and of
/// equals the one that came first.
final class ExchangeLimiter: Sendable {
    private struct Waiter {
        let number: Int
        /// The exchange that waits.
        let exchange: ObjectIdentifier
        var priority: FetchPriority
        let continuation: CheckedContinuation<Bool, Never>
    }

    private struct State {
        var free: Int
        var nextNumber = 0
        var progress = 0
        /// In the order in which they go.
        var waiters: [Waiter] = []

        mutating func insert(_ waiter: Waiter) {
            let place = waiters.firstIndex { $0.priority < waiter.priority } ?? waiters.endIndex
            waiters.insert(waiter, at: place)
        }
    }

    private let state: Mutex<State>

    /// A limiter of `limit` exchanges at a time.
    init(limit: Int) {
        state = Mutex(State(free: limit))
    }

    /// Changes whenever an exchange gets a head or a chunk, and whenever a slot is released.
    var progress: Int { state.withLock { $0.progress } }

    /// Notes that an exchange that holds a slot advances.
    func noteProgress() { state.withLock { $0.progress += 1 } }

    /// Whether the caller has got a slot, without waiting.
    func acquireAtOnce() -> Bool {
        state.withLock { state in
            guard state.free > 0 else { return false }
            state.free -= 1
            return true
        }
    }

    /// Returns true when the caller has a slot, and false when its task is cancelled.
    ///
    /// A caller that gets true must call ``release()`` once.
    func acquire(_ priority: FetchPriority, for exchange: ObjectIdentifier) async -> Bool {
        let number = state.withLock { state in
            state.nextNumber += 1
            return state.nextNumber
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let answer = state.withLock { state -> Bool? in
                    if Task.isCancelled { return false }
                    if state.free > 0 {
                        state.free -= 1
                        return true
                    }
                    state.insert(
                        Waiter(number: number, exchange: exchange, priority: priority, continuation: continuation))
                    return nil
                }
                if let answer { continuation.resume(returning: answer) }
            }
        } onCancel: {
            let waiter = state.withLock { state -> Waiter? in
                guard let place = state.waiters.firstIndex(where: { $0.number == number }) else { return nil }
                return state.waiters.remove(at: place)
            }
            waiter?.continuation.resume(returning: false)
        }
    }

    /// Raises the priority of a waiting exchange; it goes behind those that have the priority already.
    func raise(_ exchange: ObjectIdentifier, to priority: FetchPriority) {
        state.withLock { state in
            guard let place = state.waiters.firstIndex(where: { $0.exchange == exchange }),
                state.waiters[place].priority < priority
            else { return }
            var waiter = state.waiters.remove(at: place)
            waiter.priority = priority
            state.insert(waiter)
        }
    }

    /// Releases a slot, to the first waiter if there is one.
    func release() {
        let next = state.withLock { state -> Waiter? in
            state.progress += 1
            if state.waiters.isEmpty {
                state.free += 1
                return nil
            }
            return state.waiters.removeFirst()
        }
        next?.continuation.resume(returning: true)
    }
}
