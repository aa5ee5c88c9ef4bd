/// Tells how much power there is, and when that changes.
public protocol PowerSource: Sendable {
    /// The state now, as soon as it is known, then each change, until the task that reads it is cancelled.
    ///
    /// Every call begins a stream of its own; what it holds in the system is given back when the stream is cancelled or
    /// let go. A reader that lags finds the newest state, not every one it missed.
    func states() -> AsyncStream<PowerState>
}

/// A power supply that never changes: for servers and desktop machines, and for tests.
public struct SteadyPower: PowerSource {
    /// The state it is in.
    public let state: PowerState

    /// A supply that is always in `state`.
    public init(_ state: PowerState) {
        self.state = state
    }

    /// The one state, then nothing until the reader is cancelled.
    public func states() -> AsyncStream<PowerState> {
        // No broadcast: an optimised build would let go of it at once.
        AsyncStream { continuation in continuation.yield(state) }
    }
}
