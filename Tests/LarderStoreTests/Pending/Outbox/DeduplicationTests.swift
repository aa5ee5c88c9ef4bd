// Proves that a deduplication key leads to its entry until that is accepted or rejected, also when the record is damaged.
import LarderFormat
import LarderStore
import Testing

@Suite struct `A deduplication key` {
    private let temporary = TemporaryStore()

    private func keyedDraft(_ number: Int, _ account: String? = "ada", _ key: String = "tap") -> OutboxDraft {
        var made = draft(number)
        made.account = account
        made.deduplicationKey = key
        return made
    }

    private func known(_ store: Store, _ sought: OutboxDraft) async throws -> UUIDBytes? {
        try await store.write { try $0.outboxHead(duplicatedBy: sought)?.id }
    }

    @Test func `is distinguished by account and bytes`() async throws {
        let store = try temporary.open()
        try await store.write { try $0.enqueue(keyedDraft(1)) }
        #expect(try await known(store, keyedDraft(2)) == draft(1).id)
        for other in [keyedDraft(2, "bob"), keyedDraft(2, nil), keyedDraft(2, "ada", "tap "), draft(2)] {
            #expect(try await known(store, other) == nil)
        }
        #expect(try store.findings() == [])
        try store.close()
    }

    @Test(arguments: ["accepted", "rejected", "removed"])
    func `is free when its entry has left or is rejected`(end: String) async throws {
        let store = try temporary.open()
        try await store.write { transaction in
            try transaction.enqueue(keyedDraft(1))
            switch end {
            case "accepted": try transaction.completeEntry(draft(1).id, at: 1)
            case "rejected": try transaction.rejectEntry(draft(1).id, OutboxDelivery(), detail: nil, at: 1)
            default: try transaction.removeEntry(draft(1).id, outcome: "dropped", at: 1)
            }
        }
        #expect(try await known(store, keyedDraft(2)) == nil)
        #expect(try store.findings() == [])
        try await store.write { try $0.enqueue(keyedDraft(2)) }
        #expect(try await known(store, keyedDraft(3)) == draft(2).id)
        #expect(try store.findings() == [])
        try store.close()
    }

    @Test func `passes to the entry that replaces its own`() async throws {
        let store = try temporary.open()
        try await store.write { transaction in
            try transaction.enqueue(keyedDraft(1))
            try transaction.replaceEntry(draft(1).id, with: keyedDraft(2), outcome: "superseded", at: 1)
        }
        #expect(try await known(store, keyedDraft(3)) == draft(2).id)
        #expect(try store.findings() == [])
        try store.close()
    }

    @Test(arguments: [true, false])
    func `that was damaged or lost is found by verify, and a damaged one still leads to its entry`(
        isLost: Bool
    ) async throws {
        let store = try temporary.open()
        try await store.write { try $0.enqueue(keyedDraft(1)) }
        try store.close()
        let raw = try RawStore(temporary.path)
        let record = try #require(try raw.records().first { $0.table == .outbox && $0.key[0] == 0x00 })
        var damaged = record
        damaged.value[damaged.value.count - 1] ^= 1
        try raw.replace([record], by: isLost ? [] : [damaged])
        try raw.close()
        let again = try temporary.open()
        #expect(try again.findings().contains { $0.kind == (isLost ? .index : .checksum) })
        #expect(try await known(again, keyedDraft(2)) == (isLost ? nil : draft(1).id))
        try await again.write { try $0.completeEntry(draft(1).id, at: 1) }
        try again.close()
    }
}
