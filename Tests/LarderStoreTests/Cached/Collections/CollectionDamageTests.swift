// Proves that a damaged collection is refused or read whole, can be replaced and removed, and is found by verify.

import LarderFormat
import LarderStore
import Testing

@Suite struct `A damaged collection` {
    private let directory = TemporaryStore()
    private let name = CollectionName(class: "translation", query: "all")

    /// The records of `collections`, each changed on the medium alone, the store opened around each.
    private func withEachDamaged(_ body: (Store, RawRecord) async throws -> Void) async throws {
        let store = try directory.open()
        try await store.put([key(1), key(2)])
        try await store.put(name, [key(1), key(2)])
        let raw = try RawStore(directory.path)
        let sound = try raw.records().filter { $0.table == .collections }
        #expect(sound.count == 5)
        for record in sound {
            var damaged = record
            damaged.value[damaged.value.count - 1] ^= 1
            try raw.replace([record], by: [damaged])
            try await body(store, record)
            // As it was before the next one.
            try raw.replace(try raw.records().filter { $0.table == .collections }, by: sound)
        }
        try raw.close()
        try store.close()
    }

    @Test func `is refused or read whole, never in part`() async throws {
        try await withEachDamaged { store, record in
            #expect(try store.findings().contains { $0.table == "collections" }, "\(record)")
            do {
                let rows = try store.rowKeys(of: name)
                #expect(rows == [key(1), key(2)], "\(record)")
            } catch StoreError.damaged(table: "collections", _) {
                // Refused: as it should be.
            }
        }
    }

    @Test func `can be replaced, and the damage is gone`() async throws {
        try await withEachDamaged { store, record in
            try await store.put(name, [key(2)])
            #expect(try store.rowKeys(of: name) == [key(2)])
            let findings = try store.findings().filter { $0.kind != .counter }
            #expect(findings.isEmpty, "\(record): \(findings)")
        }
    }

    @Test func `can be removed completely`() async throws {
        try await withEachDamaged { store, record in
            try await store.write { transaction in try transaction.removeCollection(name) }
            #expect(try store.rowKeys(of: name) == nil)
            let findings = try store.findings().filter { $0.kind != .counter }
            #expect(findings.isEmpty, "\(record): \(findings)")
        }
    }
}

@Suite struct `Verification of collections` {
    private let directory = TemporaryStore()

    @Test func `finds inconsistent records whose checksums are right`() async throws {
        let store = try directory.open()
        try await store.put([key(1), key(2)])
        try await store.put(CollectionName(class: "translation"), [key(1), key(2), key(1)])
        let raw = try RawStore(directory.path)
        let records = try raw.records().filter { $0.table == .collections }
        for record in records {
            switch try CollectionKey(decoding: record.key.rawSpan) {
            case .name:
                try expectFinding(.index, store, raw, record, CollectionNumberRecord(number: 9).encode())
            case .membership:
                try expectFinding(.index, store, raw, record, CollectionMembershipRecord(count: 7).encode())
            case .record:
                var other = try CollectionRecord(decoding: record.body.rawSpan)
                other.rowCount += 1
                try expectFinding(.count, store, raw, record, other.encode())
                other.rowCount -= 1
                other.chunkCount += 1
                try expectFinding(.count, store, raw, record, other.encode())
                other.chunkCount -= 1
                other.name.query = "another"
                try expectFinding(.index, store, raw, record, other.encode())
            case .chunk:
                let other = CollectionChunk(rows: [key(1), key(2), key(3)])
                try expectFinding(
                    .index, store, raw, record, other.encode(mainResource: translations, type: "translation"))
            case .validators: Issue.record("nothing was fetched by itself")
            }
        }
        #expect(try store.findings() == [])
        try raw.close()
        try store.close()
    }

    private func expectFinding(
        _ kind: Finding.Kind, _ store: Store, _ raw: RawStore, _ record: RawRecord, _ body: [UInt8]
    ) throws {
        let other = record.resealed(body)
        try raw.replace([record], by: [other])
        let kinds = Set(try store.findings().map(\.kind))
        #expect(kinds.contains(kind), "\(record): \(kinds)")
        try raw.replace([other], by: [record])
    }
}
