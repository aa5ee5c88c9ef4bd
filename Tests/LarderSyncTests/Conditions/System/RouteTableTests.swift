// Proves that routes to the Internet are read from rtnetlink messages, and that malformed ones never trap.

import Larder
import LarderTesting
import Testing

@Suite struct `The route table of Linux` {
    private static let ethernet: Int32 = 2
    private static let loopback: Int32 = 1

    private func table(_ messages: [UInt8]...) -> RouteTable {
        var table = RouteTable()
        let progress = table.read(messages.flatMap { $0 } + Datagram.done(), answering: Datagram.sequence)
        #expect(progress == .finished)
        return table
    }

    @Test func `without anything has no route out`() {
        #expect(!table().hasRouteOut)
    }

    @Test(arguments: [UInt8(2), 10])
    func `has a route out over a running link`(family: UInt8) {
        let table = table(
            Datagram.link(Self.ethernet, flags: 0x11043), Datagram.route(family: family, over: Self.ethernet))
        #expect(table.hasRouteOut)
        #expect(table.runningLinks == [Self.ethernet])
        #expect(table.defaultRoutes == [Self.ethernet])
    }

    @Test(arguments: [UInt32(0x1003), 0x1042, 0x49, 0])
    func `leads nowhere over a link that is down, without carrier, or loopback`(flags: UInt32) {
        #expect(!table(Datagram.link(3, flags: flags), Datagram.route(over: 3)).hasRouteOut)
    }

    @Test func `needs the route to be over that link`() {
        #expect(!table(Datagram.link(3), Datagram.link(4, flags: 0), Datagram.route(over: 4)).hasRouteOut)
    }

    @Test func `needs a default route, not one to the local network only`() {
        #expect(!table(Datagram.link(3), Datagram.route(prefix: 24, over: 3)).hasRouteOut)
    }

    @Test func `recognizes an unreachable default route`() {
        #expect(!table(Datagram.link(3), Datagram.route(type: 7, over: 3)).hasRouteOut)
    }

    @Test func `skips routes that are not for Internet addresses`() {
        #expect(!table(Datagram.link(3), Datagram.route(family: 128, over: 3)).hasRouteOut)
    }

    @Test func `finds the links of a route with several next hops`() {
        let route = Datagram.route(attributes: Datagram.attribute(9, Datagram.hop(5) + Datagram.hop(6)))
        #expect(table(Datagram.link(6), route).hasRouteOut)
        #expect(table(Datagram.link(6), route).defaultRoutes == [5, 6])
        #expect(!table(Datagram.link(7), route).hasRouteOut)
    }

    @Test func `assumes that a route by a next-hop object leads over any link`() {
        let route = Datagram.route(attributes: Datagram.attribute(30, [1, 0, 0, 0]))
        #expect(table(Datagram.link(3), route).hasRouteOut)
        #expect(!table(Datagram.link(1, flags: 0x49), route).hasRouteOut)
    }

    @Test func `uses a link's last message`() {
        #expect(!table(Datagram.link(3), Datagram.link(3, flags: 0), Datagram.route(over: 3)).hasRouteOut)
    }

    @Test func `is read over several datagrams until the end`() {
        var table = RouteTable()
        #expect(table.read(Datagram.link(3), answering: Datagram.sequence) == .unfinished)
        #expect(table.read([], answering: Datagram.sequence) == .unfinished)
        #expect(table.read(Datagram.route(over: 3) + Datagram.done(), answering: Datagram.sequence) == .finished)
        #expect(table.hasRouteOut)
    }

    @Test func `skips responses to another request`() {
        var table = RouteTable()
        let other = Datagram.sequence + 1
        #expect(table.read(Datagram.link(3) + Datagram.done(), answering: other) == .unfinished)
        #expect(table == RouteTable())
    }

    @Test func `fails when the request was refused`() {
        var table = RouteTable()
        #expect(table.read(Datagram.message(2, [0xFF, 0xFF, 0xFF, 0xFF]), answering: Datagram.sequence) == .failed)
        #expect(table.read(Datagram.done(outcome: -16), answering: Datagram.sequence) == .failed)
        #expect(table.read(Datagram.message(3, []), answering: Datagram.sequence) == .finished)
    }
}

@Suite struct `Odd bytes in place of a route table` {
    private static let whole =
        Datagram.link(3) + Datagram.route(over: 3)
        + Datagram.route(attributes: Datagram.attribute(9, Datagram.hop(5) + Datagram.hop(6))) + Datagram.done()

    @Test(arguments: 0..<whole.count)
    func `cut short anywhere are no complete response`(count: Int) {
        var table = RouteTable()
        #expect(table.read(Array(Self.whole.prefix(count)), answering: Datagram.sequence) != .finished)
    }

    @Test(arguments: [UInt32(0), 15, 17, 0x7FFF_FFFF, 0xFFFF_FFFF])
    func `with a wrong length are no response`(length: UInt32) {
        var bytes = Datagram.message(3, [])
        bytes.replaceSubrange(0..<4, with: Datagram.bytes(length))
        var table = RouteTable()
        #expect(table.read(bytes, answering: Datagram.sequence) == .failed)
    }

    @Test(arguments: [UInt16(0), 3, 7, 0xFFFF])
    func `with an attribute of a false length name no link`(length: UInt16) {
        var attribute = Datagram.attribute(4, Datagram.bytes(Int32(3)))
        attribute.replaceSubrange(0..<2, with: Datagram.bytes(length))
        var table = RouteTable()
        #expect(
            table.read(Datagram.route(attributes: attribute) + Datagram.done(), answering: Datagram.sequence)
                == .finished)
        #expect(table.defaultRoutes == [nil])
    }

    @Test(arguments: 0..<20 as Range<UInt64>)
    func `flipped anywhere never trap`(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<500 {
            var bytes = Self.whole
            for _ in 0..<Int.random(in: 1...6, using: &generator) {
                bytes[Int.random(in: bytes.indices, using: &generator)] = UInt8.random(in: 0...255, using: &generator)
            }
            var table = RouteTable()
            _ = table.read(bytes, answering: Datagram.sequence)
            _ = table.hasRouteOut
        }
    }
}
