// Proves that a rejected entry keeps its effects on rows, up to a length, and that its successor applies them again.
import LarderFormat
import Testing

@testable import LarderStore

@Suite struct `The effect of a rejected entry` {
    private let directory = TemporaryStore()

    private func key(_ number: Int) -> RowKey { RowKey(resource: translations, type: "verse", key: "\(number)") }

    private func rejected(_ effects: [RowEffect]) async throws -> Store {
        let store = try directory.open()
        try await store.write { transaction in
            for number in 1...3 { try transaction.put(bytes("{\"a\":0}"), at: key(number), updatedAt: 1) }
            try transaction.enqueue(draft(1), effects: effects)
        }
        try await store.write { try $0.rejectEntry(draft(1).id, OutboxDelivery(), detail: nil, at: 2) }
        #expect(try store.read { view in try view.overlays(of: translations) } == [])
        #expect(try store.findings() == [])
        return store
    }

    @Test func `is applied again by its successor, over the current rows`() async throws {
        let store = try await rejected([
            RowEffect(.replacement(bytes("1"), codec: .application(16)), at: key(1)), RowEffect(.removal, at: key(2)),
            RowEffect(.patch(bytes("{\"b\":3}")), at: key(3)),
        ])
        try await store.write { transaction in
            try transaction.put(bytes("{\"a\":9}"), at: key(3), updatedAt: 3)
            try transaction.replaceEntry(draft(1).id, with: draft(2), outcome: "superseded", at: 4)
        }
        let shown = try store.read { view in try (1...3).map { try view.payload(at: key($0)) } }
        #expect(shown == [bytes("1"), nil, bytes("{\"a\":9,\"b\":3}")])
        #expect(try store.findings() == [])
        try store.close()
    }

    @Test func `is not stored where it is too long`() async throws {
        let long = [UInt8](repeating: 0x20, count: Limits.withdrawnPayloads)
        let store = try await rejected([
            RowEffect(.replacement(long), at: key(1)), RowEffect(.replacement(bytes("2")), at: key(2)),
        ])
        try await store.write { try $0.replaceEntry(draft(1).id, with: draft(2), outcome: "superseded", at: 4) }
        #expect(try store.read { view in try view.overlays(of: translations) } == [])
        #expect(try store.findings() == [])
        try store.close()
    }

    @Test func `is not applied again where a row beneath a patch is damaged, and the write is sent nevertheless`()
        async throws
    {
        let store = try await rejected([RowEffect(.patch(bytes("{\"b\":3}")), at: key(3))])
        let raw = try RawStore(directory.path)
        let row = try #require(try raw.records().last { $0.table == .rows })
        var value = row.value
        value[value.count - 1] ^= 1
        try raw.replace([row], by: [RawRecord(table: .rows, key: row.key, value: value)])
        try raw.close()
        try await store.write { transaction in
            let next = try transaction.replaceEntry(draft(1).id, with: draft(2), outcome: "superseded", at: 4)
            #expect(next.rows == [])
        }
        #expect(try store.read { view in try view.overlays(of: translations) } == [])
        try store.close()
    }

    @Test func `is damaged where it is stored for some of its rows only, and is not applied again`() async throws {
        let store = try await rejected([RowEffect(.removal, at: key(1)), RowEffect(.removal, at: key(2))])
        try await store.write { transaction in
            var record = OutboxBodyRecord(draft(1))
            record.withdrawn = [OverlayRecord(.removal, updatedAt: 1)]
            _ = try transaction.put(record, at: .body(sequence: 1))
        }
        #expect(try store.findings().contains { "\($0)".contains("2 kept effects noted, 1 found") })
        try await store.write { try $0.replaceEntry(draft(1).id, with: draft(2), outcome: "superseded", at: 4) }
        #expect(try store.read { view in try view.overlays(of: translations) } == [])
        try store.close()
    }

    @Test func `is removed with the entry`() async throws {
        let store = try await rejected([RowEffect(.removal, at: key(1))])
        let before = try store.statistics().storedSize
        try await store.write { try $0.removeEntry(draft(1).id, outcome: "dropped", at: 3) }
        #expect(try store.statistics().storedSize < before)
        #expect(try store.findings() == [])
        try store.close()
    }
}
