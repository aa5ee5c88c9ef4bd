// Proves that a diagnostic copy shows the state of a store, holds nothing of its content, and is never written.

import Foundation
import LarderEngine
import LarderFormat
import LarderStore
import Testing

#if Encryption
import LarderEncryption
#endif

@Suite struct `A diagnostic copy` {
    private let original = TemporaryStore()
    private let copied = TemporaryStore()

    /// A store whose texts of content and people all have this word in them.
    private static let secret = "zebra"

    private func fillWithSecrets(_ store: Store) async throws {
        let secret = Self.secret
        try await store.replace(translations, with: [(key(secret), bytes(secret)), (key(2), bytes(secret))])
        try await store.write { transaction in
            try transaction.update(translations) { $0.snapshotPath = "/snapshots/\(secret)?sig=\(secret)" }
            let filter = try transaction.updateFilter("translations:19") {
                $0.token = secret
                $0.run = 1
                $0.lastError = "the server is unavailable (503)"
                $0.failures = 3
            }
            try transaction.putMember(ofFilter: filter, translations, MemberRecord(listedInRun: 1, finishedInRun: 1))
            var session = StoredSession(state: .expired, account: secret, changedAt: 3, signedInAt: 2)
            session.setValue(bytes(secret), named: "locale")
            session.addSecretName("token \(secret)")
            try transaction.putSession(session)
            for number in 1...3 {
                var draft = draft(number, lane: "\(secret) \(4 - number)")
                draft.endpoint = "/notes/\(secret)"
                (draft.account, draft.entity, draft.deduplicationKey) = (secret, secret, "\(secret) \(number)")
                draft.fields = [HeaderField(name: "X-Name", value: bytes(secret))]
                draft.payload = bytes(secret)
                draft.fingerprint = 1234
                try transaction.enqueue(draft)
            }
            try transaction.applyOverlay(
                .replacement(bytes(secret)), at: key(secret), updatedAt: 6, entryID: draft(2).id)
            try transaction.removeEntry(draft(1).id, outcome: "accepted", at: 8)
            try transaction.putCollection(
                CollectionName(class: "translation", query: secret), rows: [key(secret)], home: translations,
                fetchedAt: 9)
            try transaction.appendPoint(bytes(secret), to: BufferName("locations", account: secret), at: 1, limit: 3)
            try transaction.journalConflict(conflict)
        }
        var stored = response("https://a.test/\(secret)?q=\(secret)", language: secret)
        stored.fields = [
            HeaderField(name: "Cache-Control", value: bytes("max-age=60")),
            HeaderField(name: "X-User", value: bytes(secret)), HeaderField(name: "ETag", value: bytes(secret)),
        ]
        stored.setTags([secret])
        try await store.put(stored, body: bytes(secret))
    }

    private var conflict: ResolvedConflict {
        let secret = Self.secret
        var conflict = ResolvedConflict(
            time: 1, entryID: draft(1).id, status: 412, policy: "field-merge", resolution: "merged", lane: secret,
            mutationType: "note.update", method: "PUT", endpoint: "/notes/\(secret)", createdAt: 1)
        conflict.row = key(secret)
        (conflict.account, conflict.entity, conflict.entityTag) = (secret, secret, secret)
        let content = ResolvedConflict.Content.bytes(bytes(secret))
        (conflict.base, conflict.local, conflict.shown) = (content, content, content)
        (conflict.remote, conflict.merged) = (content, content)
        return conflict
    }

    private func copy(_ store: Store, facts: [(name: String, value: String)] = []) throws -> Store {
        try store.writeDiagnostics(to: copied.path, facts: facts)
        return try copied.open(StoreOptions(access: .readOnly))
    }

