internal import Synchronization

/// One fetch under way and those who wait for it.
///
/// A waiter that is cancelled leaves the others waiting; the fetch goes on, since its value serves the next asker.
final class QueryFlight: Sendable {
    private struct State {
        var waiting: [UInt64: CheckedContinuation<any Sendable, any Error>] = [:]
        var next: UInt64 = 0
        var outcome: Result<any Sendable, any Error>?
        var task: Task<Void, Never>?
    }

    /// The type of its value: two may be asked for under one key.
    let type: ObjectIdentifier
    /// When it began, as a number of the table.
    let beganAt: UInt64
    private let state = Mutex(State())

    /// A fetch that has not begun.
    init(_ type: ObjectIdentifier, beganAt: UInt64) {
        self.type = type
        self.beganAt = beganAt
    }

    /// Begins the work; `body` calls ``finish(_:)`` at its end.
    func begin(_ body: @escaping @Sendable () async -> Void) {
        let task = Task { await body() }
        let isOver = state.withLock { state in
            if case .failure? = state.outcome { return true }
            state.task = task
            return false
        }
        if isOver { task.cancel() }
    }

    /// Ends the fetch with its outcome; later calls do nothing.
    func finish(_ outcome: Result<any Sendable, any Error>) {
        let waiting = state.withLock { state in
            if state.outcome != nil { return [CheckedContinuation<any Sendable, any Error>]() }
            state.outcome = outcome
            defer { state.waiting = [:] }
            return Array(state.waiting.values)
        }
        for waiter in waiting { waiter.resume(with: outcome) }
    }

    /// Gives the fetch up: waiters get `CancellationError`.
    func cancel() {
        finish(.failure(CancellationError()))
        state.withLock { $0.task }?.cancel()
    }

    /// Waits for the outcome, or until the waiting task is cancelled.
    func value() async throws -> any Sendable {
        let number = state.withLock { state in
            defer { state.next += 1 }
            return state.next
        }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { waiter in
                let known = state.withLock { state -> Result<any Sendable, any Error>? in
                    if let outcome = state.outcome { return outcome }
                    if Task.isCancelled { return .failure(CancellationError()) }
                    state.waiting[number] = waiter
                    return nil
                }
                if let known { waiter.resume(with: known) }
            }
        } onCancel: {
            let waiter = state.withLock { $0.waiting.removeValue(forKey: number) }
            waiter?.resume(throwing: CancellationError())
        }
    }
}
