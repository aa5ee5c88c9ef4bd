internal import Synchronization

/// A value that is set once, for any number of tasks that wait for it.
package final class DeferredValue<Value: Sendable>: Sendable {
    private struct State {
        var value: Value?
        var waiters: [Int: CheckedContinuation<Value?, Never>] = [:]
        var nextNumber = 0
    }

    private let state = Mutex(State())

    /// A value that is not set yet.
    package init() {}

    /// The value, or nil while it is not set.
    package var current: Value? { state.withLock { $0.value } }

    /// Sets the value and resumes the waiting tasks; a second value is ignored.
    package func fulfil(_ value: Value) {
        let waiters = state.withLock { state in
            guard state.value == nil else { return [CheckedContinuation<Value?, Never>]() }
            state.value = value
            defer { state.waiters = [:] }
            return Array(state.waiters.values)
        }
        for waiter in waiters { waiter.resume(returning: value) }
    }

    /// Returns the value as soon as it is set; nil when the task is cancelled before.
    ///
    /// - Parameter isolation: the isolation of the caller, which the wait does not leave: a hop to another thread and
    ///   back takes longer than much that is waited for.
    @discardableResult
    package func value(isolation: isolated (any Actor)? = #isolation) async -> Value? {
        if let value = current { return value }
        let number = state.withLock { state in
            state.nextNumber += 1
            return state.nextNumber
        }
        return await withTaskCancellationHandler {
            // A closure has the isolation that it captures.
            _ = isolation
            return await withCheckedContinuation { continuation in
                let (value, isOver) = state.withLock { state -> (Value?, Bool) in
                    if let value = state.value { return (value, true) }
                    // A cancellation after this check finds the waiter.
                    if Task.isCancelled { return (nil, true) }
                    state.waiters[number] = continuation
                    return (nil, false)
                }
                if isOver { continuation.resume(returning: value) }
            }
        } onCancel: {
            state.withLock { $0.waiters.removeValue(forKey: number) }?.resume(returning: nil)
        }
    }
}
