// Proves that a sealed value is read under its own key and table only, and that every changed bit of it is damage.

#if Encryption
import LarderEncryption
import LarderFormat
import Testing

@testable import LarderEngine
@testable import LarderStore

@Suite struct `A sealed value` {
    private let directory = TemporaryStore()
    private let encryption = EncryptionKey.random()

    /// Makes a store with two rows, and returns them as they are stored.
    private func storedRows() async throws -> [RawRecord] {
        let store = try directory.open(encryption)
        try await store.put([key(1), key(2)])
        try store.close()
        let raw = try RawStore(directory.path)
        defer { try? raw.close() }
        return try raw.records().filter { $0.table == .rows }
    }

    /// Puts a record into the file as it is, and reads the row of number 1.
    private func payload(after record: RawRecord) throws -> [UInt8]? {
        let raw = try RawStore(directory.path)
        try raw.replace([], by: [record])
        try raw.close()
        let store = try directory.open(encryption)
        defer { try? store.close() }
        return try store.read { view in try view.payload(at: key(1)) }
    }

    private func expectDamage(_ record: RawRecord, _ comment: Comment) throws {
        let error = #expect(throws: StoreError.self, comment) { _ = try payload(after: record) }
        guard case .damaged(table: "rows", _) = error else { return #expect(Bool(false), comment) }
    }

    @Test func `is damage with any changed bit`() async throws {
        let row = try await storedRows()[1]
        for offset in row.value.indices {
            var changed = row
            changed.value[offset] ^= 1 << UInt8(offset % 8)
            try expectDamage(changed, "byte \(offset)")
        }
        #expect(try payload(after: row) == bytes("1"))
    }

    @Test func `is damage under another key, cut off, or plain`() async throws {
        let rows = try await storedRows()
        var row = rows[1]
        row.value = rows[2].value
        try expectDamage(row, "the value of another key")
        row.value = Array(rows[1].value.dropLast())
        try expectDamage(row, "cut off")
        row.value = []
        try expectDamage(row, "empty")
        row.value = Record.seal(body: [UInt8](repeating: 0, count: 9).rawSpan, key: row.key.rawSpan, seed: 0)
        try expectDamage(row, "plain")
        #expect(try payload(after: rows[1]) == bytes("1"))
    }

    @Test func `that is damaged is a finding, and can be removed and replaced`() async throws {
        var row = try await storedRows()[1]
        row.value[30] ^= 1
        let raw = try RawStore(directory.path)
        try raw.replace([], by: [row])
        try raw.close()
        let store = try directory.open(encryption)
        #expect(try store.findings().contains { $0.table == "rows" && $0.severity == .damage })
        try await store.replace(translations, with: [(key(1), bytes("new"))])
        try await store.reclaim()
        #expect(try store.findings().isEmpty)
        #expect(try store.read { view in try view.payload(at: key(1)) } == bytes("new"))
        try store.close()
    }

    @Test func `is sealed with a new key before a key has sealed as many as it may`() throws {
        let cipher = StoreCipher(.aes256(encryption), block: 8, keyLimit: 24)  // and 6 values in each commit
        var record = try cipher.create(UUIDBytes(high: 1, low: 2))
        var numbers: [Int64] = []
        let table = Table(name: "rows", identifier: 1)
        for _ in 0..<12 {
            if let changed = try cipher.begin(with: record.rawSpan) { record = changed }
            for _ in 0..<6 {
                var sealed = [UInt8](repeating: 0, count: 4 + cipher.overhead)
                sealed.withMutableRawSpan { output in
                    let (value, key) = (bytes("text"), bytes("key"))
                    cipher.seal(value.rawSpan, for: key.rawSpan, in: table, into: &output)
                }
                numbers.append(Int64(SealedValue.keyNumber(of: sealed.rawSpan) ?? 0))
            }
            cipher.didCommit()
        }
        // What a commit has sealed beyond the blocks is counted by the next one.
        if let changed = try cipher.begin(with: record.rawSpan) { record = changed }
        let stored = try StoreCipher.decode(record.rawSpan)
        for key in stored.dataKeys {
            let sealed = numbers.count { $0 == key.number }
            #expect(sealed <= key.bound, "key \(key.number)")
            #expect(key.bound <= 24, "key \(key.number)")
        }
        #expect(stored.dataKeys.count > 2)
        #expect(numbers == numbers.sorted())
    }

    @Test func `counts although its transaction has failed`() throws {
        let cipher = StoreCipher(.aes256(encryption), block: 8, keyLimit: 1000)
        let record = try cipher.create(UUIDBytes(high: 1, low: 2))
        let table = Table(name: "rows", identifier: 1)
        for _ in 0..<5 {
            _ = try cipher.begin(with: record.rawSpan)
            for _ in 0..<8 {
                var sealed = [UInt8](repeating: 0, count: 4 + cipher.overhead)
                sealed.withMutableRawSpan { output in
                    let (value, key) = (bytes("text"), bytes("key"))
                    cipher.seal(value.rawSpan, for: key.rawSpan, in: table, into: &output)
                }
            }
        }
        let changed = try #require(try cipher.begin(with: record.rawSpan))
        #expect(try #require(StoreCipher.decode(changed.rawSpan).dataKeys.last).bound >= 40)
    }
}
#endif
