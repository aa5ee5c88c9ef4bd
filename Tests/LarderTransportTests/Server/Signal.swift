// Signal: something that happens once or more often, which a task can wait for.

import Synchronization

/// Something that happens once or more often, which a task can wait for.
final class Signal: Sendable {
    private struct Waiter {
        let number: Int
        let count: Int
        let continuation: CheckedContinuation<Void, Never>
    }

    private struct State {
        var count = 0
        var nextNumber = 0
        var waiters: [Waiter] = []
    }

    private let state = Mutex(State())

    var count: Int { state.withLock { $0.count } }

    func fire() {
        let due = state.withLock { state in
            state.count += 1
            let count = state.count
            let due = state.waiters.filter { $0.count <= count }
            state.waiters.removeAll { $0.count <= count }
            return due
        }
        for waiter in due { waiter.continuation.resume() }
    }

    /// Returns when it has happened `count` times, or the task is cancelled: a time limit ends the wait.
    func wait(for count: Int = 1) async {
        let number = state.withLock { state in
            state.nextNumber += 1
            return state.nextNumber
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isOver = state.withLock { state in
                    if state.count >= count || Task.isCancelled { return true }
                    state.waiters.append(Waiter(number: number, count: count, continuation: continuation))
                    return false
                }
                if isOver { continuation.resume() }
            }
        } onCancel: {
            let cancelled = state.withLock { state in
                let cancelled = state.waiters.filter { $0.number == number }
                state.waiters.removeAll { $0.number == number }
                return cancelled
            }
            for waiter in cancelled { waiter.continuation.resume() }
        }
    }
}
