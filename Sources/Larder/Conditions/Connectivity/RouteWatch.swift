package import LarderTransport

/// Looks at the route table when something changed, and tells one stream what that means.
///
/// The kernel says that an address goes, and nothing of the routes through a gateway that go with it (seen on Linux 6.18).
/// Who looks at the first word may look before they are gone, so there is a second look a while after each change.
package struct RouteWatch: Sendable {
    private let relay: StateRelay<NetworkState>
    private let table: @Sendable () -> RouteTable?
    private let later: @Sendable (@escaping @Sendable () -> Void) -> Void

    /// A watch that has not looked yet.
    ///
    /// - Parameters:
    ///   - relay: is told the states.
    ///   - table: gives the table of now; nil when the system does not tell.
    ///   - later: does its argument once, after a while.
    package init(
        telling relay: StateRelay<NetworkState>, table: @escaping @Sendable () -> RouteTable?,
        later: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void
    ) {
        self.relay = relay
        self.table = table
        self.later = later
    }

    /// Looks now. A system that does not tell leaves the last state as it is; before there was any, it counts as online.
    package func look() {
        if let table = table() {
            relay.tell(table.hasRouteOut ? .online : .offline)
        } else {
            relay.tellUnlessTold(.online)
        }
    }

    /// Looks now and once more, because something changed.
    package func changed() {
        look()
        later { look() }
    }
}
