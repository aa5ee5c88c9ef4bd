internal import Synchronization

/// A queue that grants a limited number of turns of each key at a time, by priority and then in order of arrival.
package final class TurnQueue<Key: Hashable & Sendable>: Sendable {
    private struct Waiter {
        let number: Int
        let name: ObjectIdentifier?
        var priority: Int
        let continuation: CheckedContinuation<Bool, Never>
    }

    private struct Line {
        var granted = 0
        /// The waiters, in the order in which they get a turn.
        var waiters: [Waiter] = []

        mutating func insert(_ waiter: Waiter) {
            waiters.insert(waiter, at: waiters.firstIndex { $0.priority < waiter.priority } ?? waiters.endIndex)
        }
    }

    private struct State {
        var lines: [Key: Line] = [:]
        var nextNumber = 0

        mutating func grant(_ key: Key, _ limit: Int) -> Bool {
            guard lines[key]?.granted ?? 0 < limit else { return false }
            lines[key, default: Line()].granted += 1
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
    ///   - name: the name by which ``raise(_:of:to:)`` finds the caller.
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
                let answer = state.withLock { state -> Bool? in
                    // A cancellation after this check finds the waiter.
                    if isCancellable, Task.isCancelled { return false }
                    if state.grant(key, limit) { return true }
                    state.lines[key]?.insert(
                        Waiter(number: number, name: name, priority: priority, continuation: continuation))
                    return nil
                }
                if let answer { continuation.resume(returning: answer) }
            }
        } onCancel: {
            guard isCancellable else { return }
            let waiter = state.withLock { state -> Waiter? in
                guard let place = state.lines[key]?.waiters.firstIndex(where: { $0.number == number }) else {
                    return nil
                }
                return state.lines[key]?.waiters.remove(at: place)
            }
            waiter?.continuation.resume(returning: false)
        }
    }

    /// Raises the priority of a waiting caller, which then follows those that have the priority already.
    package func raise(_ name: ObjectIdentifier, of key: Key, to priority: Int) {
        state.withLock { state in
            guard var line = state.lines[key], let place = line.waiters.firstIndex(where: { $0.name == name }),
                line.waiters[place].priority < priority
            else { return }
            var waiter = line.waiters.remove(at: place)
            waiter.priority = priority
            line.insert(waiter)
            state.lines[key] = line
        }
    }

    /// Ends a turn, and grants it to the first waiter if there is one.
    package func release(_ key: Key) {
        let next = state.withLock { state -> Waiter? in
            guard var line = state.lines[key] else { preconditionFailure("a turn is released that was not granted") }
            let next = line.waiters.isEmpty ? nil : line.waiters.removeFirst()
            if next == nil { line.granted -= 1 }
            state.lines[key] = line.granted == 0 ? nil : line
            return next
        }
        next?.continuation.resume(returning: true)
    }
}
