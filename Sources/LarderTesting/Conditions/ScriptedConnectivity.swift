public import LarderTransport

/// A network that a test turns on and off.
public final class ScriptedConnectivity: ConnectivitySource {
    private let broadcast: StateBroadcast<NetworkState>

    /// A network in `state`.
    public init(_ state: NetworkState = .online) {
        broadcast = StateBroadcast(state)
    }

    /// The state that was set last.
    public var current: NetworkState { broadcast.current }

    /// The number of streams that are followed: 0 when every follower has stopped.
    public var subscriberCount: Int { broadcast.subscriberCount }

    /// Changes the state and notifies every stream; does nothing when it is the current one.
    public func set(_ state: NetworkState) {
        broadcast.set(state)
    }

    /// Returns a stream of the current state, then of each that is set.
    public func states() -> AsyncStream<NetworkState> {
        broadcast.states()
    }
}
