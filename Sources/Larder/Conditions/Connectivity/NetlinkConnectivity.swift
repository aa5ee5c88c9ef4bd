#if os(Linux)
private import Dispatch
public import LarderTransport

/// The connectivity of a Linux machine: connected while a default route leads over a running link.
///
/// The system notifies it (rtnetlink(7)); nothing is polled, and the threads of Swift's tasks are not blocked. Linux
/// does not report what a link costs, so it is never metered or constrained. The source does not see a server on the
/// machine itself or on a link without a default route: use `SteadyConnectivity` for those. Where the system denies
/// the process access, as in some sandboxes, the network counts as online: a failed try is better than none.
///
/// ```swift
/// for await state in NetlinkConnectivity().states() {  // now, and after every change
///     print(state.isConnected ? "there is a default route" : "offline")
/// }
/// ```
public struct NetlinkConnectivity: ConnectivitySource {
    /// The wait before the second read of the routes, which may change after the kernel's message.
    private static let rereadDelay = DispatchTimeInterval.milliseconds(500)

    /// Creates a source that uses no resources until ``states()`` is called.
    public init() {}

    /// Returns a stream of the current state and each change. It holds two sockets and a queue until it is cancelled or
    /// released.
    ///
    /// The network is that of the calling thread's namespace.
    public func states() -> AsyncStream<NetworkState> {
        let (stream, relay) = StateRelay<NetworkState>.makeStream()
        guard let socket = NetlinkSocket() else {
            relay.send(.online)
            return stream
        }
        let queue = DispatchQueue(label: "larder.connectivity")
        let watch = RouteWatch(reportingTo: relay) {
            socket.routeTable()
        } afterDelay: { action in
            queue.asyncAfter(deadline: .now() + Self.rereadDelay) { action() }
        }
        let source = DispatchSource.makeReadSource(fileDescriptor: socket.changes, queue: queue)
        source.setEventHandler {
            socket.drainChanges()
            watch.handleChange()
        }
        // The source must not outlive its descriptor; blocks still on the queue keep it, too.
        source.setCancelHandler { withExtendedLifetime(socket) {} }
        // The socket is listening already, so a change during the first read is reported again.
        queue.async { watch.readTable() }
        let sendableSource = SendableSource(source: source)
        relay.onEnd { sendableSource.source.cancel() }
        source.activate()
        return stream
    }

    /// Sendable because its only use is cancelling, which libdispatch allows from any thread.
    private struct SendableSource: @unchecked Sendable {
        let source: any DispatchSourceRead
    }
}
#endif
