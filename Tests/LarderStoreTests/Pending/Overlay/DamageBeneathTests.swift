// Proves that a patch over damaged records is shown until something beneath changes, and is rebased without them.

import LarderFormat
import LarderStore
import Testing

@Suite struct `A patch over a damaged record` {
    private let temporary = TemporaryStore()

    private func text(_ store: Store) throws -> String? {
        try store.read { view in try view.payload(at: key(1)) }.map { String(decoding: $0, as: UTF8.self) }
    }

    private func enqueue(_ number: Int, _ change: OverlayChange, _ store: Store) async throws {
        try await store.write { transaction in
            try transaction.enqueue(
                draft(number, lane: "\(number)"), effects: [RowEffect(change, at: key(1))])
        }
    }

    private func patch(_ text: String) -> OverlayChange { .patch(bytes(text)) }

    /// Flips a bit of the lowest write, or of row 1.
    private func damage(_ table: TableName) throws {
        let raw = try RawStore(temporary.path)
        let records = try raw.records().filter { record in
            record.table == table && (table == .rows || record.overlayPlace?.sequence != nil)
        }
        let record = try #require(table == .rows ? records.last : records.first)
        var value = record.value
        value[value.count - 1] ^= 1
        try raw.replace([record], by: [RawRecord(table: table, key: record.key, value: value)])
        try raw.close()
    }

    private func expectDamage(_ store: Store) {
        #expect(throws: StoreError.self) { try text(store) }
        #expect(throws: StoreError.self) { try store.keys(.all(of: translations)) }
    }

    @Test func `is shown until anything beneath changes, then cannot be read, and is rebased without the damage`()
        async throws
    {
        let store = try temporary.open()
        try await store.write { try $0.put(bytes(#"{"a":1}"#), at: key(1), updatedAt: 1) }
        try await enqueue(1, patch(#"{"b":2}"#), store)
        try await enqueue(2, patch(#"{"c":3}"#), store)
        try damage(.overlay)
        #expect(try text(store) == #"{"a":1,"b":2,"c":3}"#)
        try await store.write { try $0.put(bytes(#"{"a":9}"#), at: key(1), updatedAt: 1) }
        expectDamage(store)
        try await store.write { try $0.completeEntry(draft(1).id, at: 9) }
        #expect(try text(store) == #"{"a":9,"c":3}"#)
        #expect(try store.findings() == [])
    }

    @Test func `shows nothing of a write between that was refused`() async throws {
        let store = try temporary.open()
        try await store.write { try $0.put(bytes(#"{"a":1}"#), at: key(1), updatedAt: 1) }
        try await enqueue(1, patch(#"{"b":2}"#), store)
        try await enqueue(2, .replacement(bytes(#"{"y":1}"#)), store)
        try await enqueue(3, patch(#"{"z":1}"#), store)
        try damage(.overlay)
        // What is whole between them makes it known again.
        #expect(try text(store) == #"{"y":1,"z":1}"#)
        try await store.write { try $0.rejectEntry(draft(2).id, OutboxDelivery(), detail: nil, at: 9) }
        expectDamage(store)
        try await store.write { try $0.rejectEntry(draft(1).id, OutboxDelivery(), detail: nil, at: 9) }
        #expect(try text(store) == #"{"a":1,"z":1}"#)
        #expect(try store.findings() == [])
    }

    @Test func `is refused where the base is unknown, and allowed over an overlay that covers the damage`() async throws
    {
        let store = try temporary.open()
        try await store.write { try $0.put(bytes(#"{"a":1}"#), at: key(1), updatedAt: 1) }
        try await enqueue(1, patch(#"{"b":2}"#), store)
        try damage(.overlay)
        // What is shown was made before.
        try await enqueue(2, patch(#"{"c":3}"#), store)
        #expect(try text(store) == #"{"a":1,"b":2,"c":3}"#)
        try await store.write { try $0.put(bytes(#"{"a":2}"#), at: key(1), updatedAt: 1) }
        await #expect(throws: StoreError.self) { try await enqueue(3, patch(#"{"d":4}"#), store) }
        try await enqueue(4, .replacement(bytes(#"{"y":1}"#)), store)
        try await enqueue(5, patch(#"{"z":1}"#), store)
        #expect(try text(store) == #"{"y":1,"z":1}"#)
    }

    @Test func `is shown over a damaged row until that changes, and is rebased on the next version`() async throws {
        let store = try temporary.open()
        try await store.write { try $0.put(bytes(#"{"a":1}"#), at: key(1), updatedAt: 1) }
        try await enqueue(1, patch(#"{"b":2}"#), store)
        try await enqueue(2, patch(#"{"c":3}"#), store)
        try damage(.rows)
        #expect(try text(store) == #"{"a":1,"b":2,"c":3}"#)
        try await store.write { try $0.rejectEntry(draft(1).id, OutboxDelivery(), detail: nil, at: 9) }
        expectDamage(store)
        try await store.replace(translations, with: [(key(1), bytes(#"{"a":5}"#))])
        #expect(try text(store) == #"{"a":5,"c":3}"#)
        try await store.reclaim()
        #expect(try store.findings() == [])
    }
}
