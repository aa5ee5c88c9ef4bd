/// Reports the state of the power supply and its changes.
///
/// ```swift
/// struct SolarPower: PowerSource {
///     let panel: SolarPanel  // the app's own: reports the charge, 0 to 1, at once and at every change
///
///     func states() -> AsyncStream<PowerState> {
///         AsyncStream(bufferingPolicy: .bufferingNewest(1)) { states in
///             let observer = panel.observe { charge in states.yield(PowerReading(battery: charge).state()) }
///             states.onTermination = { _ in observer.cancel() }
///         }
///     }
/// }
/// ```
public protocol PowerSource: Sendable {
    /// Returns a stream of the current state, as soon as it is known, and of each change, until the reading task is
    /// cancelled.
    ///
    /// Every call starts a new stream; its system resources are freed when the stream is cancelled or released. A slow
    /// reader gets the newest state, not every one it missed.
    func states() -> AsyncStream<PowerState>
}

/// A power supply that never changes: for servers and desktop machines, and for tests.
public struct SteadyPower: PowerSource {
    /// The constant state.
    public let state: PowerState

    /// Creates a supply that is always in `state`.
    public init(_ state: PowerState) {
        self.state = state
    }

    /// Returns a stream of the one state that then stays silent until the reader is cancelled.
    public func states() -> AsyncStream<PowerState> {
        // Not a broadcast, because an optimised build would release it at once.
        AsyncStream { continuation in continuation.yield(state) }
    }
}
