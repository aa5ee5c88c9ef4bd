#if canImport(Network)
private import Dispatch
public import LarderTransport
private import Network

/// The network as Apple's systems see it (`NWPathMonitor`).
///
/// A path that the system would bring up on demand counts as connected: it comes up when somebody tries.
public struct PathConnectivity: ConnectivitySource {
    /// A source that holds nothing until its states are asked for.
    public init() {}

    /// The state now, then each change; a monitor, until the stream is cancelled or let go.
    public func states() -> AsyncStream<NetworkState> {
        let (stream, relay) = StateRelay<NetworkState>.makeStream()
        let monitor = NWPathMonitor()
        monitor.pathUpdateHandler = { path in
            let isConnected = path.status != .unsatisfied
            relay.tell(
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
