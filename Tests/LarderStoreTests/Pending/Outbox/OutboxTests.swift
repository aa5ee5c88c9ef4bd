// Proves that the outbox stores entries with their effects atomically, in lane order, and keeps outcomes.

import LarderEngine
import LarderFormat
import LarderStore
import Testing

@Suite struct `The outbox` {
    private let directory = TemporaryStore()

    @Test func `stores an entry together with its effect, or neither`() async throws {
        struct Refused: Error {}
        let store = try directory.open()
        try await store.write { transaction in
            try transaction.put(bytes("done"), at: key(1), updatedAt: 1)
            try transaction.enqueue(draft(1))
        }
        await #expect(throws: Refused.self) {
            try await store.write { transaction in
                try transaction.put(bytes("undone"), at: key(1), updatedAt: 1)
                try transaction.enqueue(draft(2))
                throw Refused()
            }
        }
        let (payload, entries) = try store.read { view in (try view.payload(at: key(1)), try view.outboxEntries()) }
        #expect(payload == bytes("done"))
        #expect(entries.map(\.id) == [draft(1).id])
        try store.close()
    }

    @Test func `refuses an entry with a field that would store credentials`() async throws {
        let store = try directory.open()
        var secret = draft(1)
        secret.fields = [.init(name: "X-Plex-Token", value: bytes("hush"))]
        let refused = secret
        await #expect(throws: StoreError.invalid(.credentialField)) {
            try await store.write { try $0.enqueue(refused) }
        }
        try await store.write { try $0.enqueue(draft(1)) }
        await #expect(throws: StoreError.invalid(.credentialField)) {
            try await store.write { transaction in
                _ = try transaction.amendEntry(refused.id, with: refused, effects: [], at: 2)
            }
        }
        #expect(try store.read { view in try view.outboxEntries() }.map(\.draft.fields) == [[]])
        try store.close()
    }

    @Test func `keeps each lane in the order of arrival, across a close`() async throws {
        let first = try directory.open()
        for number in 1...6 {
            try await first.write { try $0.enqueue(draft(number, lane: number % 2 == 0 ? "even" : "odd")) }
        }
        try first.close()
        let store = try directory.open()
        try await store.write { try $0.enqueue(draft(300, lane: "odd")) }
        func times(_ lane: String?, limit: Int = .max) throws -> [Int64] {
            try store.read { view in try view.outboxEntries(lane: lane, limit: limit).map(\.createdAt) }
        }
        #expect(try times("even") == [2, 4, 6])
        #expect(try times("odd") == [1, 3, 5, 300])
        #expect(try times("odd", limit: 2) == [1, 3])
        #expect(try times(nil) == [2, 4, 6, 1, 3, 5, 300])
        #expect(try times("od") == [])
        #expect(try store.read { view in try view.outboxEntry(draft(4).id)?.payload } == draft(4).payload)
        try store.close()
    }

    @Test func `removes an entry once, with its outcome`() async throws {
        let store = try directory.open()
        try await store.write { transaction in
            for number in 1...2 { try transaction.enqueue(draft(number)) }
        }
        try await store.write { try $0.removeEntry(draft(1).id, outcome: "rejected", detail: "no such note", at: 9) }
        await #expect(throws: StoreError.unknownEntry(draft(1).id)) {
            try await store.write { try $0.removeEntry(draft(1).id, outcome: "accepted", at: 9) }
        }
        let (entries, outcomes) = try store.read { view in (try view.outboxEntries(), try view.outboxOutcomes()) }
        #expect(entries.map(\.id) == [draft(2).id])
        #expect(outcomes.map(\.outcome) == ["rejected"])
        #expect(outcomes.map(\.detail) == ["no such note"])
        #expect(outcomes.map(\.id) == [draft(1).id])
        #expect(try store.findings() == [])
        try store.close()
    }

    @Test func `keeps nothing of an entry whose effect is refused, even when the transaction continues`() async throws {
        let store = try directory.open()
        try await store.write { try $0.put(bytes("{}"), at: key(1), updatedAt: 1) }
        let effects = [RowEffect(.removal, at: key(1)), RowEffect(.patch(bytes("no patch")), at: key(2))]
        try await store.write { transaction in
            #expect(throws: StoreError.self) { try transaction.enqueue(draft(1), effects: effects) }
            try transaction.put(bytes("[]"), at: key(3), updatedAt: 1)
        }
        let (entries, pending, payload) = try store.read { view in
            (try view.outboxEntries(), try view.pendingOutbox(), try view.payload(at: key(1)))
        }
        #expect(entries.isEmpty && pending.entries == 0 && pending.byteCount == 0 && payload == bytes("{}"))
        #expect(try store.read { view in try view.payload(at: key(3)) } == bytes("[]"))
        #expect(try store.findings() == [])
        try store.close()
    }

    @Test func `leaves an entry where it is when the effect of its successor is refused`() async throws {
        let store = try directory.open()
        try await store.write { try $0.enqueue(draft(1), effects: [RowEffect(.replacement(bytes("1")), at: key(1))]) }
        let before = try contents(store)
        try await store.write { transaction in
            #expect(throws: StoreError.self) {
                try transaction.replaceEntry(
                    draft(1).id, with: draft(2), effects: [RowEffect(.patch(bytes("no patch")), at: key(1))],
                    outcome: "superseded", at: 9)
            }
        }
        #expect(try contents(store) == before)
        #expect(try store.findings() == [])
        try store.close()
    }

    /// A zero byte of an identity is stored as two.
    @Test func `recounts the entries after one whose successor has a longer identity`() async throws {
        let store = try directory.open()
        let follower = draft(2, lane: "b", after: [draft(1).id])
        let successor = draft(3, id: UUIDBytes(high: 1, low: 2))
        let drafts = [draft(1), follower]
        let before = try await store.write { transaction in
            for draft in drafts { try transaction.enqueue(draft) }
            return try transaction.outboxByteCount(of: follower.id)
        }
        try await store.write { try $0.replaceEntry(draft(1).id, with: successor, outcome: "superseded", at: 9) }
        let entries = try store.read { view in try view.outboxEntries() }
        #expect(entries.first { $0.id == follower.id }?.draft.after == [successor.id])
        let counted = try await store.write { try $0.outboxByteCount(of: follower.id) }
        #expect(counted > before)
        #expect(try store.findings() == [])
        try store.close()
    }

    @Test func `refuses a second entry of one identity, in any lane, and keeps the first`() async throws {
        let store = try directory.open()
        try await store.write { try $0.enqueue(draft(1, lane: "a")) }
        await #expect(throws: StoreError.duplicateEntry(draft(1).id)) {
            try await store.write { try $0.enqueue(draft(1, lane: "b")) }
        }
        #expect(try store.read { view in try view.outboxEntries() }.map(\.lane) == ["a"])
        #expect(try store.findings() == [])
        try store.close()
    }

    @Test func `never gives a sequence twice`() async throws {
        let store = try directory.open()
        let first = try await store.write { try $0.enqueue(draft(1)).sequence }
        try await store.write { try $0.removeEntry(draft(1).id, outcome: "accepted", at: 1) }
        let second = try await store.write { try $0.enqueue(draft(1)).sequence }
        #expect(second > first)
        try store.close()
    }

    @Test func `remembers the newest thousand outcomes`() async throws {
        let store = try directory.open()
        try await store.write { transaction in
            for number in 1...1_100 {
                try transaction.enqueue(draft(number))
                try transaction.removeEntry(draft(number).id, outcome: "accepted", at: Int64(number))
            }
        }
        let outcomes = try store.read { view in try view.outboxOutcomes() }
        #expect(outcomes.map(\.time) == Array(101...1_100))
        #expect(try store.statistics().journalRecords == Limits.journalRecords)
        #expect(try store.findings() == [])
        try store.close()
    }

    @Test func `makes a commit durable that requested less`() async throws {
        let store = try directory.open()
        let raw = try RawStore(directory.path)
        try await store.write(durability: .relaxed) { try $0.put([], at: key(1), updatedAt: 1) }
        #expect(raw.isRelaxed)
        try await store.write(durability: .relaxed) { try $0.enqueue(draft(1)) }
        #expect(!raw.isRelaxed)
        try await store.write(durability: .relaxed) { try $0.put([], at: key(1), updatedAt: 1) }
        #expect(raw.isRelaxed)
        try await store.write(durability: .relaxed) { try $0.removeEntry(draft(1).id, outcome: "accepted", at: 1) }
        #expect(!raw.isRelaxed)
        try raw.close()
        try store.close()
    }

    @Test func `refuses a lane beyond the limit`() async throws {
        let store = try directory.open()
        await #expect(throws: StoreError.self) {
            try await store.write { try $0.enqueue(draft(1, lane: String(repeating: "x", count: 256))) }
        }
        #expect(throws: StoreError.self) {
            try store.read { view in try view.outboxEntries(lane: String(repeating: "x", count: 600)) }
        }
        try store.close()
    }
}
