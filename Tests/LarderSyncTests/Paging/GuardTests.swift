import Larder
import LarderSync
import Testing

@Suite struct `A page that would delete suspiciously much` {
    private static let refuse = ListConfiguration(pageSize: 10, protection: .init(.refuse))
    private static let trust = ListConfiguration(pageSize: 10, protection: .init(.trust))
    private static let confirm = ListConfiguration(pageSize: 10)

    @Test func `is asked for again, and applied when it is said twice`() async throws {
        let fixture = try ListFixture()
        try await fixture.put(1...100)
        let server = ListServer(keys: 1...3)
        try await fixture.reconcile(server, Self.confirm)
        #expect(try fixture.keys() == [1, 2, 3])
        // The page, the one behind it, the page again.
        let (first, second) = (PageRequest.offset(index: 0, size: 10), PageRequest.offset(index: 1, size: 10))
        #expect(server.requests == [first, second, first])
        #expect(fixture.happened.contains(.doubted(fixture.resource, deletions: 97, ofRows: 100)))
    }

    @Test func `is not applied when it was a passing fault`() async throws {
        let fixture = try ListFixture()
        try await fixture.put(1...30)
        let server = ListServer.saying(keys: 1...30) { _, number in number == 1 ? ListPage(items: []) : nil }
        let report = try await fixture.reconcile(server, Self.confirm)
        #expect(report.deleted == 0)
        #expect(try fixture.keys() == Array(1...30))
    }

    @Test func `is not applied when the server says something else each time`() async throws {
        let fixture = try ListFixture()
        try await fixture.put(1...30)
        let server = ListServer.saying(keys: []) { request, number in
            request == .offset(index: 0, size: 10) ? ListPage(items: [ListServer.item(number, "a")]) : nil
        }
        guard case .unconfirmed(_, ofRows: 30) = try await fixture.failure(server, Self.confirm) else {
            Issue.record("another error")
            return
        }
        #expect(try fixture.keys() == Array(1...30))
        #expect(server.requests.count < 10)
    }

    @Test func `is not applied when it is short because the server answers fewer than asked for`() async throws {
        let fixture = try ListFixture()
        try await fixture.put(1...40)
        // Six at most, whatever is asked for.
        let server = ListServer.saying(keys: 1...40) { request, _ in
            guard case .offset(let index, let size) = request else { return nil }
            let keys = (1...40).dropFirst(index * size).prefix(6)
            return ListPage(items: keys.map { ListServer.item($0, "row \($0)") })
        }
        guard case .unsettled(.continuation, walks: 3) = try await fixture.failure(server, Self.confirm) else {
            Issue.record("another error")
            return
        }
        #expect(try fixture.keys() == Array(1...40))
    }

    @Test(arguments: [Paging.offset, .keyset])
    func `is refused where that is wished, and nothing of it applies`(_ paging: Paging) async throws {
        let fixture = try ListFixture()
        try await fixture.put(1...30)
        guard
            case .refused(deletions: 30, ofRows: 30) = try await fixture.failure(
                ListServer(paging, keys: []), Self.refuse)
        else {
            Issue.record("another error")
            return
        }
        guard
            case .refused(deletions: 27, ofRows: 30) = try await fixture.failure(
                ListServer(paging, keys: [1, 2, 3, 50]), Self.refuse)
        else {
            Issue.record("another error")
            return
        }
        #expect(try fixture.keys() == Array(1...30))
    }

    @Test func `is applied at once where the server is trusted`() async throws {
        let fixture = try ListFixture()
        try await fixture.put(1...30)
        let server = ListServer(keys: [])
        try await fixture.reconcile(server, Self.trust)
        #expect(server.requests.count == 1)
        #expect(try fixture.keys() == [])
    }

    @Test func `is one that deletes more than half of the rows, and more than ten`() async throws {
        let fixture = try ListFixture()
        try await fixture.put(1...30)
        try await fixture.reconcile(ListServer(keys: 1...15), Self.refuse)
        #expect(try fixture.keys().count == 15)
        try await fixture.reconcile(ListServer(keys: 1...5), Self.refuse)
        #expect(try fixture.keys().count == 5)
        try await fixture.put(1...25)
        guard case .refused = try await fixture.failure(ListServer(keys: 1...12), Self.refuse) else {
            Issue.record("another error")
            return
        }
    }

    @Test func `is looked at also when the end is told by an empty page`() async throws {
        let fixture = try ListFixture()
        try await fixture.put(1...100)
        let server = ListServer(keys: 1...10)
        guard case .refused(deletions: 90, ofRows: 100) = try await fixture.failure(server, Self.refuse) else {
            Issue.record("another error")
            return
        }
        try await fixture.reconcile(server, Self.confirm)
        #expect(try fixture.isEqual(to: server))
    }
}
