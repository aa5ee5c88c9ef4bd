// Proves that an overlay replaces or hides a row for readers, indexes and observers, and leaves the server's rows alone.

import LarderFormat
import LarderStore
import Testing

@Suite struct `An overlay` {
    private let temporary = TemporaryStore()

    private func text(_ key: RowKey, _ store: Store) throws -> String? {
        try store.read { view in try view.payload(at: key) }.map { String(decoding: $0, as: UTF8.self) }
    }

    private func shown(_ store: Store, reversed: Bool = false, limit: Int = .max) throws -> [String] {
        try store.read { view in
            try view.rows(in: .all(of: translations), reversed: reversed, limit: limit).map {
                "\($0.key.key)=\(String(decoding: $0.payload, as: UTF8.self))"
            }
        }
    }

    private func replacement(_ text: String) -> OverlayChange { .replacement(bytes(text), codec: .opaque) }

    @Test func `is shown in place of the row, and the row again without it`() async throws {
        let store = try temporary.open()
        try await store.put([key(1), key(2), key(3)])
        let sequence = try await store.write { transaction in
            try transaction.applyOverlay(replacement("mine"), at: key(2), updatedAt: 7)
        }
        #expect(try text(key(2), store) == "mine")
        let updatedAt = try store.read { view in try view.row(at: key(2))?.updatedAt }
        #expect(updatedAt == 7)
        #expect(try shown(store) == ["1=1", "2=mine", "3=3"])
        let server = try store.read { view -> [UInt8]? in
            guard let row = try view.serverRow(at: key(2)) else { return nil }
            return [UInt8](copying: row.payload)
        }
        #expect(server == bytes("2"))
        try await store.write { transaction in try transaction.removeOverlay(at: key(2), sequence: sequence) }
        #expect(try shown(store) == ["1=1", "2=2", "3=3"])
        #expect(try store.findings() == [])
    }

    @Test func `is of its row only, and not of one whose key continues with U+0000`() async throws {
        let store = try temporary.open()
        try await store.put([key("a"), key("a\0b")])
        try await store.write { transaction in
            try transaction.applyOverlay(replacement("longer"), at: key("a\0b"), updatedAt: 1)
            try transaction.applyOverlay(.removal, at: key("a\0c"), updatedAt: 1)
        }
        let sequence = try await store.write { transaction in
            try transaction.applyOverlay(replacement("mine"), at: key("a"), updatedAt: 1)
        }
        #expect(try shown(store) == ["a=mine", "a\0b=longer"])
        try await store.write { transaction in try transaction.removeOverlay(at: key("a"), sequence: sequence) }
        #expect(try shown(store) == ["a=a", "a\0b=longer"])
        #expect(try store.findings() == [])
    }

    @Test func `hides a row, and makes one where the server has none`() async throws {
        let store = try temporary.open()
        try await store.put([key(1), key(3)])
        try await store.write { transaction in
            try transaction.applyOverlay(.removal, at: key(1), updatedAt: 1)
            try transaction.applyOverlay(replacement("two"), at: key(2), updatedAt: 1)
            try transaction.applyOverlay(replacement("four"), at: key(4), updatedAt: 1)
            try transaction.applyOverlay(.removal, at: key(5), updatedAt: 1)
        }
        #expect(try text(key(1), store) == nil)
        #expect(try shown(store) == ["2=two", "3=3", "4=four"])
        #expect(try shown(store, reversed: true) == ["4=four", "3=3", "2=two"])
        #expect(try shown(store, limit: 1) == ["2=two"])
        #expect(try shown(store, limit: 2) == ["2=two", "3=3"])
        #expect(try shown(store, reversed: true, limit: 2) == ["4=four", "3=3"])
        #expect(try store.findings() == [])
    }

    @Test func `of the highest sequence is shown`() async throws {
        let store = try temporary.open()
        let sequences = try await store.write { transaction in
            [
                try transaction.applyOverlay(replacement("a"), at: key(1), updatedAt: 1),
                try transaction.applyOverlay(.removal, at: key(1), updatedAt: 1),
                try transaction.applyOverlay(replacement("c"), at: key(1), updatedAt: 1),
            ]
        }
        #expect(sequences == sequences.sorted())
        #expect(try text(key(1), store) == "c")
        try await store.write { transaction in try transaction.removeOverlay(at: key(1), sequence: sequences[2]) }
        #expect(try text(key(1), store) == nil)
        #expect(try shown(store) == [])
        try await store.write { transaction in try transaction.removeOverlay(at: key(1), sequence: sequences[1]) }
        #expect(try shown(store) == ["1=a"])
        #expect(try store.read { view in try view.overlays(at: key(1)).map(\.sequence) } == [sequences[0]])
        #expect(try store.findings() == [])
    }

    @Test func `is shown for a resource that is not ready, and for an unknown one`() async throws {
        let store = try temporary.open()
        try await store.write { transaction in
            try transaction.applyOverlay(replacement("new"), at: key(9), updatedAt: 1)
        }
        #expect(try shown(store) == ["9=new"])
        #expect(try store.read { view in try view.resource(translations)?.state } == .empty)
        try await store.replace(translations, with: [(key(1), bytes("1"))])
        #expect(try shown(store) == ["1=1", "9=new"])
        try await store.write { transaction in
            try transaction.withdraw(translations, at: ServerPosition(0, 5), as: .hidden)
        }
        try await store.reclaim()
        #expect(try shown(store) == ["9=new"])
        #expect(try store.findings() == [])
    }

