// Proves that a store with compressed rows reads as a plain one, compresses the named groups, and needs its option.

#if Compression
import Foundation
import LarderCompression
import LarderFormat
import Testing

@testable import LarderEngine
@testable import LarderStore

@Suite struct `Compressed rows` {
    private let directory = TemporaryStore()

    @Test func `of all sizes read as they were written, also when the store is opened again`() async throws {
        var payloads: [String: [UInt8]] = [:]
        for size in [0, 1, 8, 60, 255, 256, 300, 4000, 65_791, 65_800, 200_000] {
            payloads["text \(size)"] = [UInt8](repeating: UInt8(ascii: "a"), count: size)
            payloads["mixed \(size)"] = translationPayload(size, size: max(80, size))
            payloads["noise \(size)"] = noise(size, seed: UInt64(size))
        }
        payloads["longest"] = [UInt8](repeating: 7, count: Limits.payload)
        let store = try directory.open(.compressed())
        let (one, other) = (payloads.filter { $0.key < "n" }, payloads.filter { $0.key >= "n" })
        try await store.replace(translations, with: one.sorted { $0.key < $1.key }.map { (key($0.key), $0.value) })
        try await store.write { transaction in
            for (name, payload) in other { try transaction.put(payload, at: key(name), updatedAt: 1) }
        }
        #expect(try store.payloads() == payloads)
        #expect(try store.storedRows().contains { $0.dictionary != nil })
        #expect(try store.findings().isEmpty)
        try store.close()
        let again = try directory.open(.compressed([]))
        #expect(try again.payloads() == payloads)
        for (name, payload) in payloads { #expect(try again.read { try $0.payload(at: key(name)) } == payload) }
        #expect(try again.findings().isEmpty)
        try again.close()
    }

    @Test func `are stored plain where they gain less than 12 percent`() async throws {
        let store = try directory.open(.compressed())
        // Of 1,100 bytes, the last hundred repeat the ones before; of 1,500, the last third does.
        let (little, enough) = (noise(1000, seed: 1), noise(1000, seed: 2))
        let rows = [(key("1"), little + little.suffix(100)), (key("2"), enough + enough.suffix(500))]
        try await store.replace(translations, with: rows)
        try await store.write { transaction in
            try transaction.put(rows[0].1, at: key("3"), updatedAt: 1)
            try transaction.put(rows[1].1, at: key("4"), updatedAt: 1)
        }
        let stored = try store.storedRows()
        #expect(stored.map { $0.dictionary == nil } == [true, false, true, false])
        #expect(stored.map { $0.value.count < 1200 } == [true, true, true, true])
        try store.close()
    }

    @Test func `are those of the named groups, when they are written`() async throws {
        let store = try directory.open(.compressed())
        let payload = [UInt8](repeating: 32, count: 500)
        for resource in [translations, tafsirs] {
            try await store.replace(resource, with: [(key(1, resource), payload)])
        }
        #expect(try store.storedRows().map { $0.dictionary == nil } == [false, true])
        try store.close()
        let other = try directory.open(.compressed(["tafsirs"]))
        #expect(try other.storedRows().map { $0.dictionary == nil } == [false, true])
        try await other.write { transaction in
            for resource in [translations, tafsirs] {
                try transaction.put(payload, at: key(1, resource), updatedAt: 2)
            }
        }
        #expect(try other.storedRows().map { $0.dictionary == nil } == [true, false])
        #expect(try other.payloads() == ["1": payload])
        #expect(try other.findings().isEmpty)
        try other.close()
    }

    @Test func `have the records, digests and sizes of a plain store`() async throws {
        let plainDirectory = TemporaryStore()
        let (plain, store) = (try plainDirectory.open(), try directory.open(.compressed()))
        for store in [plain, store] {
            try await store.fillTranslations()
            try await store.fillTranslations(300, in: ResourceKey("translations", 20))
        }
        _ = try #require(try await store.trainDictionary(for: "translations"))
        for store in [plain, store] {
            try await store.write { transaction in
                try transaction.put(translationPayload(9000), at: key(7), updatedAt: 4)
                try transaction.removeRow(at: key(8))
            }
        }
        #expect(try store.plainRecords() == plain.plainRecords())
        let (statistics, others) = (try store.statistics(), try plain.statistics())
        #expect(statistics.storedSize == others.storedSize)
        let pages = try #require(statistics.tables["rows"]?.pages)
        #expect(try pages < #require(others.tables["rows"]?.pages))
        for store in [plain, store] { try store.close() }
    }

    @Test func `that one view returns stay valid together`() async throws {
        let store = try directory.open(.compressed())
        let rows = (1...50).map { (key($0), [UInt8](repeating: UInt8($0), count: 300 * $0)) }
        try await store.replace(translations, with: rows)
        try store.read { view in
            let first = try #require(try view.payload(at: key(1)))
            for (key, payload) in rows { #expect(try view.payload(at: key) == payload) }
            #expect(first == rows[0].1)
        }
        try store.close()
    }

    @Test func `are refused without the option, and nothing is changed`() async throws {
        let store = try directory.open(.compressed())
        try await store.fillTranslations(3)
        #expect(throws: StoreError.compressionMissing) { try directory.open() }
        try directory.open(.compressed([])).close()
        try store.close()
        #expect(throws: StoreError.compressionMissing) { try directory.open() }
        #expect(throws: StoreError.compressionMissing) { try directory.open(StoreOptions(access: .readOnly)) }
        #expect(throws: StoreError.compressionMissing) { try Store.compact(at: directory.path, host: .test) }
        #expect(throws: StoreError.compressionMissing) {
            try Store.salvage(at: directory.path, to: TemporaryStore().path, host: .test, compression: nil)
        }
    }

    @Test func `begin with the first open alone that names a group, and no open that names none needs the option`()
        async throws
    {
        let first = try directory.open(.compressed([]))
        try await first.fillTranslations(3)
        let second = try directory.open(.compressed())
        try await second.put([key(9)])
        try second.close()
        try first.close()
        try directory.open().close()
        try directory.open(.compressed()).close()
        #expect(throws: StoreError.compressionMissing) { try directory.open() }
    }

    /// Another process that has the store open holds a lock on `guard.lock`, as this descriptor does.
    @Test func `do not begin while another process has the store open, which would not look for them`() async throws {
        try directory.open().close()
        let guardFile = try FileHandle(forReadingFrom: URL(fileURLWithPath: directory.path + "/guard.lock"))
        #expect(flock(guardFile.fileDescriptor, LOCK_SH | LOCK_NB) == 0)
        let store = try directory.open(.compressed())
        try await store.write { try $0.put([UInt8](repeating: 1, count: 900), at: key(1), updatedAt: 1) }
        #expect(try store.storedRows().map(\.dictionary) == [nil])
        #expect(try await store.trainDictionary(for: "translations") == nil)
        try store.close()
        try directory.open().close()
        try guardFile.close()
        try directory.open(.compressed()).close()
        #expect(throws: StoreError.compressionMissing) { try directory.open() }
    }
}
#endif
