#if os(Linux)
private import Dispatch
public import LarderSync

/// The network of a Linux machine: connected while a default route leads over a running link.
///
/// The system wakes it (rtnetlink(7)); nothing is polled, and nothing waits on the threads of Swift's tasks. What a link
/// costs is not known on Linux, so it is never metered or constrained. A server on the machine itself or on a
/// link without a default route is out of its sight: use ``SteadyConnectivity`` for those. Where the system does not
/// let the process ask, as in some sandboxes, the network counts as online: to try in vain is better than to never try.
public struct NetlinkConnectivity: ConnectivitySource {
    /// A source that holds nothing until its states are asked for.
    public init() {}

    /// The state now, then each change; two sockets and a queue, until the stream is cancelled or let go.
    ///
    /// The network is that of the calling thread's namespace.
    public func states() -> AsyncStream<NetworkState> {
        let (stream, relay) = StateRelay<NetworkState>.makeStream()
        guard let socket = NetlinkSocket() else {
            relay.tell(.online)
            return stream
        }
        let queue = DispatchQueue(label: "larder.connectivity")
        let source = DispatchSource.makeReadSource(fileDescriptor: socket.changes, queue: queue)
        source.setEventHandler {
            socket.drainChanges()
            Self.look(through: socket, telling: relay)
        }
        // Runs behind everything else on the queue: nobody uses a socket that is closed.
        source.setCancelHandler { socket.close() }
        // The socket listens already, so a change during the first look is told again.
        queue.async { Self.look(through: socket, telling: relay) }
        let watch = Watch(source: source)
        relay.onEnd { watch.source.cancel() }
        source.activate()
        return stream
    }

    /// Sendable because cancelling is all that is done to it, which libdispatch allows from any thread.
    private struct Watch: @unchecked Sendable {
        let source: any DispatchSourceRead
    }

    private static func look(through socket: NetlinkSocket, telling relay: StateRelay<NetworkState>) {
        if let table = socket.routeTable() {
            relay.tell(table.hasRouteOut ? .online : .offline)
        } else {
            relay.tellUnlessTold(.online)
        }
    }
}
#endif
