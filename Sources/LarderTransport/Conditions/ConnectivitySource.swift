/// Tells how the network is, and when that changes.
public protocol ConnectivitySource: Sendable {
    /// The state now, as soon as it is known, then each change, until the task that reads it is cancelled.
    ///
    /// Every call begins a stream of its own; what it holds in the system is given back when the stream is cancelled or
    /// let go. A reader that lags finds the newest state, not every one it missed. Two equal states never follow
    /// each other, except where a lagging reader missed what lay between.
    ///
    /// A source reports what it sees, flapping included; waiting until a state has settled is the reader's business. A
    /// source that asks nobody leaves ``NetworkState/isReachable`` nil.
    func states() -> AsyncStream<NetworkState>
}

/// A network that never changes: for hosts without a source, and for tests.
public struct SteadyConnectivity: ConnectivitySource {
    /// The state it is in.
    public let state: NetworkState

    /// A network that is always in `state`.
    public init(_ state: NetworkState) {
        self.state = state
    }

    /// The one state, then nothing until the reader is cancelled.
    public func states() -> AsyncStream<NetworkState> {
        // No broadcast: an optimised build would let go of it at once.
        AsyncStream { continuation in continuation.yield(state) }
    }
}
