internal import Synchronization

/// A connectivity source with a switch: while it is forced offline, the network is gone, whatever the base says.
///
/// For hosts: a setting "work offline", and trying out how a program behaves without a network.
public final class OfflineSwitch: ConnectivitySource {
    /// One stream that is being followed, and what the base last said to it.
    private struct Follower {
        let relay: StateRelay<NetworkState>
        var base: NetworkState?

        /// Tells what holds now, if anything is known.
        func tell(isForcedOffline: Bool) {
            if let state = isForcedOffline ? .offline : base { relay.tell(state) }
        }
    }

    private struct Content {
        var isForcedOffline: Bool
        var nextNumber = 0
        var followers: [Int: Follower] = [:]
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
            // Told under the lock, so that every stream ends up with the last wish.
            content.withLock { content in
                content.isForcedOffline = newValue
                for follower in content.followers.values { follower.tell(isForcedOffline: newValue) }
            }
        }
    }

    /// ``NetworkState/offline`` while forced, else the base's latest state.
    public func states() -> AsyncStream<NetworkState> {
        let (stream, relay) = StateRelay<NetworkState>.makeStream()
        let number = content.withLock { content in
            content.nextNumber += 1
            let follower = Follower(relay: relay)
            content.followers[content.nextNumber] = follower
            follower.tell(isForcedOffline: content.isForcedOffline)
            return content.nextNumber
        }
        let states = base.states()
        let following = Task {
            for await state in states { self.follow(number, state) }
            relay.finish()
        }
        relay.onEnd {
            following.cancel()
            self.remove(number)
        }
        return stream
    }

    private func follow(_ number: Int, _ state: NetworkState) {
        content.withLock { content in
            content.followers[number]?.base = state
            content.followers[number]?.tell(isForcedOffline: content.isForcedOffline)
        }
    }

    private func remove(_ number: Int) {
        // Let go outside the lock: the end of a relay is the end of what it holds.
        let removed = content.withLock { $0.followers.removeValue(forKey: number) }
        _ = removed
    }
}
