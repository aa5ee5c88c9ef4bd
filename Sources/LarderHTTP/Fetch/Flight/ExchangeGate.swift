import Synchronization

/// Lets a bounded number of exchanges go on at a time; of those that wait, the one of the highest priority goes first,
/// and of equals the one that came first.
final class ExchangeGate: Sendable {
    private struct Waiter {
        let number: Int
        /// Whose turn it is to be.
        let exchange: ObjectIdentifier
        var priority: FetchPriority
        let continuation: CheckedContinuation<Bool, Never>
    }

    private struct State {
        var free: Int
        var nextNumber = 0
        /// How many turns have been given back.
        var departures = 0
        /// In the order in which they go.
        var waiters: [Waiter] = []

        mutating func insert(_ waiter: Waiter) {
            let place = waiters.firstIndex { $0.priority < waiter.priority } ?? waiters.endIndex
            waiters.insert(waiter, at: place)
        }
    }

    private let state: Mutex<State>

    /// A gate for `limit` exchanges at a time.
    init(limit: Int) {
        state = Mutex(State(free: limit))
    }

    /// How many turns have been given back so far.
    var departures: Int { state.withLock { $0.departures } }

    /// Whether the caller has got a turn, without waiting.
    func enterAtOnce() -> Bool {
        state.withLock { state in
            guard state.free > 0 else { return false }
            state.free -= 1
            return true
        }
    }

    /// Returns when it is the caller's turn, with true, or when its task is cancelled, with false.
    ///
    /// Who got true calls ``leave()`` once.
    func enter(_ priority: FetchPriority, for exchange: ObjectIdentifier) async -> Bool {
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

    /// Lets an exchange that waits go with a higher priority, behind those that have it already.
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

    /// Gives a turn back: to the first who waits.
    func leave() {
        let next = state.withLock { state -> Waiter? in
            state.departures += 1
            if state.waiters.isEmpty {
                state.free += 1
                return nil
            }
            return state.waiters.removeFirst()
        }
        next?.continuation.resume(returning: true)
    }
}
