// Proves that a damaged compressed value is an error of its row, never another value, and reserves no memory.

#if Compression
import LarderCompression
import LarderFormat
import Testing

@testable import LarderEngine
@testable import LarderStore

@Suite struct `A damaged compressed row` {
    private let directory = TemporaryStore()

    /// Every bit of values with and without a dictionary.
    @Test(arguments: [false, true])
    func `is an error of that row, or reads right, whatever bit is changed`(hasDictionary: Bool) async throws {
        let store = try directory.open(.compressed())
        try await store.fillTranslations(hasDictionary ? 400 : 3)
        if hasDictionary { _ = try await store.trainDictionary(for: "translations") }
        let payload = hasDictionary ? translationPayload(2) : [UInt8](repeating: 9, count: 300)
        try await store.write { try $0.put(payload, at: key(2), updatedAt: 1) }
        let (name, value, dictionary) = try #require(
            try store.storedRows().first { try RowKeyCoding.decode($0.key.rawSpan).row?.key == "2" })
        #expect(dictionary == (hasDictionary ? 1 : 0))
        var errors = 0
        for bit in 0..<value.count * 8 {
            var changed = value
            changed[bit / 8] ^= 1 << UInt8(bit % 8)
            try store.overwriteRow(name, changed)
            do {
                let found = try store.read { try $0.payload(at: key(2)) }
                #expect(found == payload, "bit \(bit)")
            } catch StoreError.damaged(table: "rows", _) {
                errors += 1
            }
        }
        #expect(errors > value.count * 7, "\(errors) of \(value.count * 8)")
        for count in 0..<value.count {
            try store.overwriteRow(name, Array(value.prefix(count)))
            #expect(throws: StoreError.self, "\(count) bytes") { try store.read { try $0.payload(at: key(2)) } }
        }
        try store.close()
    }

    @Test func `that states more than the longest row is refused as it is`() async throws {
        let store = try directory.open(.compressed())
        try await store.write { try $0.put([UInt8](repeating: 9, count: 300), at: key(2), updatedAt: 1) }
        let (name, value, _) = try #require(try store.storedRows().first)
        // A frame of one segment whose size has eight bytes, then four: RFC 8878, section 3.1.1.1.
        for (descriptor, size) in [(0xE0, [0, 0, 0, 0, 0, 1, 0, 0]), (0xA0, [9, 0, 0, 1])] as [(UInt8, [UInt8])] {
            let bomb = Array(value.prefix(16)) + [descriptor] + size + value.dropFirst(19)
            #expect(CompressedValue(of: bomb.rawSpan) == nil)
            try store.overwriteRow(name, bomb)
            #expect(throws: StoreError.damaged(table: "rows", reason: .notDecompressed)) {
                try store.read { try $0.payload(at: key(2)) }
            }
        }
        try store.close()
    }

    @Test func `is reported, skipped by a walk for readable rows, and replaced by the next snapshot`() async throws {
        let store = try directory.open(.compressed())
        try await store.fillTranslations()
        _ = try await store.trainDictionary(for: "translations")
        let (name, value, _) = try #require(
            try store.storedRows().first { try RowKeyCoding.decode($0.key.rawSpan).row?.key == "2" })
        var changed = value
        changed[value.count - 3] ^= 0x10
        try store.overwriteRow(name, changed)
        let findings = try store.findings()
        #expect(findings.contains { $0.table == "rows" && $0.severity == .damage }, "\(findings)")
        #expect(try store.read { try $0.payload(at: key(3)) } == translationPayload(3))
        // The row cannot be compressed anew; the others can.
        _ = try #require(try await store.trainDictionary(for: "translations"))
        #expect(throws: StoreError.self) { try store.read { try $0.payload(at: key(2)) } }
        try await store.fillTranslations()
        try await store.reclaim()
        #expect(try store.payloads()["2"] == translationPayload(2))
        #expect(try store.findings().isEmpty)
        try store.close()
    }
}
#endif
