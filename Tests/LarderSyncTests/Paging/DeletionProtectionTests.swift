// Proves that a pass that would delete suspiciously many rows deletes nothing at once, unless configured.

import LarderStore
import LarderSync
import LarderTesting
import LarderTransport
import Testing

@Suite struct `A pass that would delete suspiciously much` {
    private static let refuse = ListConfiguration(pageSize: 10, protection: .init(.refuse))
    private static let trust = ListConfiguration(pageSize: 10, protection: .init(.trust))
    private static let confirm = ListConfiguration(pageSize: 10, protection: .init(pause: .zero))

    @Test func `is confirmed by a later one`() async throws {
        let fixture = try ListFixture()
        try await fixture.put(1...100)
        let server = ListServer(keys: 1...3)
        guard case .unconfirmed(97, ofRows: 100) = try await fixture.failure(server, Self.confirm) else {
            Issue.record("another error")
            return
        }
        #expect(fixture.recordedEvents.contains(.unconfirmed(fixture.resource, deletions: 97, ofRows: 100)))
        #expect(try fixture.keys() == Array(1...100))
        try await fixture.reconcile(server, Self.confirm)
        #expect(try fixture.keys() == [1, 2, 3])
    }

    @Test(arguments: [Paging.offset, .keyset])
    func `is confirmed by none that comes before the pause is over`(_ paging: Paging) async throws {
        let clock = VirtualClock()
        let fixture = try ListFixture(host: .virtual(clock))
        try await fixture.put(1...30)
        let server = ListServer(paging, keys: [])
        for _ in 1...3 {
            guard case .unconfirmed(30, ofRows: 30) = try await fixture.failure(server) else {
                Issue.record("another error")
                return
            }
            clock.advance(by: .seconds(19))
        }
        #expect(try fixture.keys() == Array(1...30))
        #expect(try fixture.known()?.syncedAt == nil)
        clock.advance(by: .seconds(3))
        #expect(try await fixture.reconcile(server).deleted == 30)
        #expect(try fixture.known()?.syncedAt != nil)
    }

    @Test func `is confirmed for no row that came back meanwhile`() async throws {
        let fixture = try ListFixture()
        try await fixture.put(1...30)
        _ = try await fixture.failure(ListServer(keys: []), Self.confirm)
        try await fixture.reconcile(ListServer(keys: 1...30), Self.confirm)
        _ = try await fixture.failure(ListServer(keys: []), Self.confirm)
        // All are missing for the second time in a row, but for one.
        _ = try? await fixture.reconcile(ListServer(keys: [7]), Self.confirm)
        #expect(try fixture.keys() == [7])
    }

    @Test func `is confirmed for no row that was returned meanwhile, even by an incomplete pass`() async throws {
        let fixture = try ListFixture()
        try await fixture.put(1...30)
        _ = try await fixture.failure(ListServer(keys: []), Self.confirm)
        let broken = ListServer.responding(keys: 1...30) { _, number in
            if number > 1 { throw TransportError.connectionRefused }
            return nil
        }
        _ = try await fixture.failure(broken, Self.confirm)
        _ = try? await fixture.reconcile(ListServer(keys: []), Self.confirm)
        #expect(Set(1...10).isSubset(of: try fixture.keys()))
    }

    @Test func `is confirmed for no row that another pass found, though it missed many of the same`() async throws {
        let clock = VirtualClock()
        let fixture = try ListFixture(host: .virtual(clock))
        try await fixture.put(1...30)
        for keys in [[], [1, 2, 3], []] {
            guard case .unconfirmed = try await fixture.failure(ListServer(keys: keys)) else {
                Issue.record("another error")
                return
            }
            clock.advance(by: .seconds(40))
        }
        #expect(Set(1...3).isSubset(of: try fixture.keys()))
    }

