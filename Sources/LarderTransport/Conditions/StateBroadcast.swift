internal import Synchronization

/// A state that can be set, and that any number of streams follow.
package final class StateBroadcast<State: Equatable & Sendable>: Sendable {
    private struct Content {
        var current: State
        /// The number of changes.
        var changes = 0
        var nextNumber = 0
        /// The followers with their numbers, in the order in which they began.
        var subscribers: [(number: Int, relay: StateRelay<State>)] = []
    }

    private let content: Mutex<Content>
    private let updateLock = Mutex(())

    /// Creates a broadcast that begins with `state`.
    package init(_ state: State) {
        content = Mutex(Content(current: state))
    }

    /// The last state set.
    package var current: State { content.withLock { $0.current } }

    /// The number of open streams.
    package var subscriberCount: Int { content.withLock { $0.subscribers.count } }

    /// Sets the state and reports it to every stream, unless nothing changed.
    package func set(_ state: State) {
        let (number, subscribers) = content.withLock { content in
            content.current = state
            content.changes += 1
            return (content.changes, content.subscribers)
        }
        for subscriber in subscribers { subscriber.relay.send(state, number: number) }
    }

    /// Sets the result of `make`, one call at a time, so that the last state made is the last state set.
    package func update(_ make: () -> State) { updateLock.withLock { _ in set(make()) } }

    /// Returns a stream of the current state and each change, of which a slow reader gets only the newest. It ends when
    /// its reader is cancelled.
    ///
    /// When the broadcast is released, the stream stays open and silent.
    package func states() -> AsyncStream<State> {
        let (stream, relay) = StateRelay<State>.makeStream()
        let number = content.withLock { content in
            content.nextNumber += 1
            content.subscribers.append((content.nextNumber, relay))
            relay.send(content.current, number: content.changes)
            return content.nextNumber
        }
        relay.onEnd { [weak self] in self?.remove(number) }
        return stream
    }

    private func remove(_ number: Int) {
        // Released outside the lock, because this also releases everything that the relay holds.
        let removed = content.withLock { content in
            content.subscribers.firstIndex { $0.number == number }.map { content.subscribers.remove(at: $0) }
        }
        _ = removed
    }
}
