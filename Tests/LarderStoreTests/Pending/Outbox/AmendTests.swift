// Proves that an unsent entry can be amended together with its overlay, its counters and its blobs.

import LarderFormat
import LarderStore
import Testing

@Suite struct `An entry that was never sent` {
    private let directory = TemporaryStore()

    private func shown(_ number: Int, _ store: Store) throws -> String? {
        try store.read { view in try view.payload(at: key(number)) }.map { String(decoding: $0, as: UTF8.self) }
    }

    private func changed(_ text: String) -> OutboxDraft {
        // Nothing of a draft counts but what is sent.
        var draft = OutboxDraft(
            id: draft(9).id, lane: "elsewhere", createdAt: 99, mutationType: "other", method: "DELETE",
            endpoint: "/other", payload: bytes(text))
        draft.fields = [.init(name: "Content-Type", value: bytes("text/plain"))]
        draft.fingerprint = 7
        return draft
    }

    @Test func `is amended in its place, and is counted as amended`() async throws {
        let store = try directory.open()
        try await store.write { transaction in
            for number in 1...2 { try transaction.enqueue(draft(number)) }
        }
        let before = try store.read { view in try view.pendingOutbox() }
        let old = try #require(try store.read { view in try view.outboxEntry(draft(1).id) })
        let text = String(repeating: "x", count: 1000)
        let new = try #require(
            try await store.write { try $0.amendEntry(draft(1).id, with: changed(text), effects: [], at: 5) })
        var expected = old.draft
        expected.payload = bytes(text)
        expected.fields = changed("").fields
        expected.fingerprint = 7
        #expect(new.draft == expected && new.sequence == old.sequence && new.delivery == old.delivery)
        let (entries, after, outcomes) = try store.read { view in
            (try view.outboxEntries(lane: "a"), try view.pendingOutbox(), try view.outboxOutcomes())
        }
        #expect(entries.map(\.id) == [draft(1).id, draft(2).id] && entries.first == new)
        #expect(after.entries == 2 && after.byteCount > before.byteCount + 900 && outcomes.isEmpty)
        // The walk through the store counts the bytes anew.
        #expect(try store.findings() == [])
        for number in 1...2 {
            try await store.write { try $0.removeEntry(draft(number).id, outcome: "dropped", at: 6) }
        }
        let left = try store.read { view in try view.pendingOutbox() }
        #expect(left.entries == 0 && left.byteCount == 0)
        try store.close()
    }

    @Test func `shows its amended overlay, and overlays above it are rebased`() async throws {
        let store = try directory.open()
        try await store.write { transaction in
            for number in 1...3 { try transaction.put(bytes(#"{"a":0}"#), at: key(number), updatedAt: 1) }
            try transaction.enqueue(
                draft(1),
                effects: [.init(.patch(bytes(#"{"b":1}"#)), at: key(1)), .init(.removal, at: key(2))])
            try transaction.enqueue(draft(2), effects: [.init(.patch(bytes(#"{"c":2}"#)), at: key(1))])
        }
        #expect(try shown(1, store) == #"{"a":0,"b":1,"c":2}"# && shown(2, store) == nil)
        try await store.write { transaction in
            // What the server says meanwhile is not what the write was made from.
            try transaction.put(bytes(#"{"a":5}"#), at: key(1), updatedAt: 2)
            try transaction.amendEntry(
                draft(1).id, with: draft(1),
                effects: [
                    .init(.patch(bytes(#"{"b":8}"#)), at: key(1)), .init(.replacement(bytes(#"{"d":4}"#)), at: key(3)),
                ],
                at: 77)
        }
        #expect(try shown(1, store) == #"{"a":5,"b":8,"c":2}"#)
        #expect(try shown(2, store) == #"{"a":0}"# && shown(3, store) == #"{"d":4}"#)
        let (entry, overlay) = try store.read { view in
            (try view.outboxEntry(draft(1).id), try view.overlays(at: key(1)).first)
        }
        #expect(entry?.rows == [key(1), key(3)])
        #expect(overlay?.basePayload == bytes(#"{"a":0}"#) && overlay?.updatedAt == 77)
        #expect(overlay?.entryID == draft(1).id && overlay?.isConfirmed == false)
        #expect(try store.findings() == [])
        try store.close()
    }

    @Test func `releases a blob that it no longer names, and keeps one that it does`() async throws {
        let store = try directory.open()
        func blob(_ text: String) async throws -> Blob {
            let writer = try store.makeBlob()
            writer.append(bytes(text).rawSpan)
            try await writer.flush()
            return try await store.write { transaction in try writer.finish(in: &transaction) }
        }
        let (first, second) = (try await blob("one"), try await blob("the other"))
        var named = draft(1)
        (named.payload, named.blob) = ([], first)
        try await store.write { [named] in try $0.enqueue(named) }
        let small = try store.read { view in try view.pendingOutbox().byteCount }
        try await store.write { [named] in try $0.amendEntry(named.id, with: named, effects: [], at: 2) }
        #expect(try store.blob(first.number) != nil)
        named.blob = second
        try await store.write { [named] in try $0.amendEntry(named.id, with: named, effects: [], at: 3) }
        #expect(try store.blob(first.number) == nil && store.blob(second.number) != nil)
        let large = try store.read { view in try view.pendingOutbox().byteCount }
        #expect(large - small == second.byteCount - first.byteCount)
        try await store.write { try $0.amendEntry(draft(1).id, with: draft(1), effects: [], at: 4) }
        #expect(try store.blob(second.number) == nil)
        #expect(try store.findings() == [])
        try store.close()
    }

    @Test(arguments: OutboxDelivery.State.allCases)
    func `is the only entry that can be amended`(state: OutboxDelivery.State) async throws {
        let store = try directory.open()
        try await store.write { try $0.enqueue(draft(1), effects: [.init(.removal, at: key(1))]) }
        for tries in 0...1 {
            try await store.write { transaction in
                let old = try transaction.outboxEntry(draft(1).id)?.delivery ?? OutboxDelivery()
                var new = old
                (new.state, new.tries) = (state, tries)
                _ = try transaction.updateDelivery(of: draft(1).id, from: old, to: new)
            }
            let before = try store.read { view in try view.outboxEntry(draft(1).id) }
            let amended = try await store.write {
                try $0.amendEntry(draft(1).id, with: changed("new"), effects: [], at: 2)
            }
            #expect((amended != nil) == (state == .pending && tries == 0))
            let after = try store.read { view in try view.outboxEntry(draft(1).id) }
            if amended == nil { #expect(after == before) }
        }
        await #expect(throws: StoreError.unknownEntry(draft(2).id)) {
            try await store.write { try $0.amendEntry(draft(2).id, with: draft(2), effects: [], at: 2) }
        }
        try store.close()
    }
}
