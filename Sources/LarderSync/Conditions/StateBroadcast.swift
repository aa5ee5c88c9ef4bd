internal import Synchronization

/// A state that somebody sets and any number of streams follow.
package final class StateBroadcast<State: Equatable & Sendable>: Sendable {
    private struct Content {
        var current: State
        var nextNumber = 0
        var listeners: [Int: AsyncStream<State>.Continuation] = [:]
    }

    private let content: Mutex<Content>

    /// A broadcast that begins with `state`.
    package init(_ state: State) {
        content = Mutex(Content(current: state))
    }

    /// The state that was set last.
    package var current: State { content.withLock { $0.current } }

    /// How many streams are being followed.
    package var listenerCount: Int { content.withLock { $0.listeners.count } }

    /// Tells every stream, unless nothing changed.
    package func set(_ state: State) {
        // Told under the lock, so that all streams hear of two changes in the same order; a yield runs no one's code.
        content.withLock { content in
            guard content.current != state else { return }
            content.current = state
            for listener in content.listeners.values { listener.yield(state) }
        }
    }

    /// The current state and each change, the newest only for a reader that lags; ends when its reader is cancelled.
    ///
    /// The stream goes on, silent, when the broadcast itself goes away.
    package func states() -> AsyncStream<State> {
        let (stream, continuation) = AsyncStream.makeStream(of: State.self, bufferingPolicy: .bufferingNewest(1))
        let number = content.withLock { content in
            content.nextNumber += 1
            content.listeners[content.nextNumber] = continuation
            continuation.yield(content.current)
            return content.nextNumber
        }
        continuation.onTermination = { [weak self] _ in self?.remove(number) }
        return stream
    }

    private func remove(_ number: Int) {
        // Let go outside the lock: a continuation's end may run code of others.
        let removed = content.withLock { $0.listeners.removeValue(forKey: number) }
        _ = removed
    }
}
