// Proves the reconciliation of single pages by worked examples, including the borderline cases.

import LarderFormat
import LarderStore
import LarderSync
import Testing

/// The cases that the strategy is known by, and those that it leaves open.
@Suite struct `A page of a list` {
    @Test func `that says 5 and 7 and is short deletes 6 and all behind 7`() async throws {
        let fixture = try ListFixture()
        try await fixture.put(1...9)
        let report = try await fixture.reconcile(ListServer(keys: [1, 2, 3, 4, 5, 7]))
        #expect(try fixture.keys() == [1, 2, 3, 4, 5, 7])
        #expect(fixture.changes.map(\.deleted) == [["6", "8", "9"]])
        // In one commit, when a second walk has seen the same.
        #expect(report.writes == 1)
        #expect(report.walks == 2)
    }

    @Test func `that says 5, 6 renamed and 9 deletes 7 and 8, updates 6, creates 9 and leaves 5`() async throws {
        let fixture = try ListFixture()
        try await fixture.put(1...8)
        let server = ListServer(keys: [1, 2, 3, 4, 5, 9])
        server.change { $0.put(6, "another name") }
        let report = try await fixture.reconcile(server)
        #expect(fixture.changes.flatMap(\.deleted) == ["7", "8"])
        #expect(fixture.changes.flatMap(\.updated).map(\.key) == ["6"])
        #expect(fixture.changes.flatMap(\.updated).first?.members == ["name"])
        #expect(fixture.changes.flatMap(\.created) == ["9"])
        #expect(try fixture.isEqual(to: server))
        #expect((report.created, report.updated, report.deleted) == (1, 1, 2))
    }

    @Test func `that is full keeps the rows behind it`() async throws {
        let fixture = try ListFixture()
        try await fixture.put([1, 2, 3, 4, 5, 6, 7])
        let server = ListServer.responding(keys: 1...7) { _, number in
            if number > 1 { throw CancellationError() }
            return nil
        }
        _ = try await fixture.failure(server)
        #expect(try fixture.keys() == Array(1...7))
    }

    @Test func `that is the first deletes rows before its first key`() async throws {
        let fixture = try ListFixture()
        try await fixture.put(1...10)
        try await fixture.reconcile(ListServer(keys: 3...10))
        #expect(try fixture.keys() == Array(3...10))
        #expect(fixture.changes.map(\.deleted) == [["1", "2"]])
    }

    @Test(arguments: [Paging.offset, .keyset])
    func `that is the first and empty deletes everything in a later pass`(_ paging: Paging) async throws {
        let fixture = try ListFixture()
        try await fixture.put(1...9)
        let configuration = ListConfiguration(pageSize: 4, protection: .init(pause: .zero))
        _ = try await fixture.failure(ListServer(paging, keys: []), configuration)
        let report = try await fixture.reconcile(ListServer(paging, keys: []), configuration)
        #expect(try fixture.keys() == [])
        #expect(report.deleted == 9)
        #expect(try fixture.known()?.state == .ready)
    }

    @Test(arguments: [Paging.offset, .keyset])
    func `that is a later one and empty deletes from there`(_ paging: Paging) async throws {
        let fixture = try ListFixture()
        try await fixture.put(1...12)
        let report = try await fixture.reconcile(ListServer(paging, keys: 1...8))
        #expect(try fixture.keys() == Array(1...8))
        #expect(report.deleted == 4)
    }

    @Test func `of numbers is in the order of numbers`() async throws {
        let fixture = try ListFixture()
        try await fixture.put([8, 9, 10, 11, 100])
        try await fixture.reconcile(ListServer(keys: [9, 10, 100, 101]))
        #expect(try fixture.keys() == [9, 10, 100, 101])
    }

    @Test func `leaves rows of other types alone`() async throws {
        let fixture = try ListFixture()
        let other = RowKey(resource: fixture.resource, type: "group", key: "5")
        let bytes: [UInt8] = Array("{}".utf8)
        try await fixture.store.write { transaction in try transaction.put(bytes, at: other, updatedAt: 0) }
        try await fixture.reconcile(ListServer(keys: [1, 9]))
        let payload = try fixture.store.read { view in try view.payload(at: other) }
        #expect(payload == bytes)
    }
}
