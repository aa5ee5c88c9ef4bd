// Proves that the stores that earlier versions wrote open, verify and can be changed, and keep their format record.

import Foundation
import LarderEngine
import LarderFormat
import LarderStore
import Testing

@Suite struct `A store of an earlier version` {
    private static let versions = ["0.5", "0.9"]
    private static let words = ResourceKey("words", 1)

    /// A copy of the data file alone, as a restored backup is.
    private static func copy(_ version: String) throws -> TemporaryStore {
        var golden = URL(fileURLWithPath: #filePath)
        for _ in 0..<4 { golden.deleteLastPathComponent() }
        let directory = TemporaryStore()
        try FileManager.default.createDirectory(atPath: directory.path, withIntermediateDirectories: false)
        golden.append(path: "Golden/format-\(version)/data.mdb")
        try FileManager.default.copyItem(atPath: golden.path, toPath: directory.path + "/data.mdb")
        return directory
    }

    private static func formatRecord(_ directory: TemporaryStore) throws -> RawRecord {
        let raw = try RawStore(directory.path)
        let record = try #require(try raw.records().first { $0.key == FormatRecord.key })
        try raw.close()
        return record
    }

    /// Expects the rows, with local writes applied, the tokens and the unsent write.
    private static func expectContent(_ store: Store) throws {
        func verse(_ key: String) -> RowKey { RowKey(resource: translations, type: "verse", key: key) }
        try store.read { view in
            #expect(try view.payload(at: verse("10")) == bytes(#"{"text":"ten"}"#))
            #expect(try view.payload(at: verse("9")) == bytes(#"{"text":"ix","n":1}"#))
            let expected = ["\(Int64.min)"] + (1...150).map { "\($0)" } + ["a\0b"]
            #expect(try view.rows(in: .type("word", of: words)).map(\.key.key) == expected)
            let large = try view.payload(at: RowKey(resource: words, type: "picture", key: "large"))
            #expect(large?.count == 9000)
            #expect(try view.filters().map(\.token) == ["c2VxOjQ3MTE", nil])
            #expect(try view.outboxEntries().map(\.draft.account) == ["ada"])
        }
    }

    @Test(arguments: versions)
    func `is read and verified, and none of its bytes change`(version: String) throws {
        let directory = try Self.copy(version)
        let file = URL(fileURLWithPath: directory.path + "/data.mdb")
        let before = try Data(contentsOf: file)
        let store = try directory.open(StoreOptions(access: .readOnly))
        #expect(try store.statistics().formatVersion == version)
        #expect(try store.findings() == [])
        try Self.expectContent(store)
        try store.close()
        #expect(try Data(contentsOf: file) == before)
    }

    @Test(arguments: versions)
    func `is changed and compacted, and keeps its format record`(version: String) async throws {
        let directory = try Self.copy(version)
        let added = (0..<50).map { key($0, Self.words) }
        let store = try directory.open()
        #expect(!store.isReadOnly)
        try await store.put(added)
        try store.close()
        _ = try Store.compact(at: directory.path, host: .test)

        let reopened = try directory.open()
        #expect(try reopened.keys(.type("translation", of: Self.words)) == added.map(\.key))
        try Self.expectContent(reopened)
        #expect(try reopened.findings() == [])
        try reopened.close()
        #expect(try Self.formatRecord(directory) == Self.formatRecord(Self.copy(version)))
    }
}
