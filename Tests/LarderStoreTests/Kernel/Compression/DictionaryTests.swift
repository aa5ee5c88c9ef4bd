// Proves that a dictionary makes small rows smaller, that several may be in use, and that none outlives its rows.

#if Compression
import LarderCompression
import LarderFormat
import Testing

@testable import LarderEngine
@testable import LarderStore

@Suite struct `A dictionary of compressed rows` {
    private let directory = TemporaryStore()

    @Test func `makes small rows smaller, which show the same content`() async throws {
        let store = try directory.open(.compressed())
        try await store.fillTranslations()
        try await store.fillTranslations(2, in: tafsirs)
        let records = try store.plainRecords()
        let before = try store.storedRows().map(\.value.count).reduce(0, +)
        let summary = try #require(try await store.trainDictionary(for: "translations"))
        #expect(summary.rows == 400 && summary.compressedRows > 390, "\(summary)")
        let rows = try store.storedRows()
        #expect(Set(rows.map(\.dictionary)).isSubset(of: [1, nil]))
        let after = rows.map(\.value.count).reduce(0, +)
        #expect(after < before * 7 / 10, "\(before) bytes, then \(after)")
        #expect(try store.plainRecords() == records)
        #expect(try store.findings().isEmpty)
        try store.close()
        let again = try directory.open(.compressed())
        #expect(try again.plainRecords() == records)
        #expect(try again.read { try $0.payload(at: key(5)) } == translationPayload(5))
        try again.close()
    }

    @Test func `is used by the rows that are written after it`() async throws {
        let store = try directory.open(.compressed())
        try await store.fillTranslations()
        _ = try await store.trainDictionary(for: "translations")
        try await store.fillTranslations(20, in: ResourceKey("translations", 20))
        try await store.write { try $0.put(translationPayload(900), at: key(900), updatedAt: 1) }
        #expect(try store.storedRows().suffix(20).allSatisfy { $0.dictionary == 1 })
        #expect(try store.read { try $0.payload(at: key(900)) } == translationPayload(900))
        #expect(try store.findings().isEmpty)
        try store.close()
    }

    @Test func `replaces the one before, which is removed`() async throws {
        let store = try directory.open(.compressed(["translations", "tafsirs"]))
        for resource in [translations, tafsirs] { try await store.fillTranslations(in: resource) }
        for group in ["translations", "tafsirs", "translations"] {
            _ = try #require(try await store.trainDictionary(for: group))
        }
        let dictionaries = try store.storedDictionaries()
        #expect(dictionaries.found == [2, 3] && dictionaries.named == [2, 3])
        #expect(Set(try store.storedRows().map(\.dictionary)).isSubset(of: [2, 3, nil]))
        #expect(try store.findings().isEmpty)
        try store.close()
    }

    @Test func `may be one of two of its group, after any number of steps`() async throws {
        for steps in 0..<4 {
            let directory = TemporaryStore()
            let store = try directory.open(.compressed())
            try await store.fillTranslations(2000)
            _ = try await store.trainDictionary(for: "translations")
            let records = try store.plainRecords()
            var samples = (bytes: [UInt8](), sizes: [Int]())
            for number in 5000..<6000 {
                let row = bytes("<p>\(number)</p>") + translationPayload(number)
                samples = (samples.bytes + row, samples.sizes + [row.count])
            }
            let codec = try #require(store.shared.compression?.codec)
            let content = try #require(codec.dictionary(from: samples.bytes, sizes: samples.sizes, limit: 8000))
            let number = try await store.write { try $0.addDictionary(content, of: "translations") }
            try await store.write { transaction in
                var place = CompressingPlace()
                for _ in 0..<steps {
                    let step = try transaction.recompressSome(
                        of: "translations", to: number, from: place, isTimeUp: { true })
                    place = step.place
                }
            }
            let inUse = Set(try store.storedRows().compactMap(\.dictionary))
            #expect(inUse == (steps == 0 ? [1] : [1, 2]), "\(steps) steps")
            #expect(try store.plainRecords() == records)
            #expect(try store.findings().isEmpty)
            try store.close()
            let again = try directory.open(.compressed())
            #expect(try again.plainRecords() == records)
            _ = try #require(try await again.trainDictionary(for: "translations"))
            #expect(try again.storedDictionaries().found == [3])
            #expect(try again.plainRecords() == records)
            try again.close()
        }
    }

