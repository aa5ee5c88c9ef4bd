// Proves that a list which changes during a walk is walked again, and that impossible pages are typed errors.

import LarderStore
import LarderSync
import Testing

@Suite struct `A list that moves while it is walked` {
    @Test func `is walked again when a page overlaps the end of the last one`() async throws {
        let fixture = try ListFixture()
        let server = ListServer(keys: 1...9) { state, phase in if phase == .before(2) { state.put(0, "row 0") } }
        let report = try await fixture.reconcile(server)
        #expect(report.walks == 2)
        #expect(fixture.recordedEvents.contains(.moved(fixture.resource, .overlap)))
        #expect(try fixture.isEqual(to: server))
    }

    @Test func `ends with a typed error when it moves in every pass`() async throws {
        let fixture = try ListFixture()
        let server = ListServer(keys: 1...9) { state, phase in
            if case .before(let number) = phase { state.put(-number, "row") }
        }
        guard case .unstable(.overlap, walks: 3) = try await fixture.failure(server) else {
            Issue.record("another error")
            return
        }
        #expect(Set(1...9).isSubset(of: Set(try fixture.keys())))
        #expect(try fixture.known()?.syncedAt == nil)
    }

    @Test func `stops requesting a server that returns the same page to everything`() async throws {
        let fixture = try ListFixture()
        let server = ListServer.responding(keys: []) { _, _ in
            ListPage(items: [ListServer.item(1, "a"), ListServer.item(2, "b")])
        }
        guard case .unstable = try await fixture.failure(server, ListConfiguration(pageSize: 2)) else {
            Issue.record("another error")
            return
        }
        #expect(server.requests.count == 8)
    }

    @Test func `without end is abandoned`() async throws {
        let fixture = try ListFixture()
        let server = ListServer.responding(keys: []) { request, _ in
            guard case .offset(let index, let size) = request else { return nil }
            return ListPage(items: (index * size..<(index + 1) * size).map { ListServer.item($0, "a") })
        }
        let configuration = ListConfiguration(pageSize: 2, maximumPages: 7)
        guard case .endless(pages: 7) = try await fixture.failure(server, configuration) else {
            Issue.record("another error")
            return
        }
        #expect(server.requests.count == 7)
    }
}

@Suite struct `A page that cannot be right` {
    @Test(arguments: [Paging.offset, .keyset])
    func `says that more follow and has no items`(_ paging: Paging) async throws {
        let fixture = try ListFixture()
        try await fixture.put(1...9)
        let server = ListServer(
            paging, keys: 1...9,
            canned: { _, number in
                number == 1 ? nil : ListPage(items: [], hasMore: true)
            })
        guard case .endless(pages: 2) = try await fixture.failure(server) else {
            Issue.record("another error")
            return
        }
        #expect(try fixture.keys() == Array(1...9))
    }

    @Test func `has a key that the store cannot hold`() async throws {
        let fixture = try ListFixture()
        try await fixture.put(1...9)
        let long = String(repeating: "k", count: 1000)
        let server = ListServer.responding(keys: []) { _, _ in
            ListPage(items: [ListServer.item(5, "a"), ListItem(key: long, payload: Array("{}".utf8))], hasMore: false)
        }
        guard case .store(StoreError.invalid) = try await fixture.failure(server) else {
            Issue.record("another error")
            return
        }
        #expect(try fixture.keys() == Array(1...9))
    }
}

@Suite struct `A page in another order` {
    @Test(arguments: [["3", "2"], ["2", "2"], ["1", "10", "9", "11"], ["a", "1", "b"], ["1", "01", "00"]])
    func `is a typed error before anything of it applies`(_ keys: [String]) async throws {
        let fixture = try ListFixture()
        try await fixture.put([1, 5])
        let server = ListServer.responding(.keyset, keys: []) { _, _ in
            ListPage(items: keys.map { ListItem(key: $0, payload: Array("{}".utf8)) })
        }
        guard case .disorder(.keyset(after: nil, size: 4)) = try await fixture.failure(server) else {
            Issue.record("another error")
            return
        }
        #expect(try fixture.keys() == [1, 5])
    }

    @Test func `may bring texts behind numbers, by their bytes`() async throws {
        let fixture = try ListFixture()
        let keys = ["9", "10", "01", "Z", "a", "é"]
        let server = ListServer.responding(keys: []) { request, _ in
            guard case .offset(let index, let size) = request else { return nil }
            let page = keys.dropFirst(index * size).prefix(size)
            return ListPage(items: page.map { ListItem(key: $0, payload: Array("{}".utf8)) })
        }
        #expect(try await fixture.reconcile(server).created == 6)
        #expect(try await fixture.reconcile(server).writes == 0)
    }

    @Test func `by key must not go back`() async throws {
        let fixture = try ListFixture()
        let server = ListServer.responding(.keyset, keys: []) { _, _ in
            ListPage(items: [ListServer.item(1, "a"), ListServer.item(2, "b")])
        }
        guard case .disorder(.keyset(after: "1", size: 2)) = try await fixture.failure(server, .init(pageSize: 2))
        else {
            Issue.record("another error")
            return
        }
    }

    @Test func `with more items than requested is refused`() async throws {
        let fixture = try ListFixture()
        try await fixture.put([1, 9])
        let server = ListServer.responding(keys: []) { _, _ in
            ListPage(items: (1...3).map { ListServer.item($0, "a") })
        }
        guard case .oversizedPage(_, count: 3) = try await fixture.failure(server, .init(pageSize: 2)) else {
            Issue.record("another error")
            return
        }
        #expect(try fixture.keys() == [1, 9])
    }
}
