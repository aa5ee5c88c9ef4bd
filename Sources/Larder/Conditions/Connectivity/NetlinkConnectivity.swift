#if os(Linux)
private import Dispatch
public import LarderTransport

/// The connectivity of a Linux machine: connected while a default route leads over a running link.
///
/// The system notifies it (rtnetlink(7)); nothing is polled, and the threads of Swift's tasks are not blocked. Linux
/// does not report what a link costs, so it is never metered or constrained. The source does not see a server on the
/// machine itself or on a link without a default route: use ``SteadyConnectivity`` for those. Where the system denies
/// the process access, as in some sandboxes, the network counts as online: a failed try is better than none.
public struct NetlinkConnectivity: ConnectivitySource {
    /// The wait before the second read of the routes, which may change after the kernel's message.
    private static let settling = DispatchTimeInterval.milliseconds(500)

    /// Creates a source that uses no resources until ``states()`` is called.
    public init() {}

    /// Returns a stream of the current state and each change. It holds two sockets and a queue until it is cancelled or
    /// released.
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
        // The source must not outlive its descriptor; blocks still on the queue keep it, too.
        source.setCancelHandler { withExtendedLifetime(socket) {} }
        // The socket is listening already, so a change during the first read is reported again.
        queue.async { watch.look() }
        let waking = Waking(source: source)
        relay.onEnd { waking.source.cancel() }
        source.activate()
        return stream
    }

    /// Sendable because its only use is cancelling, which libdispatch allows from any thread.
    private struct Waking: @unchecked Sendable {
        let source: any DispatchSourceRead
    }
}
#endif
