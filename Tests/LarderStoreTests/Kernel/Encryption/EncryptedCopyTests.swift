// Proves that copies, published copies, seeds and salvaged stores of an encrypted store have its content, sealed.

#if Encryption
import LarderEncryption
import LarderFormat
import Testing

@testable import LarderStore

@Suite struct `A copy of an encrypted store` {
    private let directory = TemporaryStore()
    private let other = TemporaryStore()
    private let secret = EncryptionKey.random()

    private func filledStore(_ secret: EncryptionKey?) async throws -> Store {
        let store = try directory.open(.encrypted(secret))
        try await fillSecrets(store)
        return store
    }

    @Test func `can be plain, and the copy of a plain one encrypted, with the same content`() async throws {
        let store = try await filledStore(nil)
        let content = try store.contents()
        try store.copy(to: other.path, encryptedWith: .aes256(secret))
        try store.close()
        #expect(try files(in: other.path, with: secretWord).isEmpty)
        let encrypted = try other.open(secret)
        #expect(try encrypted.findings().isEmpty)
        let address = "https://canary-host.test/canary-path?canary-query"
        #expect(try encrypted.storedResponse(address, language: "de") != nil)
        let third = TemporaryStore()
        try encrypted.copy(to: third.path, encryptedWith: nil)
        try encrypted.close()
        let plain = try third.open()
        #expect(try plain.findings().isEmpty)
        #expect(try plain.contents() == content)
        try plain.close()
    }

    /// A single commit would hold all of its pages in memory.
    @Test func `stores records under other keys in commits of bounded size`() async throws {
        let store = try directory.open()
        try await store.write { transaction in
            for number in 0..<12_000 {
                try transaction.putCollection(
                    CollectionName(class: "translation", query: "\(number)"), rows: [], home: translations,
                    validators: Validators(), fetchedAt: 9)
            }
        }
        var counts = [0]
        try store.copy(to: other.path, encryptedWith: .aes256(secret)) { counts.append($0) }
        try store.close()
        #expect(counts.count > 5 && zip(counts, counts.dropFirst()).allSatisfy { (0...5_000).contains($1 - $0) })
        let copy = try other.open(secret)
        #expect(try copy.findings().isEmpty)
        for number in [0, 11_999] {
            let name = CollectionName(class: "translation", query: "\(number)")
            #expect(try copy.read { view in try view.collection(name) } != nil)
        }
        try copy.close()
    }

    @Test func `has its keys, also when it is compacted`() async throws {
        let store = try await filledStore(secret)
        let content = try store.contents()
        try store.copy(to: other.path)
        try store.close()
        #expect(throws: StoreError.encryption(.keyMissing)) { try Store.compact(at: other.path, host: .test) }
        _ = try Store.compact(at: other.path, host: .test, encryption: .aes256(secret))
        let copy = try other.open(secret)
        #expect(try copy.contents() == content)
        #expect(try copy.findings().isEmpty)
        try copy.close()
    }

    @Test func `that was published needs its key, and seeds encrypted and plain stores`() async throws {
        let store = try await filledStore(secret)
        try store.publish(to: other.path)
        try store.close()
        #expect(throws: StoreError.encryption(.keyMissing)) { try PublishedStore.open(at: other.path, host: .test) }
        let published = try PublishedStore.open(at: other.path, host: .test, encryption: .aes256(secret))
        let payload = try published.read { view in try view.payload(at: key(1)) }
        #expect(payload != nil)
        let seeded = TemporaryStore()
        let begun = try Store.open(
            at: seeded.path, seededFrom: other.path, options: .encrypted(secret), host: .test)
        #expect(try begun.read { view in try view.payload(at: key(1)) } == payload)
        #expect(try begun.findings().isEmpty)
        try begun.close()
        #expect(try files(in: seeded.path, with: secretWord).isEmpty)
    }

    @Test func `of what is left of it is encrypted with the same key`() async throws {
        let store = try await filledStore(secret)
        let rows = try store.contents().filter { $0.table == .rows }
        try store.close()
        #expect(throws: StoreError.encryption(.wrongKey)) {
            try Store.salvage(
                at: directory.path, to: TemporaryStore().path, host: .test, encryption: .aes256(.random()))
        }
        #expect(throws: StoreError.encryption(.keyMissing)) {
            try Store.salvage(at: directory.path, to: TemporaryStore().path, host: .test)
        }
        let report = try Store.salvage(at: directory.path, to: other.path, host: .test, encryption: .aes256(secret))
        #expect(report.isComplete)
        #expect(try files(in: other.path, with: secretWord).isEmpty)
        let saved = try other.open(secret)
        #expect(try saved.findings().isEmpty)
        #expect(try saved.contents().filter { $0.table == .rows } == rows)
        try saved.close()
    }

    /// The file was made plain, and a free page may still have the format record of that.
    @Test func `of what is left of one that was made of a plain store has its rows`() async throws {
        let store = try await filledStore(nil)
        let rows = try store.contents().filter { $0.table == .rows }
        try store.copy(to: other.path, encryptedWith: .aes256(secret))
        try store.close()
        let saved = TemporaryStore()
        let report = try Store.salvage(at: other.path, to: saved.path, host: .test, encryption: .aes256(secret))
        #expect(report.findings == 0)
        let salvaged = try saved.open(secret)
        #expect(try salvaged.contents().filter { $0.table == .rows } == rows)
        try salvaged.close()
    }

    /// The only copy that is left of a lost store may be its dump.
    @Test func `is plain when it is made of a dump, and has the same content as a plain copy`() async throws {
        let store = try await filledStore(secret)
        var records = try TableName.allCases.map { name in
            try (name, store.read { view in try view.rawRecords(of: name) })
        }
        let third = TemporaryStore()
        try store.copy(to: third.path, encryptedWith: nil)
        try store.close()
        try make(of: records)
        let (plain, loaded) = (try third.open(), try other.open())
        #expect(try loaded.findings().isEmpty)
        #expect(try loaded.contents() == plain.contents())
        #expect(try !loaded.read { view in try view.rawRecords(of: .meta) }.contains { $0.key == KeysRecord.key })
        try plain.close()
        try loaded.close()
        // As a program that knows no encryption dumps them.
        let raw = try RawStore(directory.path)
        records = try Dictionary(grouping: raw.records(), by: \.table).map { name, records in
            (name, records.map { LarderStore.RawRecord(key: $0.key, value: $0.value) })
        }
        try raw.close()
        try Store.destroy(at: other.path, discardingUnsent: true)
        #expect(throws: StoreError.encryption(.keyMissing)) { try make(of: records) }
    }

    private func make(of records: [(TableName, [LarderStore.RawRecord])]) throws {
        try Store.make(at: other.path) { filler in
            for (table, records) in records { for record in records { try filler.append(record, to: table) } }
        }
    }
}
#endif
