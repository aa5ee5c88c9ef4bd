#if os(Linux)
private import CLarderSystem
private import Synchronization

/// The sockets to Linux's links and routes: one for notifications of changes, one for queries.
///
/// Both belong to the network namespace of the thread that opened them, and so does their data.
final class NetlinkSocket: Sendable {
    /// Becomes readable with each change of a link, an address or a route.
    let changes: Int32
    private let queries: Int32
    private let sequence = Atomic<UInt32>(0)

    /// The size of the receive buffer, in bytes; the kernel's largest datagram of a response is 32 KiB.
    private static let datagramSize = 65_536
    /// The most datagrams of one response, at several hundred routes each: more than any existing table.
    private static let datagramLimit = 65_536

    /// Opens both; nil where the system denies this process access.
    init?() {
        let changes = larder_netlink_listen()
        guard changes >= 0 else { return nil }
        let queries = larder_netlink_ask()
        guard queries >= 0 else {
            larder_netlink_close(changes)
            return nil
        }
        self.changes = changes
        self.queries = queries
    }

    /// Closes both sockets, which have no other user by then.
    deinit {
        larder_netlink_close(changes)
        larder_netlink_close(queries)
    }

    /// Discards the messages about changes; only their arrival matters.
    func drainChanges() {
        // An overrun (ENOBUFS) is a change like others, and the next datagram follows it.
        let overrun = -Int(ENOBUFS)
        var buffer = [UInt8](repeating: 0, count: Self.datagramSize)
        for _ in 0..<Self.datagramLimit {
            let length = receive(changes, into: &buffer)
            guard length >= 0 || length == overrun || length == -Int(EMSGSIZE) else { return }
        }
    }

    /// Returns the current links and routes; nil when the system did not report them. Blocks for a second at most per
    /// datagram.
    func routeTable() -> RouteTable? {
        var table = RouteTable()
        guard readDump(UInt16(RTM_GETLINK), AF_UNSPEC, &table), readDump(UInt16(RTM_GETROUTE), AF_INET, &table) else {
            return nil
        }
        // A kernel without IPv6 may refuse: then the table has the IPv4 routes only.
        var whole = table
        return readDump(UInt16(RTM_GETROUTE), AF_INET6, &whole) ? whole : table
    }

    private func readDump(_ kind: UInt16, _ family: Int32, _ table: inout RouteTable) -> Bool {
        // A number repeats after four billion queries, when no response to its first use is left.
        let number = sequence.wrappingAdd(1, ordering: .relaxed).newValue
        guard larder_netlink_dump(queries, kind, UInt8(truncatingIfNeeded: family), number) == 0 else { return false }
        var buffer = [UInt8](repeating: 0, count: Self.datagramSize)
        for _ in 0..<Self.datagramLimit {
            let length = receive(queries, into: &buffer)
            guard length >= 0 else { return false }
            switch table.read(Array(buffer.prefix(length)), answering: number) {
            case .unfinished: continue
            case .finished: return true
            case .failed: return false
            }
        }
        return false
    }

    private func receive(_ descriptor: Int32, into buffer: inout [UInt8]) -> Int {
        unsafe buffer.withUnsafeMutableBytes { destination in
            // The buffer is valid for its count during the call, which writes no more than that.
            unsafe larder_netlink_receive(descriptor, destination.baseAddress, UInt(destination.count))
        }
    }
}
#endif
