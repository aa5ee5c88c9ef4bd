// Proves that a patch overlay is computed from the row and rebased whenever anything beneath it changes.

import LarderFormat
import LarderStore
import Testing

@Suite struct `A patch over a row` {
    private let temporary = TemporaryStore()

    private func text(_ number: Int, _ store: Store) throws -> String? {
        try store.read { view in try view.payload(at: key(number)) }.map { String(decoding: $0, as: UTF8.self) }
    }

    private func patch(_ text: String) -> OverlayChange { .patch(bytes(text)) }

    @discardableResult
    private func apply(_ change: OverlayChange, _ number: Int, _ store: Store) async throws -> Int64 {
        try await store.write { transaction in try transaction.applyOverlay(change, at: key(number), updatedAt: 5) }
    }

    @Test func `shows the patched row`() async throws {
        let store = try temporary.open()
        try await store.write { try $0.put(bytes(#"{"a":1,"b":2}"#), at: key(1), updatedAt: 1) }
        let sequence = try await apply(patch(#"{"b":null,"c":3}"#), 1, store)
        #expect(try text(1, store) == #"{"a":1,"c":3}"#)
        let rows = try store.read { view in try view.rows(in: .all(of: translations)) }
        #expect(rows.map(\.payload) == [bytes(#"{"a":1,"c":3}"#)])
        #expect(rows.map(\.updatedAt) == [5])
        let overlay = try #require(try store.read { view in try view.overlays(at: key(1)) }.first)
        #expect(overlay.patch == bytes(#"{"b":null,"c":3}"#))
        #expect(overlay.payload == bytes(#"{"a":1,"c":3}"#))
        let base = try store.read { view in try view.overlayBase(at: key(1), sequence: sequence) }
        #expect(base == bytes(#"{"a":1,"b":2}"#))
        #expect(try store.findings() == [])
    }

    @Test func `treats a row of another codec as an empty object, whatever its bytes`() async throws {
        let store = try temporary.open()
        try await store.write { try $0.put(bytes(#"{"a":1}"#), at: key(1), updatedAt: 1, codec: .opaque) }
        try await apply(patch(#"{"b":2}"#), 1, store)
        #expect(try text(1, store) == #"{"b":2}"#)
    }

    @Test func `makes no row where there is none, and one as soon as there is`() async throws {
        let store = try temporary.open()
        try await apply(patch(#"{"b":2}"#), 1, store)
        #expect(try text(1, store) == nil)
        #expect(try store.keys(.all(of: translations)) == [])
        try await store.write { try $0.put(bytes(#"{"a":1}"#), at: key(1), updatedAt: 1) }
        #expect(try text(1, store) == #"{"a":1,"b":2}"#)
        try await store.write { try $0.removeRow(at: key(1)) }
        #expect(try text(1, store) == nil)
        #expect(try store.findings() == [])
    }

    @Test func `is rebased by every change beneath`() async throws {
        let store = try temporary.open()
        try await store.write { try $0.put(bytes(#"{"a":1}"#), at: key(1), updatedAt: 1) }
        try await apply(patch(#"{"b":2}"#), 1, store)
        try await store.write { transaction in
            try transaction.put(bytes(#"{"a":2}"#), at: key(1), updatedAt: 1)
            let seen = try transaction.payload(at: key(1))
            #expect(seen == bytes(#"{"a":2,"b":2}"#))
        }
        #expect(try text(1, store) == #"{"a":2,"b":2}"#)
        try await store.replace(translations, with: [(key(1), bytes(#"{"a":3}"#)), (key(2), bytes("{}"))])
        #expect(try text(1, store) == #"{"a":3,"b":2}"#)
        try await store.replace(translations, with: [(key(2), bytes("{}"))])
        #expect(try text(1, store) == nil)
        try await store.replace(translations, with: [(key(1), bytes("[]"))])
        #expect(try text(1, store) == #"{"b":2}"#)
        try await store.write { try $0.withdraw(translations, at: ServerPosition(0, 9), as: .hidden) }
        #expect(try text(1, store) == nil)
        #expect(try store.findings() == [])
    }

    @Test func `stacks on others, and is rebased when one of them is removed or changed`() async throws {
        let store = try temporary.open()
        try await store.write { try $0.put(bytes(#"{"a":1}"#), at: key(1), updatedAt: 1) }
        let first = try await apply(patch(#"{"x":1}"#), 1, store)
        let second = try await apply(.replacement(bytes(#"{"y":1}"#)), 1, store)
        let third = try await apply(patch(#"{"z":1}"#), 1, store)
        #expect(try text(1, store) == #"{"y":1,"z":1}"#)
        #expect(try store.read { view in try view.overlayBase(at: key(1), sequence: third) } == bytes(#"{"y":1}"#))
        try await store.write { try $0.changeOverlay(at: key(1), sequence: second, to: .removal) }
        #expect(try text(1, store) == nil)
        try await store.write { try $0.removeOverlay(at: key(1), sequence: second) }
        #expect(try text(1, store) == #"{"a":1,"x":1,"z":1}"#)
        try await store.write { try $0.changeOverlay(at: key(1), sequence: first, to: patch(#"{"x":2}"#)) }
        #expect(try text(1, store) == #"{"a":1,"x":2,"z":1}"#)
        try await store.write { try $0.removeOverlay(at: key(1), sequence: first) }
        #expect(try text(1, store) == #"{"a":1,"z":1}"#)
        #expect(try store.findings() == [])
    }

    @Test func `is refused when it is no JSON, or when its base is damaged`() async throws {
        let store = try temporary.open()
        await #expect(throws: StoreError.invalid(.invalidValue(field: "patch", value: 1))) {
            try await store.write { try $0.applyOverlay(.patch(bytes("{")), at: key(1), updatedAt: 1) }
        }
        #expect(try store.read { view in try view.overlays(at: key(1)) } == [])
    }

    @Test func `is indexed by its result, before and after a change beneath`() async throws {
        let store = try temporary.open()
        try await store.declareIndex(priceIndex)
        try await store.replace(translations, with: (1...3).map { (key($0), priced("\($0)")) })
        try await apply(patch(#"{"p":9}"#), 1, store)
        try await apply(patch(#"{"q":9}"#), 2, store)
        #expect(try store.keys(of: "price") == ["2", "3", "1"])
        try await store.write { try $0.put(priced("20"), at: key(2), updatedAt: 1) }
        #expect(try store.keys(of: "price") == ["3", "1", "2"])
        #expect(try store.findings() == [])
    }

    @Test func `notifies observers of visible changes only`() async throws {
        let store = try temporary.open()
        try await store.write { transaction in
            for number in 1...2 { try transaction.put(bytes(#"{"a":1}"#), at: key(number), updatedAt: 1) }
        }
        try await apply(patch(#"{"b":2}"#), 1, store)
        try await apply(.replacement(bytes("{}")), 2, store)
        var changes = store.changes(in: .everything).makeAsyncIterator()
        try await store.write { transaction in
            try transaction.put(bytes(#"{"a":2}"#), at: key(1), updatedAt: 1)
            try transaction.put(bytes(#"{"a":2}"#), at: key(2), updatedAt: 1)
        }
        #expect(await changes.next()?.rows[translations]?.upserts == [key(1)])
        try await store.write { try $0.removeRow(at: key(2)) }
        #expect(await changes.next()?.rows[translations] == nil)
        try await store.write { try $0.removeRow(at: key(1)) }
        #expect(await changes.next()?.rows[translations]?.removals == [key(1)])
        try store.close()
    }

    /// Flips a bit of the first record of `overlay` that is, or is not, a write.
    private func damage(aWrite isWrite: Bool) throws {
        let raw = try RawStore(temporary.path)
        let record = try #require(
            try raw.records().first { $0.table == .overlay && ($0.overlayPlace?.sequence != nil) == isWrite })
        var value = record.value
        value[value.count - 1] ^= 1
        try raw.replace([record], by: [RawRecord(table: .overlay, key: record.key, value: value)])
        try raw.close()
    }

    @Test func `that is damaged prevents no sync, acceptance or removal`() async throws {
        let store = try temporary.open()
        try await store.write { try $0.put(bytes(#"{"a":1}"#), at: key(1), updatedAt: 1) }
        try await store.write { transaction in
            try transaction.enqueue(draft(1), effects: [RowEffect(patch(#"{"b":2}"#), at: key(1))])
        }
        try damage(aWrite: true)
        #expect(try store.findings().map(\.kind) == [.checksum])
        // What it made of the row was made before, and is whole.
        #expect(try text(1, store) == #"{"a":1,"b":2}"#)
        try await store.write { try $0.put(bytes(#"{"a":2}"#), at: key(1), updatedAt: 1) }
        #expect(throws: StoreError.self) { try store.read { view in try view.payload(at: key(1)) } }
        #expect(throws: StoreError.self) { try store.keys(.all(of: translations)) }
        // The server has the write: what cannot be read of it stands before nothing any more.
        try await store.write { try $0.completeEntry(draft(1).id, at: 9) }
        #expect(try text(1, store) == #"{"a":2}"#)
        #expect(try store.findings() == [])
    }

    @Test func `is readable again, after its visible result was damaged, as soon as anything of the row changes`()
        async throws
    {
        let store = try temporary.open()
        try await store.write { try $0.put(bytes(#"{"a":1}"#), at: key(1), updatedAt: 1) }
        try await apply(patch(#"{"b":2}"#), 1, store)
        try damage(aWrite: false)
        #expect(try store.findings().map(\.kind) == [.checksum])
        #expect(throws: StoreError.self) { try text(1, store) }
        try await store.write { try $0.put(bytes(#"{"a":2}"#), at: key(1), updatedAt: 1) }
        #expect(try text(1, store) == #"{"a":2,"b":2}"#)
        try damage(aWrite: false)
        // So is a patch that is laid: it lies over what the writes beneath it make.
        try await apply(patch(#"{"c":3}"#), 1, store)
        #expect(try text(1, store) == #"{"a":2,"b":2,"c":3}"#)
        #expect(try store.findings() == [])
    }

    @Test func `is found stale by verify when the row beneath changed without it`() async throws {
        let store = try temporary.open()
        try await store.write { try $0.put(bytes(#"{"a":1}"#), at: key(1), updatedAt: 1) }
        try await apply(patch(#"{"b":2}"#), 1, store)
        let raw = try RawStore(temporary.path)
        let record = try #require(try raw.records().first { $0.table == .overlay })
        let body = Array(record.body.dropLast()) + bytes(",\"x\":1}")
        let value = Record.seal(
            body: body.rawSpan, codec: PayloadCodec.json.rawValue, key: record.key.rawSpan,
            seed: TableName.overlay.seed)
        try raw.replace([record], by: [RawRecord(table: .overlay, key: record.key, value: value)])
        #expect(try store.findings().map(\.kind).contains(.derived))
        try raw.close()
    }

    @Test func `is found by verify when its visible result is missing or left over`() async throws {
        let store = try temporary.open()
        try await apply(patch(#"{"b":2}"#), 1, store)
        let raw = try RawStore(temporary.path)
        let records = try raw.records().filter { $0.table == .overlay }
        for record in records {
            try raw.replace([record], by: [])
            #expect(try store.findings().map(\.kind).contains(.derived))
            try raw.replace([], by: [record])
        }
        #expect(try store.findings() == [])
        try raw.close()
    }
}
