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

    /// How many streams are being followed: 0 when everybody who followed has stopped.
    public var followerCount: Int { broadcast.followerCount }

    /// Changes the state and tells every stream; nothing happens when it is the current one.
    public func set(_ state: NetworkState) {
        broadcast.set(state)
    }

    /// The current state, then each that is set.
    public func states() -> AsyncStream<NetworkState> {
        broadcast.states()
    }
}
