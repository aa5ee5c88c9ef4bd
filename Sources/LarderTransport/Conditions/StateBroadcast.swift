internal import Synchronization

/// A state that somebody sets and any number of streams follow.
package final class StateBroadcast<State: Equatable & Sendable>: Sendable {
    private struct Content {
        var current: State
        /// The number of changes.
        var changes = 0
        var nextNumber = 0
        /// By number, which is the order in which they began.
        var followers: [(number: Int, relay: StateRelay<State>)] = []
    }

    private let content: Mutex<Content>
    private let making = Mutex(())

    /// A broadcast that begins with `state`.
    package init(_ state: State) {
        content = Mutex(Content(current: state))
    }

    /// The state that was set last.
    package var current: State { content.withLock { $0.current } }

    /// How many streams are being followed.
    package var followerCount: Int { content.withLock { $0.followers.count } }

    /// Sets the state and reports it to every stream, unless nothing changed.
    package func set(_ state: State) {
        let (number, followers) = content.withLock { content in
            content.current = state
            content.changes += 1
            return (content.changes, content.followers)
        }
        for follower in followers { follower.relay.tell(state, number: number) }
    }

    /// Sets what `make` returns, one at a time: the state that is set last is the one that was made last.
    package func update(_ make: () -> State) { making.withLock { _ in set(make()) } }

    /// The current state and each change, the newest only for a reader that lags; ends when its reader is cancelled.
    ///
    /// The stream goes on, silent, when the broadcast itself goes away.
    package func states() -> AsyncStream<State> {
        let (stream, relay) = StateRelay<State>.makeStream()
        let number = content.withLock { content in
            content.nextNumber += 1
            content.followers.append((content.nextNumber, relay))
            relay.tell(content.current, number: content.changes)
            return content.nextNumber
        }
        relay.onEnd { [weak self] in self?.remove(number) }
        return stream
    }

    private func remove(_ number: Int) {
        // Let go outside the lock: the end of a relay is the end of what it holds.
        let removed = content.withLock { content in
            content.followers.firstIndex { $0.number == number }.map { content.followers.remove(at: $0) }
        }
        _ = removed
    }
}
