// Proves that copies, published copies, seeds, encrypted copies and salvaged stores keep the rows of a compressed store.

#if Compression
import LarderCompression
import LarderFormat
import Testing

@testable import LarderEngine
@testable import LarderStore

#if Encryption
import LarderEncryption
#endif

@Suite struct `A copy of a store with compressed rows` {
    private let directory = TemporaryStore()
    private let other = TemporaryStore()

    private func filledStore(_ options: StoreOptions = .compressed()) async throws -> Store {
        let store = try directory.open(options)
        try await fillSample(store)
        let resource = ResourceKey("translations", 20)
        try await store.fillTranslations(in: resource)
        _ = try #require(try await store.trainDictionary(for: "translations"))
        return store
    }

    @Test func `is compressed too, also when it is compacted`() async throws {
        let store = try await filledStore()
        let (records, stored) = (try store.plainRecords(), try store.storedRows().map(\.value))
        try store.copy(to: other.path)
        try store.close()
        _ = try Store.compact(at: other.path, host: .test, compression: .zstd())
        let copy = try other.open(.compressed())
        #expect(try copy.plainRecords() == records)
        #expect(try copy.storedRows().map(\.value) == stored)
        #expect(try copy.findings().isEmpty)
        try copy.close()
    }

    @Test func `that was published reads with the option, and seeds a compressed store`() async throws {
        let store = try await filledStore()
        let stored = try store.storedRows().map(\.value)
        let rows = try store.payloads(of: ResourceKey("translations", 20))
        try store.publish(to: other.path)
        try store.close()
        #expect(throws: StoreError.compressionMissing) { try PublishedStore.open(at: other.path, host: .test) }
        let published = try PublishedStore.open(at: other.path, host: .test, compression: .zstd())
        let name = key(5, ResourceKey("translations", 20))
        #expect(try published.read { try $0.payload(at: name) } == translationPayload(5))
        let seeded = TemporaryStore()
        #expect(throws: StoreError.compressionMissing) {
            try Store.open(at: seeded.path, seededFrom: other.path, host: .test)
        }
        let begun = try Store.open(at: seeded.path, seededFrom: other.path, options: .compressed(), host: .test)
        #expect(try begun.payloads(of: ResourceKey("translations", 20)) == rows)
        #expect(try begun.storedRows().map(\.value) == stored)
        #expect(try begun.findings().isEmpty)
        try begun.close()
    }

    @Test func `of what is left has its rows, plain, and the open that makes it compresses again`() async throws {
        let store = try await filledStore()
        let rows = try store.plainRecords().filter { $0.table == .rows }
        try store.close()
        let report = try Store.salvage(at: directory.path, to: other.path, host: .test, compression: .zstd())
        #expect(report.isComplete && report.findings == 0, "\(report)")
        let saved = try other.open()
        #expect(try saved.plainRecords().filter { $0.table == .rows } == rows)
        #expect(try saved.storedRows().allSatisfy { $0.dictionary == nil })
        #expect(try saved.findings().isEmpty)
        try saved.close()
        let compressing = try other.open(.compressed())
        _ = try #require(try await compressing.trainDictionary(for: "translations"))
        #expect(try compressing.plainRecords().filter { $0.table == .rows } == rows)
        try compressing.close()
    }

    @Test func `of records has plain rows, and opens with the option`() async throws {
        let store = try await filledStore()
        let records = try store.plainRecords()
        try store.read { view in
            try Store.make(at: other.path) { filler in
                for table in TableName.allCases {
                    for record in try view.rawRecords(of: table, limit: .max) { try filler.append(record, to: table) }
                }
            }
        }
        try store.close()
        #expect(throws: StoreError.compressionMissing) { try other.open() }
        let loaded = try other.open(.compressed())
        #expect(try loaded.plainRecords() == records)
        #expect(try loaded.storedRows().allSatisfy { $0.dictionary == nil })
        #expect(try loaded.findings().isEmpty)
        try loaded.close()
    }

    #if Encryption
    private let secret = EncryptionKey.random()

    private func options(_ secret: EncryptionKey?) -> StoreOptions {
        var options = StoreOptions.compressed()
        options.encryption = secret.map { .aes256($0) }
        return options
    }

    @Test func `can be encrypted, and plain again, and stays compressed`() async throws {
        let store = try await filledStore()
        let (records, stored) = (try store.plainRecords(), try store.storedRows().map(\.value))
        try store.copy(to: other.path, encryptedWith: .aes256(secret))
        try store.close()
        #expect(try files(in: other.path, with: "resource_id").isEmpty)
        let encrypted = try other.open(options(secret))
        #expect(try encrypted.storedRows().map(\.value) == stored)
        #expect(try encrypted.findings().isEmpty)
        let third = TemporaryStore()
        try encrypted.copy(to: third.path, encryptedWith: nil)
        try encrypted.close()
        let plain = try third.open(.compressed())
        #expect(try plain.plainRecords() == records)
        #expect(try plain.storedRows().map(\.value) == stored)
        #expect(try plain.findings().isEmpty)
        try plain.close()
    }

    @Test func `that is encrypted is compressed first, keeps that with another key, and is salvaged`() async throws {
        let store = try await filledStore(options(secret))
        let (records, stored) = (try store.plainRecords(), try store.storedRows().map(\.value))
        #expect(try store.storedRows().contains { $0.dictionary == 1 })
        #expect(try store.findings().isEmpty)
        let next = EncryptionKey.random()
        try await store.rotateEncryption(to: .aes256(next))
        #expect(try store.storedRows().map(\.value) == stored)
        try store.close()
        #expect(try files(in: directory.path, with: "resource_id").isEmpty)
        let again = try directory.open(options(next))
        #expect(try again.plainRecords() == records)
        #expect(try again.findings().isEmpty)
        try await again.write { transaction in
            for number in 1...200 { try transaction.removeRow(at: key(number, ResourceKey("translations", 20))) }
        }
        #expect(try again.findings().isEmpty)
        let rows = try again.plainRecords().filter { $0.table == .rows }
        try again.close()
        let report = try Store.salvage(
            at: directory.path, to: other.path, host: .test, encryption: .aes256(next), compression: .zstd())
        #expect(report.findings == 0 && report.lostWrites.isEmpty, "\(report)")
        let saved = try other.open(options(next))
        #expect(try saved.plainRecords().filter { $0.table == .rows } == rows)
        try saved.close()
    }
    #endif
}
#endif
