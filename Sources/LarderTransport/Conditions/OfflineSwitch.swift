internal import Synchronization

/// A connectivity source with a switch: while it is forced offline, the network is gone, whatever the base says.
///
/// For hosts: a setting "work offline", and trying out how a program behaves without a network.
public final class OfflineSwitch: ConnectivitySource {
    /// One stream that is being followed, and what the base last said to it.
    private struct Follower {
        let relay: StateRelay<NetworkState>
        var base: NetworkState?
    }

    private struct Content {
        var isForcedOffline: Bool
        /// The number of changes.
        var changes = 0
        var nextNumber = 0
        var followers: [Int: Follower] = [:]

        /// The report of the present state to a stream; nil while none is known.
        func report(to follower: Follower) -> Report? {
            (isForcedOffline ? .offline : follower.base).map {
                Report(relay: follower.relay, state: $0, number: changes)
            }
        }
    }

    /// A state for one stream, delivered when the lock is released.
    private struct Report {
        let relay: StateRelay<NetworkState>
        let state: NetworkState
        let number: Int

        func deliver() { relay.tell(state, number: number) }
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
            let reports = content.withLock { content in
                content.isForcedOffline = newValue
                content.changes += 1
                return content.followers.values.compactMap { content.report(to: $0) }
            }
            for report in reports { report.deliver() }
        }
    }

    /// ``NetworkState/offline`` while forced, else the base's latest state.
    public func states() -> AsyncStream<NetworkState> {
        let (stream, relay) = StateRelay<NetworkState>.makeStream()
        let number = content.withLock { content in
            content.nextNumber += 1
            let follower = Follower(relay: relay)
            content.followers[content.nextNumber] = follower
            content.report(to: follower)?.deliver()
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
        let report = content.withLock { content in
            content.followers[number]?.base = state
            content.changes += 1
            return content.followers[number].flatMap { content.report(to: $0) }
        }
        report?.deliver()
    }

    private func remove(_ number: Int) {
        // Let go outside the lock: the end of a relay is the end of what it holds.
        let removed = content.withLock { $0.followers.removeValue(forKey: number) }
        _ = removed
    }
}
