/// Reports the state of the network and its changes.
///
/// ```swift
/// struct ModemConnectivity: ConnectivitySource {
///     let modem: Modem  // the app's own: reports at once, and at every change
///
///     func states() -> AsyncStream<NetworkState> {
///         AsyncStream(bufferingPolicy: .bufferingNewest(1)) { states in
///             let observer = modem.observe { isUp in states.yield(isUp ? .metered : .offline) }
///             states.onTermination = { _ in observer.cancel() }
///         }
///     }
/// }
/// ```
public protocol ConnectivitySource: Sendable {
    /// Returns a stream of the current state, as soon as it is known, and of each change, until the reading task is
    /// cancelled.
    ///
    /// Every call starts a new stream; its system resources are freed when the stream is cancelled or released. A slow
    /// reader gets the newest state, not every one it missed. Two equal states never follow each other, except where a
    /// slow reader missed the states between them.
    ///
    /// A source reports every state that it observes, flapping included; the reader decides how long a state must last.
    /// A source that contacts no server leaves ``NetworkState/isReachable`` nil.
    func states() -> AsyncStream<NetworkState>
}

/// A network that never changes: for hosts without a source, and for tests.
public struct SteadyConnectivity: ConnectivitySource {
    /// The constant state.
    public let state: NetworkState

    /// Creates a network that is always in `state`.
    public init(_ state: NetworkState) {
        self.state = state
    }

    /// Returns a stream of the one state that then stays silent until the reader is cancelled.
    public func states() -> AsyncStream<NetworkState> {
        // Not a broadcast, because an optimised build would release it at once.
        AsyncStream { continuation in continuation.yield(state) }
    }
}
