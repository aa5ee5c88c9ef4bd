/// The links and default routes of a machine, as Linux reports them (rtnetlink(7)).
///
/// It is parsed from datagrams byte by byte: any input gives a table or a failure.
package struct RouteTable: Hashable, Sendable {
    /// The links that are up, have a carrier (or none to have) and lead off the machine, by their index.
    package private(set) var runningLinks: Set<Int32> = []

    /// The links that a default route leads to; nil stands for one whose route does not name it.
    package private(set) var defaultRoutes: Set<Int32?> = []

    /// Creates a table without links or routes.
    package init() {}

    /// Whether a default route leads over a running link.
    ///
    /// The loopback link does not lead off the machine, and neither does a default route of type "unreachable".
    package var hasRouteOut: Bool {
        defaultRoutes.contains { link in
            link.map(runningLinks.contains) ?? !runningLinks.isEmpty
        }
    }

    /// The progress of the response to a query.
    package enum Progress: Hashable, Sendable {
        /// More datagrams follow.
        case unfinished
        /// This datagram was the last.
        case finished
        /// The query was refused, or the bytes are no response to it.
        case failed
    }

    /// Reads one datagram of the response to the query numbered `sequence`.
    ///
    /// Messages with another number, and of kinds that do not matter here, are skipped.
    package mutating func read(_ datagram: [UInt8], answering sequence: UInt32) -> Progress {
        var rest = NetlinkBytes(datagram)
        while !rest.isEmpty {
            guard let message = rest.popMessage() else { return .failed }
            guard message.sequence == sequence else { continue }
            switch message.kind {
            case Kind.done:
                // After the end marker there is a result code: 0 for success, missing on some kernels.
                return message.body.integer(at: 0, as: Int32.self) ?? 0 < 0 ? .failed : .finished
            case Kind.error: return .failed
            case Kind.link: readLink(message.body)
            case Kind.route: readRoute(message.body)
            default: continue
            }
        }
        return .unfinished
    }

    /// Reads a `struct ifinfomsg`: family, type, index at 4, flags at 8.
    private mutating func readLink(_ body: NetlinkBytes) {
        guard let index = body.integer(at: 4, as: Int32.self), let flags = body.integer(at: 8, as: UInt32.self)
        else { return }
        let isRunning = flags & Flag.up != 0 && flags & Flag.running != 0 && flags & Flag.loopback == 0
        if isRunning { runningLinks.insert(index) } else { runningLinks.remove(index) }
    }

    /// Reads a `struct rtmsg`: family at 0, length of the destination's prefix at 1, type at 7; then attributes.
    private mutating func readRoute(_ body: NetlinkBytes) {
        guard let family = body.integer(at: 0, as: UInt8.self), family == Family.ip4 || family == Family.ip6,
            body.integer(at: 1, as: UInt8.self) == 0, body.integer(at: 7, as: UInt8.self) == Self.unicast
        else { return }
        var attributes = body.dropping(12)
        var links: Set<Int32?> = []
        while let attribute = attributes.popAttribute() {
            switch attribute.kind {
            case Attribute.link: links.formUnion(attribute.body.integer(at: 0, as: Int32.self).map { [$0] } ?? [])
            case Attribute.nextHops: links.formUnion(nextHops(attribute.body))
            default: continue
            }
        }
        // A route through a next-hop object may name no link itself.
        defaultRoutes.formUnion(links.isEmpty ? [nil] : links)
    }

    /// Returns the links of a list of `struct rtnexthop`: length at 0, index of the link at 4.
    private func nextHops(_ body: NetlinkBytes) -> Set<Int32?> {
        var links: Set<Int32?> = []
        var rest = body
        while let hop = rest.popNextHop(), let link = hop.integer(at: 4, as: Int32.self) { links.insert(link) }
        return links
    }

    /// `RTN_UNICAST`: a route to a destination.
    private static let unicast: UInt8 = 1

    /// linux/netlink.h and linux/rtnetlink.h, message types.
    private enum Kind {
        static let error: UInt16 = 2
        static let done: UInt16 = 3
        static let link: UInt16 = 16
        static let route: UInt16 = 24
    }

    /// linux/rtnetlink.h, `RTA_OIF` and `RTA_MULTIPATH`.
    private enum Attribute {
        static let link: UInt16 = 4
        static let nextHops: UInt16 = 9
    }

    /// linux/if.h, `IFF_…`.
    private enum Flag {
        static let up: UInt32 = 0x1
        static let loopback: UInt32 = 0x8
        static let running: UInt32 = 0x40
    }

    /// `AF_INET` and `AF_INET6` of Linux.
    private enum Family {
        static let ip4: UInt8 = 2
        static let ip6: UInt8 = 10
    }
}
