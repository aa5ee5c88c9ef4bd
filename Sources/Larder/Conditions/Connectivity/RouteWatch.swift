package import LarderTransport

/// Reads the route table after each change, and reports the resulting state to one stream.
///
/// The kernel reports the removal of an address, but not of the routes through a gateway that are removed with it
/// (observed on Linux 6.18). A read after the first message may still see them, so a second read follows a while after
/// each change.
package struct RouteWatch: Sendable {
    private let relay: StateRelay<NetworkState>
    private let table: @Sendable () -> RouteTable?
    private let afterDelay: @Sendable (@escaping @Sendable () -> Void) -> Void

    /// Creates a watch that has not read the table yet.
    ///
    /// - Parameters:
    ///   - relay: Receives the states.
    ///   - table: Returns the current table; nil when the system does not report it.
    ///   - afterDelay: Calls its argument once, after a while.
    package init(
        reportingTo relay: StateRelay<NetworkState>, table: @escaping @Sendable () -> RouteTable?,
        afterDelay: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void
    ) {
        self.relay = relay
        self.table = table
        self.afterDelay = afterDelay
    }

    /// Reads the table now. When the system does not report it, the last state stays; without one, the network counts
    /// as online.
    package func readTable() {
        if let table = table() {
            relay.send(table.hasRouteOut ? .online : .offline)
        } else {
            relay.sendInitial(.online)
        }
    }

    /// Reads the table now and once more later, because something changed.
    package func handleChange() {
        readTable()
        afterDelay { readTable() }
    }
}
