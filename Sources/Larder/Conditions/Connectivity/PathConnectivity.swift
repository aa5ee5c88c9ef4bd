#if canImport(Network)
private import Dispatch
public import LarderTransport
private import Network

/// The connectivity that Apple's systems report (`NWPathMonitor`).
///
/// A path that the system brings up on demand counts as connected: a connection attempt brings it up.
public struct PathConnectivity: ConnectivitySource {
    /// Creates a source that uses no resources until ``states()`` is called.
    public init() {}

    /// Returns a stream of the current state and each change. It holds a monitor until it is cancelled or released.
    public func states() -> AsyncStream<NetworkState> {
        let (stream, relay) = StateRelay<NetworkState>.makeStream()
        let monitor = NWPathMonitor()
        monitor.pathUpdateHandler = { path in
            let isConnected = path.status != .unsatisfied
            relay.send(
                NetworkState(
                    isConnected: isConnected,
                    isMetered: isConnected && path.isExpensive,
                    isConstrained: isConnected && path.isConstrained))
        }
        relay.onEnd { monitor.cancel() }
        monitor.start(queue: DispatchQueue(label: "larder.connectivity"))
        return stream
    }
}
#endif
