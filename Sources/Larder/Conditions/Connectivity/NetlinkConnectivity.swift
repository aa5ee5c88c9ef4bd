#if os(Linux)
private import Dispatch
public import LarderTransport

/// The network of a Linux machine: connected while a default route leads over a running link.
///
/// The system wakes it (rtnetlink(7)); nothing is polled, and nothing waits on the threads of Swift's tasks. What a link
/// costs is not known on Linux, so it is never metered or constrained. A server on the machine itself or on a
/// link without a default route is out of its sight: use ``SteadyConnectivity`` for those. Where the system does not
/// let the process ask, as in some sandboxes, the network counts as online: to try in vain is better than to never try.
public struct NetlinkConnectivity: ConnectivitySource {
    /// The wait before the second look at what may have changed behind the kernel's message.
    private static let settling = DispatchTimeInterval.milliseconds(500)

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
        let watch = RouteWatch(telling: relay) {
            socket.routeTable()
        } later: { action in
            queue.asyncAfter(deadline: .now() + Self.settling) { action() }
        }
        let source = DispatchSource.makeReadSource(fileDescriptor: socket.changes, queue: queue)
        source.setEventHandler {
            socket.drainChanges()
            watch.changed()
        }
        // The source must not outlive its descriptor; what still waits on the queue keeps it, too.
        source.setCancelHandler { withExtendedLifetime(socket) {} }
        // The socket listens already, so a change during the first look is told again.
        queue.async { watch.look() }
        let waking = Waking(source: source)
        relay.onEnd { waking.source.cancel() }
        source.activate()
        return stream
    }

    /// Sendable because cancelling is all that is done to it, which libdispatch allows from any thread.
    private struct Waking: @unchecked Sendable {
        let source: any DispatchSourceRead
    }
}
#endif
