internal import Synchronization

/// A connectivity source with a switch: while it is forced offline, the network is gone, whatever the base says.
///
/// For hosts: a setting "work offline", and trying out how a program behaves without a network.
public final class OfflineSwitch: ConnectivitySource {
    /// One stream that is being followed, and what the base last said to it.
    private struct Follower {
        let continuation: AsyncStream<NetworkState>.Continuation
        var base: NetworkState?
        var told: NetworkState?

        mutating func tell(_ state: NetworkState) {
            guard told != state else { return }
            told = state
            continuation.yield(state)
        }
    }

    private struct Content {
        var isForcedOffline: Bool
        var nextNumber = 0
        var followers: [Int: Follower] = [:]

        /// Tells one follower what holds now, if anything is known.
        mutating func tell(_ number: Int) {
            guard let state = isForcedOffline ? .offline : followers[number]?.base else { return }
            followers[number]?.tell(state)
        }
    }

    private let base: any ConnectivitySource
    private let content: Mutex<Content>

    /// A switch in front of `base`.
    public init(_ base: any ConnectivitySource, isForcedOffline: Bool = false) {
        self.base = base
        content = Mutex(Content(isForcedOffline: isForcedOffline))
    }

    /// Whether the network is gone by wish; setting it tells every stream.
    public var isForcedOffline: Bool {
        get { content.withLock { $0.isForcedOffline } }
        set {
            // Told under the lock, so that every stream ends up with the last wish; a yield runs no one's code.
            content.withLock { content in
                content.isForcedOffline = newValue
                for number in content.followers.keys { content.tell(number) }
            }
        }
    }

    /// ``NetworkState/offline`` while forced, else the base's latest state.
    public func states() -> AsyncStream<NetworkState> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: NetworkState.self, bufferingPolicy: .bufferingNewest(1))
        let number = content.withLock { content in
            content.nextNumber += 1
            content.followers[content.nextNumber] = Follower(continuation: continuation)
            content.tell(content.nextNumber)
            return content.nextNumber
        }
        let states = base.states()
        let following = Task {
            for await state in states { self.follow(number, state) }
            continuation.finish()
        }
        continuation.onTermination = { _ in
            following.cancel()
            self.remove(number)
        }
        return stream
    }

    private func follow(_ number: Int, _ state: NetworkState) {
        content.withLock { content in
            content.followers[number]?.base = state
            content.tell(number)
        }
    }

    private func remove(_ number: Int) {
        // Let go outside the lock: a continuation's end may run code of others.
        let removed = content.withLock { $0.followers.removeValue(forKey: number) }
        _ = removed
    }
}
