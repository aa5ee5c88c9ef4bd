internal import Synchronization

/// A connectivity source with a switch: while it is forced offline, it reports no network, whatever the base reports.
///
/// An app uses it for a setting "work offline", or to try its behaviour without a network.
public final class OfflineSwitch: ConnectivitySource {
    /// One open stream, and the base's last state for it.
    private struct Subscriber {
        let relay: StateRelay<NetworkState>
        var base: NetworkState?
    }

    private struct Content {
        var isForcedOffline: Bool
        /// The number of changes.
        var changes = 0
        var nextNumber = 0
        var subscribers: [Int: Subscriber] = [:]

        /// The report of the present state to a stream; nil while none is known.
        func report(to follower: Subscriber) -> Report? {
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

        func deliver() { relay.send(state, number: number) }
    }

    private let base: any ConnectivitySource
    private let content: Mutex<Content>

    /// Creates a switch for `base`.
    public init(_ base: any ConnectivitySource, isForcedOffline: Bool = false) {
        self.base = base
        content = Mutex(Content(isForcedOffline: isForcedOffline))
    }

    /// Whether the network is forced offline; setting it notifies every stream.
    public var isForcedOffline: Bool {
        get { content.withLock { $0.isForcedOffline } }
        set {
            let reports = content.withLock { content in
                content.isForcedOffline = newValue
                content.changes += 1
                return content.subscribers.values.compactMap { content.report(to: $0) }
            }
            for report in reports { report.deliver() }
        }
    }

    /// Returns a stream of ``NetworkState/offline`` while forced, else of the base's latest state.
    public func states() -> AsyncStream<NetworkState> {
        let (stream, relay) = StateRelay<NetworkState>.makeStream()
        let number = content.withLock { content in
            content.nextNumber += 1
            let subscriber = Subscriber(relay: relay)
            content.subscribers[content.nextNumber] = subscriber
            content.report(to: subscriber)?.deliver()
            return content.nextNumber
        }
        let states = base.states()
        let forwarding = Task {
            for await state in states { self.forward(number, state) }
            relay.finish()
        }
        relay.onEnd {
            forwarding.cancel()
            self.remove(number)
        }
        return stream
    }

    private func forward(_ number: Int, _ state: NetworkState) {
        let report = content.withLock { content in
            content.subscribers[number]?.base = state
            content.changes += 1
            return content.subscribers[number].flatMap { content.report(to: $0) }
        }
        report?.deliver()
    }

    private func remove(_ number: Int) {
        // Released outside the lock, because this also releases everything that the relay holds.
        let removed = content.withLock { $0.subscribers.removeValue(forKey: number) }
        _ = removed
    }
}
