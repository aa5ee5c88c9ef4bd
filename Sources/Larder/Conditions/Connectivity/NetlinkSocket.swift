#if os(Linux)
private import CLarderSystem
private import Synchronization

/// The sockets over which Linux tells of its links and routes: one that hears of changes, one for questions.
///
/// Both belong to the network namespace of the thread that opened them, and to it only: so does what they tell.
final class NetlinkSocket: Sendable {
    /// Becomes readable with each change of a link, an address or a route.
    let changes: Int32
    private let questions: Int32
    private let sequence = Atomic<UInt32>(0)

    /// The largest datagram the kernel makes of an answer is 32 KiB.
    private static let datagramSize = 65_536
    /// The most datagrams of one answer, at several hundred routes each: beyond any table there is.
    private static let datagramLimit = 65_536

    /// Opens both; nil where the system does not let this process have them.
    init?() {
        let changes = larder_netlink_listen()
        guard changes >= 0 else { return nil }
        let questions = larder_netlink_ask()
        guard questions >= 0 else {
            larder_netlink_close(changes)
            return nil
        }
        self.changes = changes
        self.questions = questions
    }

    /// Nobody can use them any more: both are given back.
    deinit {
        larder_netlink_close(changes)
        larder_netlink_close(questions)
    }

    /// Forgets the changes told so far: that there were any is all they say.
    func drainChanges() {
        // An overrun (ENOBUFS) is a change like others, and the next datagram is behind it.
        let overrun = -Int(ENOBUFS)
        var buffer = [UInt8](repeating: 0, count: Self.datagramSize)
        for _ in 0..<Self.datagramLimit {
            let length = receive(changes, into: &buffer)
            guard length >= 0 || length == overrun || length == -Int(EMSGSIZE) else { return }
        }
    }

    /// The links and routes there are now; nil when the system did not tell. Blocks for a second at most per datagram.
    func routeTable() -> RouteTable? {
        var table = RouteTable()
        guard ask(UInt16(RTM_GETLINK), AF_UNSPEC, &table), ask(UInt16(RTM_GETROUTE), AF_INET, &table) else {
            return nil
        }
        // A kernel without IPv6 may refuse: its routes are then those known already.
        var whole = table
        return ask(UInt16(RTM_GETROUTE), AF_INET6, &whole) ? whole : table
    }

    private func ask(_ kind: UInt16, _ family: Int32, _ table: inout RouteTable) -> Bool {
        // A number may come round again after four billion questions, when no answer of its first use is left.
        let number = sequence.wrappingAdd(1, ordering: .relaxed).newValue
        guard larder_netlink_dump(questions, kind, UInt8(truncatingIfNeeded: family), number) == 0 else { return false }
        var buffer = [UInt8](repeating: 0, count: Self.datagramSize)
        for _ in 0..<Self.datagramLimit {
            let length = receive(questions, into: &buffer)
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
        unsafe buffer.withUnsafeMutableBytes { room in
            // The buffer is valid for its count during the call, which writes no more than that.
            unsafe larder_netlink_receive(descriptor, room.baseAddress, UInt(room.count))
        }
    }
}
#endif