    @Test func `holds no text of content or people`() async throws {
        let store = try original.open()
        try await fillWithSecrets(store)
        try copy(store).close()
        let secret = Data(Self.secret.utf8)
        #expect(try Data(contentsOf: URL(filePath: original.path + "/data.mdb")).range(of: secret) != nil)
        #expect(try Data(contentsOf: URL(filePath: copied.path + "/data.mdb")).range(of: secret) == nil)
        // A checksum of the content would confirm a guess of it.
        let raw = try RawStore(copied.path)
        let heads = try raw.records().filter { $0.table == .outbox && $0.key.starts(with: OutboxKey.heads) }
        #expect(try heads.map { try OutboxHeadRecord(decoding: $0.body.rawSpan).draft.fingerprint } == [0, 0])
        try raw.close()
        try store.close()
    }

    @Test func `shows what is ready, unsent and failed, and the sizes of the store`() async throws {
        let store = try original.open()
        try await fillWithSecrets(store)
        let copy = try copy(store, facts: [("Network", "offline")])
        let (shown, known) = (try copy.statistics(), try store.statistics())
        #expect(shown.rows == 2 && shown.resources == known.resources && shown.outboxEntries == 2)
        #expect(shown.outboxLanes == 2 && shown.fileSize == known.fileSize && shown.lastPage == known.lastPage)
        #expect(shown.tables.mapValues(\.entries) == known.tables.mapValues(\.entries))
        #expect(shown.usedPages == known.usedPages)
        let readiness = try store.read { view in try view.readiness() }
        try copy.read { view in
            let filter = try #require(try view.filters().first)
            #expect(filter.filter == "translations:19" && filter.failures == 3)
            #expect(filter.lastError == "the server is unavailable (503)")
            #expect(try view.readiness() == readiness)
            #expect(try view.session()?.state == .expired)
            let writes = try view.outboxEntries()
            #expect(Set(writes.map(\.id)) == [draft(2).id, draft(3).id])
            #expect(writes.allSatisfy { $0.mutationType == "note.create" && $0.payload.isEmpty })
            #expect(try view.conflicts().map(\.local) == [.omitted(Int64(Self.secret.utf8.count))])
            let response = try #require(try view.responses(after: nil, limit: 9).first?.record)
            #expect(response.url.hasPrefix("https://a.test/~") && response.byteCount > 0)
            #expect(response.fields.map { String(decoding: $0.value, as: UTF8.self) } == ["max-age=60", "", ""])
            let record = try #require(try view.diagnostics())
            #expect(record.facts == [.init(name: "Network", value: "offline")])
            #expect(record.time == 1_700_000_000_000)
        }
        try copy.close()
        try store.close()
    }

