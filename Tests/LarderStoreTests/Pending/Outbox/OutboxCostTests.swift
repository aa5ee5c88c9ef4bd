// Proves what the outbox costs, in lookups, moves of cursors, sets and bytes hashed: order, deduplication and status read no body.
#if DEBUG
import LarderFormat
import LarderStore
import Testing

@Suite struct `What the outbox costs` {
    private static let bodyBytes = 4000
    private let temporary = TemporaryStore()

    private func keyedDraft(_ number: Int) -> OutboxDraft {
        var made = draft(number)
        made.deduplicationKey = "tap \(number)"
        made.payload = [UInt8](repeating: UInt8(ascii: "1"), count: Self.bodyBytes)
        return made
    }

    private func store(pending: Int) async throws -> Store {
        let store = try temporary.open()
        try await store.write { transaction in
            for number in 1...pending { try transaction.enqueue(keyedDraft(number)) }
        }
        return store
    }

    @Test func `an enqueue with a deduplication key beside five thousand looks at none of them`() async throws {
        let store = try await store(pending: 5000)
        let costs = try await store.write { transaction in
            try (1...2).map { number in
                try Cost {
                    let known = try transaction.outboxHead(duplicatedBy: keyedDraft(5000 + number))
                    #expect(known == nil)
                    try transaction.enqueue(keyedDraft(5000 + number))
                }
            }
        }
        let second = try await store.write { transaction in
            try Cost {
                let found = try transaction.outboxHead(duplicatedBy: keyedDraft(17))?.id
                #expect(found == draft(17).id)
            }
        }
        for cost in costs {
            #expect(cost.lookups <= 8 && cost.moves == 0 && cost.sets <= 5, "\(cost)")
            #expect(cost.hashed < Self.bodyBytes + 1500, "\(cost)")
        }
        #expect(second.lookups == 3 && second.moves == 0 && second.sets == 0 && second.hashed < 1000, "\(second)")
        try store.close()
    }

    @Test func `new entries are found from where they begin, and all of them without a body`() async throws {
        let store = try await store(pending: 500)
        let version = try await store.write { $0.outboxVersion }
        try await store.write { try $0.enqueue(keyedDraft(501)) }
        let new = try await store.write { transaction in
            try Cost {
                let found = try transaction.outboxUpdate(since: version).entries.count
                #expect(found == 1)
            }
        }
        #expect(new.lookups <= 2 && new.moves == 0 && new.hashed < 1000, "\(new)")
        try await store.write { try $0.removeEntry(draft(501).id, outcome: "dropped", at: 1) }
        try store.read { view in
            _ = try view.pendingOutbox()
            let all = try Cost {
                let found = try view.readableOutboxHeads().entries.count
                #expect(found == 500)
            }
            #expect(all.hashed < 500 * 600, "\(all)")
            let last = try Cost {
                let found = try view.outboxEntries(lane: "a", after: 499).count
                #expect(found == 1)
            }
            #expect(last.hashed < Self.bodyBytes + 1000, "\(last)")
        }
        let last = try await store.write { transaction in
            try Cost {
                let found = try transaction.lastOutboxHead(lane: "a", account: nil)?.sequence
                #expect(found == 500)
            }
        }
        #expect(last.moves <= 3 && last.hashed < 1000, "\(last)")
        try store.close()
    }

    @Test func `each entry that is drained has its body read once, when it is sent`() async throws {
        let store = try await store(pending: 20)
        let drained = try await store.write { transaction in
            try Cost {
                for number in 1...20 {
                    let pending = OutboxDelivery()
                    var sending = pending
                    sending.state = .sending
                    let isBegun = try transaction.updateDelivery(of: draft(number).id, from: pending, to: sending)
                    let sent = try transaction.outboxEntry(draft(number).id)
                    #expect(isBegun && sent?.payload.count == Self.bodyBytes)
                    try transaction.completeEntry(draft(number).id, at: 1)
                }
            }
        }
        #expect(drained.hashed < 20 * (Self.bodyBytes + 3500), "\(drained)")
        #expect(try store.read { view in try view.outboxEntries() } == [])
        try store.close()
    }
}
#endif
