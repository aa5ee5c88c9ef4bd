// Proves that connectivity on Linux follows the kernel's routes, links and addresses.

#if os(Linux)
import Foundation
import Glibc
import Larder
import PostgresCluster
import Testing

@Suite(.timeLimit(.minutes(5))) struct `The network of a Linux machine` {
    @Test func `is at first as the kernel's table of routes says`() async throws {
        var states = SystemConnectivity.source().states().makeAsyncIterator()
        let state = try #require(await states.next())
        #expect(state == (try Self.isDefaultRouteListed() ? .online : .offline))
    }

    /// Whether a default route is listed, in a machine whose links all run.
    private static func isDefaultRouteListed() throws -> Bool {
        let routes = try String(contentsOfFile: "/proc/net/route", encoding: .utf8).split(separator: "\n").dropFirst()
        let isListed = routes.contains { line in
            let fields = line.split(whereSeparator: \.isWhitespace)
            return fields.count > 7 && fields[1] == "00000000" && fields[7] == "00000000"
        }
        guard !isListed, let more = try? String(contentsOfFile: "/proc/net/ipv6_route", encoding: .utf8) else {
            return isListed
        }
        return more.split(separator: "\n").contains { line in
            line.hasPrefix("00000000000000000000000000000000 00 ") && !line.hasSuffix(" lo")
        }
    }

    @Test func `leaves no socket open after its readers end`() async throws {
        let before = Self.openSockets()
        for _ in 0..<200 {
            var states = NetlinkConnectivity().states().makeAsyncIterator()
            _ = await states.next()
        }
        // Two hundred readers held four hundred. Others in this process may open some for a short time meanwhile.
        while Self.openSockets() > before + 100 {
            try Task.checkCancellation()
            await Task.yield()
        }
    }

    private static func openSockets() -> Int {
        let folder = "/proc/self/fd"
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return names.count { name in
            (try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\(name)"))?.hasPrefix("socket:")
                ?? false
        }
    }

    @Test func `reports each loss of an address that removes its routes`() async throws {
        let other: OtherNetwork
        do { other = try OtherNetwork() } catch { try Test.cancel("no network of our own to change: \(error)") }
        var states = other.states.makeAsyncIterator()
        #expect(await states.next() == .offline)
        try await other.ip("link", "add", "near", "type", "veth", "peer", "name", "far")
        try await other.ip("link", "set", "far", "up")
        try await other.ip("link", "set", "near", "up")
        for round in 0..<25 {
            try await other.ip("address", "add", "192.0.2.10/24", "dev", "near")
            try await other.ip("route", "add", "default", "via", "192.0.2.1")
            #expect(await states.next() == .online)
            try await other.ip("address", "del", "192.0.2.10/24", "dev", "near")
            #expect(await states.next() == .offline, "\(round)")
        }
    }

    @Test func `follows links, addresses and routes as they change`() async throws {
        let other: OtherNetwork
        do { other = try OtherNetwork() } catch { try Test.cancel("no network of our own to change: \(error)") }
        var states = other.states.makeAsyncIterator()
        #expect(await states.next() == .offline)
        try await other.ip("link", "add", "near", "type", "veth", "peer", "name", "far")
        try await other.ip("link", "set", "far", "up")
        try await other.ip("link", "set", "near", "up")
        try await other.ip("address", "add", "192.0.2.10/24", "dev", "near")
        try await other.ip("route", "add", "default", "via", "192.0.2.1")
        #expect(await states.next() == .online)
        // The cable is pulled: the route stays.
        try await other.ip("link", "set", "far", "down")
        #expect(await states.next() == .offline)
        try await other.ip("link", "set", "far", "up")
        #expect(await states.next() == .online)
        // The kernel drops the routes of a lost address without a word about them.
        try await other.ip("address", "del", "192.0.2.10/24", "dev", "near")
        #expect(await states.next() == .offline)
        try await other.ip("-6", "route", "add", "default", "dev", "near")
        #expect(await states.next() == .online)
        try await other.ip("-6", "route", "del", "default", "dev", "near")
        #expect(await states.next() == .offline)
        // A route over the loopback leads nowhere, and one that says unreachable less.
        try await other.ip("link", "set", "lo", "up")
        try await other.ip("route", "add", "default", "dev", "lo")
        try await other.ip("route", "add", "unreachable", "default", "metric", "4000")
        try await other.ip("address", "add", "192.0.2.11/24", "dev", "near")
        try await other.ip("route", "add", "default", "dev", "near", "metric", "5")
        #expect(await states.next() == .online)
    }
}

/// A network namespace with nothing in it, in which nobody but this test is, and the states seen from inside.
private struct OtherNetwork: ~Copyable {
    let states: AsyncStream<NetworkState>
    private let namespace: Int32

    struct Refused: Error, CustomStringConvertible {
        let description: String
    }

    private struct Inside {
        var namespace: Int32 = -1
        var states: AsyncStream<NetworkState>?
        var code: Int32 = 0
    }

    /// Leaves the namespace of this process on a thread of its own, which then ends.
    ///
    /// - Throws: ``Refused`` without the privilege to do that, or without the programs to change a network with.
    init() throws {
        for program in ["nsenter", "ip"] where Self.path(of: program) == nil {
            throw Refused(description: "no program \(program)")
        }
        let found = Mutexed<Inside>()
        let isOver = DispatchSemaphore(value: 0)
        Thread {
            found.value = Self.observe()
            isOver.signal()
        }.start()
        isOver.wait()
        guard let inside = found.value, let states = inside.states else {
            throw Refused(description: "unshare(CLONE_NEWNET) said \(found.value?.code ?? 0)")
        }
        self.states = states
        namespace = inside.namespace
    }

    deinit {
        close(namespace)
    }

    private static func observe() -> Inside {
        // Swift's overlay of the C library leaves the function out; its type is that of unshare(2).
        guard let symbol = unsafe dlsym(nil, "unshare") else { return Inside(code: ENOSYS) }
        let unshare = unsafe unsafeBitCast(symbol, to: (@convention(c) (Int32) -> Int32).self)
        let newNetwork: Int32 = 0x4000_0000
        guard unshare(newNetwork) == 0 else { return Inside(code: errno) }
        let namespace = unsafe open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC)
        guard namespace >= 0 else { return Inside(code: errno) }
        return Inside(namespace: namespace, states: NetlinkConnectivity().states())
    }

    private static func path(of program: String) -> String? {
        ["/usr/bin", "/usr/sbin", "/bin", "/sbin"].map { "\($0)/\(program)" }
            .first { FileManager.default.isExecutableFile(atPath: $0) }
    }

    /// Runs ip(8) inside.
    func ip(_ arguments: String...) async throws {
        let (nsenter, ip) = (try #require(Self.path(of: "nsenter")), try #require(Self.path(of: "ip")))
        let ended = try await SpawnedProgram.run(
            nsenter, ["--net=/proc/\(getpid())/fd/\(namespace)", ip] + arguments)
        try #require(ended.status == 0, "ip \(arguments.joined(separator: " "))")
    }
}
#endif