    @Test func `is kept by snapshots, row changes and eviction`() async throws {
        let store = try temporary.open()
        try await store.put([key(1), key(2)])
        try await store.write { transaction in
            try transaction.applyOverlay(replacement("mine"), at: key(1), updatedAt: 1)
        }
        try await store.write { transaction in
            try transaction.put(bytes("theirs"), at: key(1), updatedAt: 2)
            try transaction.removeRow(at: key(2))
        }
        #expect(try shown(store) == ["1=mine"])
        try await store.replace(translations, with: [(key(1), bytes("copy")), (key(3), bytes("3"))])
        #expect(try shown(store) == ["1=mine", "3=3"])
        let isEvicted = try await store.write { transaction in try transaction.evict(translations) }
        #expect(!isEvicted)
        try await store.write { transaction in try transaction.removeRow(at: key(1)) }
        #expect(try shown(store) == ["1=mine", "3=3"])
        #expect(try store.findings() == [])
    }

    @Test func `keeps its base and its entry, and can be confirmed`() async throws {
        let store = try temporary.open()
        try await store.put([key(1)])
        let entry = draft(1)
        let sequence = try await store.write { transaction in
            let place = try transaction.enqueue(entry).sequence
            try transaction.applyOverlay(.removal, at: key(2), updatedAt: 3)
            return try transaction.applyOverlay(
                replacement("mine"), at: key(1), updatedAt: 4, entryID: entry.id, sequence: place)
        }
        try await store.write { transaction in
            let isThere = try transaction.confirmOverlay(at: key(1), sequence: sequence)
            let isElsewhere = try transaction.confirmOverlay(at: key(3), sequence: sequence)
            #expect(isThere && !isElsewhere)
        }
        let overlays = try store.read { view in try view.overlays(of: translations) }
        #expect(overlays.map(\.key) == [key(1), key(2)])
        #expect(overlays.map(\.isConfirmed) == [true, false])
        #expect(overlays.map(\.entryID) == [entry.id, nil])
        #expect(overlays.map { $0.base == nil } == [false, true])
        #expect(overlays[0].change == replacement("mine"))
        #expect(overlays[1].change == .removal)
        #expect(try store.findings() == [])
    }

    @Test func `names the account of its entry, also after that was amended`() async throws {
        let store = try temporary.open()
        var entry = draft(1)
        entry.account = "ada"
        let stored = entry
        try await store.write { transaction in
            try transaction.enqueue(stored, effects: [RowEffect(replacement("mine"), at: key(1))])
        }
        #expect(try store.read { view in try view.overlays(of: translations).map(\.account) } == ["ada"])
        try await store.write { transaction in
            let effects = [RowEffect(replacement("more"), at: key(1)), RowEffect(.removal, at: key(2))]
            try transaction.amendEntry(stored.id, with: stored, effects: effects, at: 9)
        }
        #expect(try store.read { view in try view.overlays(of: translations).map(\.account) } == ["ada", "ada"])
    }

    @Test func `with a sequence that was not issued yet is refused`() async throws {
        let store = try temporary.open()
        await #expect(throws: StoreError.self) {
            try await store.write { transaction in
                try transaction.applyOverlay(.removal, at: key(1), updatedAt: 1, sequence: 99)
            }
        }
    }

    @Test func `is seen by the transaction that applies it`() async throws {
        let store = try temporary.open()
        try await store.put([key(1)])
        try await store.write { transaction in
            try transaction.applyOverlay(replacement("mine"), at: key(1), updatedAt: 1)
            let payload = try transaction.payload(at: key(1))
            #expect(payload == bytes("mine"))
            var seen: [String] = []
            try transaction.forEachRow(in: .all(of: translations)) { entry in seen.append(try entry.key().key) }
            #expect(seen == ["1"])
            guard let row = try transaction.serverRow(at: key(1)) else { throw StoreError.notAStore }
            let server = [UInt8](copying: row.payload)
            #expect(server == bytes("1"))
        }
    }

    @Test func `is reported to observers as its change of the row`() async throws {
        let store = try temporary.open()
        try await store.put([key(1)])
        var changes = store.changes(in: .resource(translations)).makeAsyncIterator()
        let sequence = try await store.write { transaction in
            try transaction.applyOverlay(.removal, at: key(1), updatedAt: 1)
        }
        #expect(await changes.next()?.rows[translations]?.removals == [key(1)])
        try await store.write { transaction in try transaction.removeOverlay(at: key(1), sequence: sequence) }
        #expect(await changes.next()?.rows[translations]?.upserts == [key(1)])
        try store.close()
    }

    @Test func `is indexed as if it were the row`() async throws {
        let store = try temporary.open()
        try await store.declareIndex(priceIndex)
        try await store.replace(translations, with: (1...4).map { (key($0), priced("\($0)")) })
        try await store.write { transaction in
            try transaction.applyOverlay(.replacement(priced("9")), at: key(1), updatedAt: 1)
            try transaction.applyOverlay(.removal, at: key(3), updatedAt: 1)
            try transaction.applyOverlay(.replacement(priced("2.5")), at: key(8), updatedAt: 1)
        }
        #expect(try store.keys(of: "price") == ["2", "8", "4", "1"])
        #expect(try store.keys(of: "price", reversed: true) == ["1", "4", "8", "2"])
        #expect(try store.keys(of: "price", .below(.integer(3))) == ["2", "8"])
        #expect(try store.findings() == [])
    }
}
