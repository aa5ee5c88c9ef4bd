public import LarderTransport

/// A power supply that a test drains and fills.
public final class ScriptedPower: PowerSource {
    private let broadcast: StateBroadcast<PowerState>

    /// A supply in `state`.
    public init(_ state: PowerState = .normal) {
        broadcast = StateBroadcast(state)
    }

    /// The state that was set last.
    public var current: PowerState { broadcast.current }

    /// How many streams are being followed: 0 when everybody who followed has stopped.
    public var followerCount: Int { broadcast.followerCount }

    /// Changes the state and tells every stream; nothing happens when it is the current one.
    public func set(_ state: PowerState) {
        broadcast.set(state)
    }

    /// The current state, then each that is set.
    public func states() -> AsyncStream<PowerState> {
        broadcast.states()
    }
}