    @Test func `is sound, and refuses writes`() async throws {
        let store = try original.open()
        try await fillSample(store)
        try copy(store).close()
        let copy = try copied.open()
        let findings = try copy.findings().map(\.description)
        #expect(findings == [], "\(findings)")
        await #expect(throws: StoreError.readOnlyFormat) {
            try await copy.write { try $0.put([], at: key(1), updatedAt: 1) }
        }
        #expect(throws: EngineError.keyExists) { try store.writeDiagnostics(to: copied.path) }
        try copy.close()
        try store.close()
    }

    /// The accounts of the session and of the writes.
    private func accounts(of store: Store) throws -> Set<String?> {
        try store.read { view in
            var accounts: Set<String?> = [try view.session()?.account]
            for write in try view.outboxEntries() { accounts.insert(write.draft.account) }
            return accounts
        }
    }

    @Test func `has other numbers in each copy, and equal ones for equal texts`() async throws {
        let store = try original.open()
        try await fillWithSecrets(store)
        let copy = try copy(store)
        let other = TemporaryStore()
        try store.writeDiagnostics(to: other.path)
        let second = try other.open(StoreOptions(access: .readOnly))
        let (accounts, others) = (try accounts(of: copy), try accounts(of: second))
        #expect(accounts.count == 1 && others.count == 1 && accounts != others)
        try copy.close()
        try second.close()
        try store.close()
    }

    /// Replaces what the copy says of its store.
    private func rewrite(_ change: (inout DiagnosticsRecord) -> Void) throws {
        let raw = try RawStore(copied.path)
        let stored = try #require(try raw.records().first { $0.table == .meta && $0.key == DiagnosticsRecord.key })
        var record = try DiagnosticsRecord(decoding: stored.body.rawSpan)
        change(&record)
        try raw.replace([stored], by: [stored.resealed(record.encode())])
        try raw.close()
    }

    @Test func `without the record of what it is of is found, and that record in another file`() async throws {
        let store = try original.open()
        try await fillSample(store)
        try copy(store).close()
        try store.close()
        let raw = try RawStore(copied.path)
        let facts = try #require(try raw.records().first { $0.table == .meta && $0.key == DiagnosticsRecord.key })
        try raw.replace([facts], by: [])
        try raw.close()
        let other = try RawStore(original.path)
        try other.replace([], by: [facts])
        try other.close()
        for file in [copied, original] {
            let store = try file.open(StoreOptions(access: .readOnly))
            let findings = try store.findings()
            #expect(findings.map(\.kind) == [.undecodable], "\(findings)")
            try store.close()
        }
    }

    @Test func `with sizes that no store has is damaged; with the largest, sizes can be added up`() async throws {
        let store = try original.open()
        try await fillSample(store)
        try copy(store).close()
        let (pages, size) = (1 << 40, 1 << 56)
        try rewrite { record in
            (record.fileSize, record.lastPage) = (Int64(size), pages)
            record.tables = TableName.allCases.map { .init(name: $0.rawValue, entries: size, pages: pages) }
            record.tables.append(.init(name: "other", entries: size, pages: pages))
        }
        var copy = try copied.open(StoreOptions(access: .readOnly))
        let statistics = try copy.statistics()
        #expect(statistics.usedPages == 15 * pages && statistics.tables.count == 15)
        #expect(!statistics.usedPages.multipliedReportingOverflow(by: 1 << 16).overflow)
        try copy.close()
        for change in [
            { $0.fileSize = Int64(size) + 1 }, { $0.lastPage = pages + 1 }, { $0.tables[0].pages = pages + 1 },
            { $0.tables[0].entries = size + 1 },
        ] as [(inout DiagnosticsRecord) -> Void] {
            try rewrite(change)
            copy = try copied.open(StoreOptions(access: .readOnly))
            #expect(throws: StoreError.self) { try copy.statistics() }
            #expect(try copy.findings().map(\.kind) == [.undecodable])
            try copy.close()
            try store.writeDiagnostics(to: copied.path + "-next")
            try? FileManager.default.removeItem(atPath: copied.path)
            try FileManager.default.moveItem(atPath: copied.path + "-next", toPath: copied.path)
        }
        try store.close()
    }

    @Test func `leaves damaged records out`() async throws {
        let store = try original.open()
        try await fillWithSecrets(store)
        let raw = try RawStore(original.path)
        for table in [TableName.filters, .resources, .journal, .responses] {
            let record = try #require(try raw.records().first { $0.table == table })
            var damaged = record
            damaged.value[record.value.count - 1] ^= 1
            try raw.replace([record], by: [damaged])
        }
        let copy = try copy(store)
        #expect(try copy.read { view in try view.filters() }.isEmpty)
        #expect(try copy.read { view in try view.outboxEntries() }.count == 2)
        let findings = try copy.findings().map(\.description)
        #expect(findings == [], "\(findings)")
        try copy.close()
        try raw.close()
        try store.close()
    }

    #if Encryption
    @Test func `of an encrypted store is plain`() async throws {
        let store = try original.open(try #require(EncryptionKey(bytes: [UInt8](repeating: 7, count: 32))))
        try await fillWithSecrets(store)
        let copy = try copy(store)
        #expect(try copy.read { view in try view.responses(after: nil, limit: 9) }.count == 1)
        #expect(try copy.statistics().outboxEntries == 2)
        let findings = try copy.findings().map(\.description)
        #expect(findings == [], "\(findings)")
        try copy.close()
        try store.close()
    }
    #endif
}