    @Test func `needs two walks with the same result, as any other`() async throws {
        let fixture = try ListFixture()
        try await fixture.put(1...30)
        _ = try await fixture.failure(ListServer(keys: []), Self.confirm)
        let server = ListServer.responding(.keyset, keys: 1...30) { request, number in
            guard number <= 3, case .keyset(let after, _) = request else { return nil }
            let keys = [50, 51].filter { $0 > after.flatMap { Int($0) } ?? 0 }
            return ListPage(items: keys.map { ListServer.item($0, "a") })
        }
        _ = try? await fixture.reconcile(server, Self.confirm)
        #expect(Set(1...30).isSubset(of: try fixture.keys()))
    }

    @Test func `is not one where an empty response was a temporary fault`() async throws {
        let fixture = try ListFixture()
        try await fixture.put(1...30)
        let server = ListServer.responding(keys: 1...30) { _, number in number == 1 ? ListPage(items: []) : nil }
        let report = try await fixture.reconcile(server, Self.confirm)
        #expect(report.deleted == 0)
        #expect(try fixture.keys() == Array(1...30))
    }

    @Test func `deletes nothing when two wrong responses in a row say that the list is empty`() async throws {
        let fixture = try ListFixture()
        try await fixture.put(1...30)
        let server = ListServer.responding(keys: 1...30) { _, number in number <= 2 ? ListPage(items: []) : nil }
        _ = try? await fixture.reconcile(server)
        #expect(try fixture.keys() == Array(1...30))
    }

    @Test func `deletes nothing when the server says something else each time`() async throws {
        let fixture = try ListFixture()
        try await fixture.put(1...30)
        let server = ListServer.responding(keys: []) { request, number in
            request == .offset(index: 0, size: 10) ? ListPage(items: [ListServer.item(100 + number, "a")]) : nil
        }
        guard case .unstable(_, walks: 3) = try await fixture.failure(server, Self.confirm) else {
            Issue.record("another error")
            return
        }
        #expect(Set(1...30).isSubset(of: try fixture.keys()))
        #expect(server.requests.count < 20)
    }

    @Test func `is refused where that is configured`() async throws {
        for paging in [Paging.offset, .keyset] {
            let fixture = try ListFixture()
            try await fixture.put(1...30)
            guard
                case .refused(deletions: 30, ofRows: 30) = try await fixture.failure(
                    ListServer(paging, keys: []), Self.refuse),
                case .refused(deletions: 27, ofRows: 31) = try await fixture.failure(
                    ListServer(paging, keys: [1, 2, 3, 50]), Self.refuse)
            else {
                Issue.record("another error")
                return
            }
            #expect(try fixture.keys() == Array(1...30) + [50])
        }
    }

    @Test func `deletes at once where the server is trusted`() async throws {
        let fixture = try ListFixture()
        try await fixture.put(1...30)
        let server = ListServer(keys: [])
        try await fixture.reconcile(server, Self.trust)
        #expect(server.requests.count == 1)
        #expect(try fixture.keys() == [])
    }

    @Test func `is one that deletes more than half of the rows, however few`() async throws {
        let fixture = try ListFixture()
        try await fixture.put(1...30)
        try await fixture.reconcile(ListServer(keys: 1...15), Self.refuse)
        #expect(try fixture.keys().count == 15)
        for keys in [1...7, 1...1] {
            guard case .refused = try await fixture.failure(ListServer(keys: keys), Self.refuse) else {
                Issue.record("another error")
                return
            }
        }
        #expect(try fixture.keys().count == 15)
    }

    @Test func `is one of nine of ten rows, which two wrong responses in a row do not delete`() async throws {
        let fixture = try ListFixture()
        try await fixture.put(1...10)
        let server = ListServer.responding(keys: 1...10) { _, number in
            number <= 4 ? ListPage(items: number % 2 == 1 ? [ListServer.item(1, "row 1")] : []) : nil
        }
        _ = try? await fixture.reconcile(server)
        #expect(try fixture.keys() == Array(1...10))
    }
}
