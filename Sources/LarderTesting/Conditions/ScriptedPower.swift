public import LarderTransport

/// A power supply whose state a test sets.
public final class ScriptedPower: PowerSource {
    private let broadcast: StateBroadcast<PowerState>

    /// A supply in `state`.
    public init(_ state: PowerState = .normal) {
        broadcast = StateBroadcast(state)
    }

    /// The state that was set last.
    public var current: PowerState { broadcast.current }

    /// The number of streams that are followed: 0 when every follower has stopped.
    public var subscriberCount: Int { broadcast.subscriberCount }

    /// Changes the state and notifies every stream; does nothing when it is the current one.
    public func set(_ state: PowerState) {
        broadcast.set(state)
    }

    /// Returns a stream of the current state, then of each that is set.
    public func states() -> AsyncStream<PowerState> {
        broadcast.states()
    }
}
