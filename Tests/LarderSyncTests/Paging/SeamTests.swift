import Larder
import LarderSync
import Testing

@Suite struct `The seam between two pages` {
    @Test func `loses its rows when one answer shows both sides as neighbours`() async throws {
        let fixture = try ListFixture()
        try await fixture.put(1...12)
        let server = ListServer(keys: [1, 2, 3, 4, 7, 8, 9, 10])
        let report = try await fixture.reconcile(server)
        #expect(try fixture.isEqual(to: server))
        // Two pages, the one that spans the seam, and the empty one with the one that spans the end.
        #expect(server.requests.count == 5)
        #expect(server.requests.allSatisfy { $0.size <= 4 })
        #expect(report.walks == 1)
    }

    @Test func `costs no request when there is no row in it`() async throws {
        let fixture = try ListFixture()
        try await fixture.put(1...7)
        let server = ListServer(keys: [1, 2, 3, 4, 8, 9])
        try await fixture.reconcile(server)
        #expect(
            server.requests == [.offset(index: 0, size: 4), .offset(index: 1, size: 4), .offset(index: 1, size: 3)])
        let again = ListServer(keys: [1, 2, 3, 4, 8, 9])
        try await fixture.reconcile(again)
        #expect(again.requests.count == 2)
    }

    @Test func `keeps a live row that a deletion made fall into it`() async throws {
        let fixture = try ListFixture()
        try await fixture.put(1...11)
        let server = ListServer(keys: 1...11, meddle: { state, moment in if moment == .before(2) { state.delete(2) } })
        let report = try await fixture.reconcile(server)
        #expect(!fixture.changes.contains { $0.deleted.contains("5") })
        #expect(report.walks == 2)
        #expect(try fixture.isEqual(to: server))
    }

    @Test func `keeps it also when something else came in its place before anybody looked again`() async throws {
        // After the second page, the pages look as before: only one answer with both sides tells.
        let fixture = try ListFixture()
        try await fixture.put(1...11)
        let server = ListServer(keys: 1...11) { state, moment in
            if moment == .before(2) { state.delete(2) }
            if moment == .during(2) { state.put(0, "row 0") }
        }
        _ = try await fixture.reconcile(server)
        #expect(!fixture.changes.contains { $0.deleted.contains("5") })
        #expect(try fixture.isEqual(to: server))
    }

    @Test func `at the end keeps the rows when an empty page came of deletions in front`() async throws {
        let fixture = try ListFixture()
        try await fixture.put(1...8)
        let server = ListServer(keys: 1...8) { state, moment in
            if moment == .before(2) { for key in 1...4 { state.delete(key) } }
        }
        try await fixture.reconcile(server)
        #expect(!fixture.changes.contains { $0.deleted.contains("5") || $0.deleted.contains("8") })
        #expect(try fixture.isEqual(to: server))
    }

    @Test func `of a list that is asked for by key is shown by the page itself`() async throws {
        let fixture = try ListFixture()
        try await fixture.put(1...12)
        let server = ListServer(.keyset, keys: [1, 2, 3, 4, 7, 8, 9, 10])
        let report = try await fixture.reconcile(server)
        #expect(try fixture.isEqual(to: server))
        #expect(report.requests == 3)
        #expect(report.rangeReads == 3)
    }

    @Test(arguments: 1...12)
    func `is spanned by a page of no more items, but for some places of walks by very few`(_ size: Int) {
        for page in 1...400 {
            let place = page * size
            let request = Bridge.request(over: place, size: size)
            guard case .offset(let index, let span) = request else { return }
            let places = index * span..<(index + 1) * span
            #expect(places.contains(place - 1) && places.contains(place))
            #expect(span <= size || (1...size).allSatisfy { place % $0 == 0 })
        }
    }
}
