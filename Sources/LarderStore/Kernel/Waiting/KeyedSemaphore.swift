internal import Synchronization

/// A queue that grants a limited number of turns of each key at a time, by priority and then in order of arrival.
package final class KeyedSemaphore<Key: Hashable & Sendable>: Sendable {
    private struct Waiter {
        let number: Int
        let name: ObjectIdentifier?
        var priority: Int
        let continuation: CheckedContinuation<Bool, Never>
    }

    private struct Queue {
        var granted = 0
        /// The waiters, in the order in which they get a turn.
        var waiters: [Waiter] = []

        mutating func insert(_ waiter: Waiter) {
            waiters.insert(waiter, at: waiters.firstIndex { $0.priority < waiter.priority } ?? waiters.endIndex)
        }
    }

    private struct State {
        var queues: [Key: Queue] = [:]
        var nextNumber = 0

        mutating func grant(_ key: Key, _ limit: Int) -> Bool {
            guard queues[key]?.granted ?? 0 < limit else { return false }
            queues[key, default: Queue()].granted += 1
            return true
        }
    }

    private let limit: Int
    private let state = Mutex(State())

    /// A queue that grants `limit` turns of each key at a time.
    package init(limit: Int = 1) {
        self.limit = limit
    }

    /// Acquires a turn without waiting; returns false when none is free.
    package func tryAcquire(_ key: Key) -> Bool { state.withLock { $0.grant(key, limit) } }

    /// Waits for a turn; returns true when the caller has one, and false when its task is cancelled.
    ///
    /// A caller that gets true must call ``release(_:)`` once.
    ///
    /// - Parameters:
    ///   - name: the name by which ``raisePriority(_:of:to:)`` finds the caller.
    ///   - isCancellable: whether a cancelled task stops waiting.
    @discardableResult
    package func acquire(
        _ key: Key, priority: Int = 0, name: ObjectIdentifier? = nil, isCancellable: Bool = true
    ) async -> Bool {
        let number = state.withLock { state in
            state.nextNumber += 1
            return state.nextNumber
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isGranted = state.withLock { state -> Bool? in
                    // A cancellation after this check finds the waiter.
                    if isCancellable, Task.isCancelled { return false }
                    if state.grant(key, limit) { return true }
                    state.queues[key]?.insert(
                        Waiter(number: number, name: name, priority: priority, continuation: continuation))
                    return nil
                }
                if let isGranted { continuation.resume(returning: isGranted) }
            }
        } onCancel: {
            guard isCancellable else { return }
            let waiter = state.withLock { state -> Waiter? in
                guard let index = state.queues[key]?.waiters.firstIndex(where: { $0.number == number }) else {
                    return nil
                }
                return state.queues[key]?.waiters.remove(at: index)
            }
            waiter?.continuation.resume(returning: false)
        }
    }

    /// Raises the priority of a waiting caller, which then follows those that have the priority already.
    package func raisePriority(_ name: ObjectIdentifier, of key: Key, to priority: Int) {
        state.withLock { state in
            guard var queue = state.queues[key], let index = queue.waiters.firstIndex(where: { $0.name == name }),
                queue.waiters[index].priority < priority
            else { return }
            var waiter = queue.waiters.remove(at: index)
            waiter.priority = priority
            queue.insert(waiter)
            state.queues[key] = queue
        }
    }

    /// Ends a turn, and grants it to the first waiter if there is one.
    package func release(_ key: Key) {
        let next = state.withLock { state -> Waiter? in
            guard var queue = state.queues[key] else {
                preconditionFailure("a permit was released that was not acquired")
            }
            let next = queue.waiters.isEmpty ? nil : queue.waiters.removeFirst()
            if next == nil { queue.granted -= 1 }
            state.queues[key] = queue.granted == 0 ? nil : queue
            return next
        }
        next?.continuation.resume(returning: true)
    }
}