    @Test func `of a write that failed compresses nothing under the number that another gets`() async throws {
        let store = try directory.open(.compressed())
        try await store.fillTranslations()
        let codec = try #require(store.shared.compression?.codec)
        let contents = try ["p", "q"].map { tag in
            let rows = (0..<1000).map { bytes("<\(tag)>\($0)</\(tag)>") + translationPayload($0) }
            return try #require(
                codec.dictionary(from: rows.flatMap(\.self), sizes: rows.map(\.count), limit: 8000))
        }
        @Sendable func add(_ content: [UInt8], _ row: Int, _ transaction: inout Transaction) throws {
            #expect(try transaction.addDictionary(content, of: "translations") == 1)
            try transaction.put(translationPayload(row), at: key(row), updatedAt: 1)
        }
        await #expect(throws: CancellationError.self) {
            try await store.write { transaction in
                try add(contents[0], 901, &transaction)
                throw CancellationError()
            }
        }
        try await store.write { try add(contents[1], 902, &$0) }
        try await store.write { try $0.put(translationPayload(903), at: key(903), updatedAt: 1) }
        #expect(try store.storedRows().contains { $0.dictionary == 1 })
        try store.close()
        let again = try directory.open(.compressed())
        for row in [902, 903] {
            #expect(try again.read { try $0.payload(at: key(row)) } == translationPayload(row))
        }
        #expect(try again.findings().isEmpty)
        try again.close()
    }

    @Test func `goes with the content, and its number is not used again`() async throws {
        let store = try directory.open(.compressed())
        try await store.fillTranslations()
        _ = try await store.trainDictionary(for: "translations")
        try await store.clear()
        #expect(try store.storedDictionaries().found.isEmpty)
        #expect(try store.findings().isEmpty)
        try await store.fillTranslations()
        _ = try await store.trainDictionary(for: "translations")
        #expect(try store.storedDictionaries().found == [2])
        try store.close()
    }

    @Test func `is not made of too few rows, of other groups, and without the option`() async throws {
        let store = try directory.open(.compressed())
        try await store.fillTranslations(2)
        try await store.fillTranslations(in: tafsirs)
        #expect(try await store.trainDictionary(for: "translations") == nil)
        #expect(try await store.trainDictionary(for: "tafsirs") == nil)
        #expect(try await store.trainDictionary(for: "other") == nil)
        #expect(try store.storedDictionaries().found.isEmpty)
        try store.close()
        let plain = try TemporaryStore().open()
        await #expect(throws: StoreError.compressionMissing) { try await plain.trainDictionary(for: "translations") }
        try plain.close()
    }

    @Test(arguments: [false, true])
    func `that is lost, or another one, makes its rows damaged and no others`(isSwapped: Bool) async throws {
        let store = try directory.open(.compressed(["translations", "tafsirs"]))
        for resource in [translations, tafsirs] {
            try await store.fillTranslations(in: resource)
            _ = try await store.trainDictionary(for: resource.group)
        }
        try store.close()
        let raw = try RawStore(directory.path)
        let (first, second) = (DictionaryRecord.key(1), DictionaryRecord.key(2))
        let records = try raw.records()
        let one = try #require(records.first { $0.key == first })
        let other = try #require(records.first { $0.key == second })
        try raw.replace([one], by: isSwapped ? [other.resealed(other.body, key: first)] : [])
        try raw.close()
        let again = try directory.open(.compressed(["translations", "tafsirs"]))
        let damage = StoreError.damaged(table: "rows", reason: .notDecompressed)
        #expect(throws: damage) { try again.read { try $0.payload(at: key(1)) } }
        #expect(throws: damage) { try again.payloads() }
        #expect(try again.payloads(of: tafsirs).count == 400)
        let findings = try again.findings()
        #expect(findings.contains { $0.table == "meta" && $0.severity == .damage })
        #expect(findings.contains { $0.table == "rows" && $0.kind == .undecodable }, "\(findings.prefix(3))")
        // A snapshot repairs the rows, and another dictionary the writing.
        try await again.fillTranslations()
        #expect(try again.payloads().count == 400)
        try again.close()
    }
}
#endif
