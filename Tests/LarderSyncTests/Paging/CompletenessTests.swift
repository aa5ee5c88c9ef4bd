// Proves that a pass deletes no row that the server has, and is whole only when it saw all of the list, whatever the server
// answers: fewer items than were asked for, another order, a list that moves, an empty list in place of one with items.

import HTTPTypes
import LarderFormat
import LarderStore
import LarderSync
import LarderTesting
import LarderTransport
import Testing

@Suite struct `A server that returns fewer items than requested` {
    /// The rows there were, the items on the server, the size asked for and the most that is answered.
    static let capped = [
        (120, 120, 100, 70), (120, 120, 100, 90), (150, 150, 200, 100), (0, 120, 100, 5), (0, 180, 100, 100),
    ]

    @Test(arguments: [Paging.offset, .keyset], capped)
    func `loses no row and is read to its end`(_ paging: Paging, _ sizes: (Int, Int, Int, Int)) async throws {
        let (rows, items, size, cap) = sizes
        let fixture = try ListFixture()
        if rows > 0 {
            try await fixture.reconcile(OrderedSource(paging, keys: 1...rows), ListConfiguration(pageSize: 100))
        }
        let source = OrderedSource(paging, keys: 1...items, cap: cap)
        let report = try await fixture.reconcile(source, ListConfiguration(pageSize: size))
        #expect(report.deleted == 0)
        #expect(try fixture.keys() == Array(1...items))
        #expect(try fixture.known()?.syncedAt != nil)
    }

    @Test(arguments: [1, 2, 3, 4], [1, 2, 10])
    func `is read to its end also where it returns very few`(_ cap: Int, _ size: Int) async throws {
        for paging in [Paging.offset, .keyset] {
            for count in [1, 2, 3, 5, 12, 13] {
                let fixture = try ListFixture()
                try await fixture.put(1...30)
                let trusting = ListConfiguration(pageSize: size, protection: .init(.trust))
                try await fixture.reconcile(OrderedSource(paging, keys: 1...count, cap: cap), trusting)
                #expect(try fixture.keys() == Array(1...count), "\(paging), \(count) by \(cap) of \(size)")
            }
        }
    }

    @Test func `is not read to its end where it says that there are more`() async throws {
        let fixture = try ListFixture()
        try await fixture.put(1...12)
        let server = ListServer.responding(keys: 1...10) { request, _ in
            guard case .offset(let index, let size) = request else { return nil }
            let items = (1...10).dropFirst(index * size).prefix(size).map { ListServer.item($0, "row \($0)") }
            return ListPage(items: items, total: 12)
        }
        guard case .unstable(.total, walks: 3) = try await fixture.failure(server) else {
            Issue.record("another error")
            return
        }
        #expect(try fixture.keys() == Array(1...12))
    }

    @Test func `loses no row though its total stays equal, where one was removed and another added`() async throws {
        let fixture = try ListFixture()
        let keys = [10, 20, 30, 40, 50, 60, 70]
        try await fixture.put(keys)
        let server = ListServer(.keyset, keys: keys, total: true) { state, phase in
            guard phase == .before(2) else { return }
            state.delete(10)
            state.put(45, "row 45")
        }
        try await fixture.reconcile(server, ListConfiguration(pageSize: 3))
        #expect(try fixture.keys() == [20, 30, 40, 45, 50, 60, 70])
    }

    @Test func `loses no row where the response states the total`() async throws {
        let fixture = try ListFixture()
        try await fixture.put(1...180)
        let transport = HandlerTransport { request, _ in
            let numbers = (request.path ?? "").split(whereSeparator: { "=&".contains($0) }).compactMap { Int($0) }
            let items = (1...180).dropFirst(numbers[0] * numbers[1]).prefix(min(numbers[1], 50))
            let list = items.map { "{\"id\":\($0),\"name\":\"row \($0)\"}" }.joined(separator: ",")
            return TransportResponse(status: .ok, body: Array("{\"items\":[\(list)],\"total\":180}".utf8))
        }
        let base = BaseURL("http://127.0.0.1")
        let source = JSONPageSource(
            transport: transport, base: base, path: "/users",
            layout: JSONPageLayout(items: ["items"], continuation: .total(["total"])))
        let report = try await fixture.reconcile(source, ListConfiguration(pageSize: 100))
        #expect(report.deleted == 0)
        #expect(try fixture.keys() == Array(1...180))
    }
}

@Suite struct `A server without a page behind the last one` {
    /// Whether the server says that items follow, and what it has in the place of a page that there is not.
    static let servers = [true, false].flatMap { says in ["first", "last", "404", "400", "204"].map { (says, $0) } }

    @Test(arguments: servers)
    func `is read to its end`(_ says: Bool, _ instead: String) async throws {
        for count in [2, 7, 10, 29, 30, 37, 49] {
            let fixture = try ListFixture()
            try await fixture.put(1...50)
            let server = ListServer.responding(keys: 1...count) { request, _ in
                guard case .offset(let index, let size) = request else { return nil }
                let last = (count - 1) / size
                if index > last, let status = Int(instead) {
                    throw SyncError.refused(ServerProblem(status: status, code: nil, message: ""))
                }
                let shown = index <= last ? index : instead == "first" ? 0 : last
                let items = (1...count).dropFirst(shown * size).prefix(size).map { ListServer.item($0, "row \($0)") }
                return ListPage(items: items, hasMore: says ? index < last : nil)
            }
            let configuration = ListConfiguration(pageSize: 10, protection: .init(share: 1), maximumPages: 30)
            #expect(try await fixture.reconcile(server, configuration).deleted == 50 - count, "\(count)")
            #expect(try fixture.keys() == Array(1...count))
        }
    }

    @Test func `that has only one page ends the pass with an error, and deletes nothing`() async throws {
        for size in [2, 7, 10] {
            let fixture = try ListFixture()
            try await fixture.put(1...50)
            let server = ListServer.responding(keys: 1...40) { request, _ in
                guard case .offset(_, let size) = request else { return nil }
                return ListPage(items: (1...size).map { ListServer.item($0, "row \($0)") })
            }
            let configuration = ListConfiguration(pageSize: size, protection: .init(share: 1), maximumPages: 30)
            guard case .unstable = try await fixture.failure(server, configuration) else {
                Issue.record("another error")
                return
            }
            #expect(try fixture.keys() == Array(1...50))
        }
    }

    @Test func `has no end of the list where another page is refused`() async throws {
        let fixture = try ListFixture()
        try await fixture.put(1...50)
        let server = ListServer.responding(keys: 1...50) { request, _ in
            guard case .offset(let index, let size) = request, index * size >= 20, index * size < 40 else { return nil }
            throw SyncError.refused(ServerProblem(status: 404, code: nil, message: ""))
        }
        guard case .source = try await fixture.failure(server, ListConfiguration(pageSize: 10)) else {
            Issue.record("another error")
            return
        }
        #expect(try fixture.keys() == Array(1...50))
    }
}

@Suite struct `A server that says whether items follow` {
    /// A server that says, wherever a page reaches `end`, that nothing follows.
    private func server(_ paging: Paging, keys: ClosedRange<Int>, end: Int) -> ListServer {
        .responding(paging, keys: keys) { request, _ in
            let onPage =
                switch request {
                case .offset(let index, let size): Array(keys.dropFirst(index * size).prefix(size))
                case .keyset(let after, let size):
                    Array(keys.filter { $0 > (after.flatMap { Int($0) } ?? 0) }.prefix(size))
                }
            let isEnd = onPage.last.map { $0 >= end } ?? true
            return ListPage(items: onPage.map { ListServer.item($0, "row \($0)") }, hasMore: !isEnd)
        }
    }

    @Test(arguments: [Paging.offset, .keyset], [1, 8, 19, 20, 39])
    func `too early that none follow loses no row`(_ paging: Paging, _ end: Int) async throws {
        let fixture = try ListFixture()
        try await fixture.put(1...40)
        let early = server(paging, keys: 1...40, end: end)
        // A row that is gone, so that there is something to delete.
        try await fixture.put([50])
        _ = try? await fixture.reconcile(early, ListConfiguration(pageSize: 10, protection: .init(share: 1)))
        #expect(Set(1...40).isSubset(of: try fixture.keys()), "\(paging), \(end)")
    }

    @Test(arguments: [Paging.offset, .keyset])
    func `correctly has its deletions found, and gets no request behind the end without any`(
        _ paging: Paging
    ) async throws {
        let fixture = try ListFixture()
        try await fixture.put(1...40)
        let fair = server(paging, keys: 1...40, end: 40)
        try await fixture.reconcile(fair, ListConfiguration(pageSize: 10))
        #expect(fair.requests.count == (paging == .offset ? 6 : 5))
        let shorter = server(paging, keys: 1...35, end: 35)
        #expect(try await fixture.reconcile(shorter, ListConfiguration(pageSize: 10)).deleted == 5)
        #expect(try fixture.keys() == Array(1...35))
    }
}

@Suite struct `A list in an order of its own` {
    /// Hexadecimal texts, five of them digits only, by their bytes: the store has those five in front of all others.
    static let hexadecimal = (0..<395).map { String(0x1a00 + $0, radix: 16) } + ["12", "345", "6789", "70", "9"]
    static let names = (0..<25).map {
        ["anna", "Bert", "clara", "Dora", "emil"][$0 % 5] + String(UnicodeScalar(UInt8(97 + $0)))
    }

    static let orders: [[String]] = [
        hexadecimal.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) },
        names.sorted { $0.lowercased() < $1.lowercased() },
        (1...39).reversed().map(String.init),
    ]

    @Test(arguments: orders.indices, [2, 5, 20])
    func `loses no row`(_ index: Int, _ size: Int) async throws {
        let keys = Self.orders[index]
        let fixture = try ListFixture()
        let resource = fixture.resource
        try await fixture.store.write { transaction in
            for key in keys {
                let payload = Array("{\"id\":\"\(key)\"}".utf8)
                try transaction.put(payload, at: RowKey(resource: resource, type: "user", key: key), updatedAt: 0)
            }
        }
        let source = OrderedSource(keys: keys)
        let report = try await fixture.reconcile(source, ListConfiguration(pageSize: size))
        #expect(report.deleted == 0)
        #expect(try fixture.known()?.rowCount == keys.count)
        let shorter = OrderedSource(keys: Array(keys.dropFirst(3).dropLast(2)))
        #expect(try await fixture.reconcile(shorter, ListConfiguration(pageSize: size)).deleted == 5)
        #expect(try fixture.known()?.rowCount == keys.count - 5)
    }

    @Test func `of bytes may be requested by key`() async throws {
        let fixture = try ListFixture()
        let keys = Self.orders[0]
        try await fixture.reconcile(OrderedSource(.keyset, keys: keys), ListConfiguration(pageSize: 20))
        #expect(try fixture.known()?.rowCount == keys.count)
    }
}

@Suite struct `A complete pass` {
    @Test func `keeps a row that a deletion in front moved to an earlier place`() async throws {
        let fixture = try ListFixture()
        let server = ListServer(keys: 1...20) { state, phase in if phase == .before(2) { state.delete(1) } }
        try await fixture.reconcile(server, ListConfiguration(pageSize: 5))
        #expect(Set(2...20).isSubset(of: try fixture.keys()))
    }
}
