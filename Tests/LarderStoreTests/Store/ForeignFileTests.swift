// Proves that a file that is no store of this version keeps its bytes, whatever is asked of it.
import Foundation
import LarderEngine
import LarderFormat
import LarderStore
import Testing

@Suite struct `A foreign file` {
    private let directory = TemporaryStore()
    private var path: String { directory.path + "/data.mdb" }

    /// Asks everything that writes of the file, and expects the error and unchanged bytes.
    private func expectUntouched(_ error: StoreError, besidesDiscarding: Bool = false) throws {
        let before = try Data(contentsOf: URL(fileURLWithPath: path))
        for access in [EnvironmentOptions.Access.readWrite, .readWriteExisting, .readOnly] {
            #expect(throws: error) { try directory.open(StoreOptions(access: access)) }
        }
        #expect(throws: error) { try Store.compact(at: directory.path, host: .test) }
        #expect(throws: error) { try Store.destroy(at: directory.path) }
        if !besidesDiscarding {
            #expect(throws: error) { try Store.destroy(at: directory.path, discardingUnsent: true) }
        }
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == before)
    }

    private func makeForeign(_ tables: [String]) throws {
        let environment = try Environment.open(path: directory.path, options: EnvironmentOptions(tables: tables))
        let key = bytes("format")
        for name in tables {
            let table = environment.table(name)
            try environment.writeBlocking { try $0.set(key.rawSpan, forKey: key.rawSpan, in: table) }
        }
        try environment.close()
    }

    @Test func `of LMDB with other tables keeps its bytes`() throws {
        try makeForeign(["users", "orders"])
        try expectUntouched(.notAStore)
    }

    @Test func `with a table of the same name keeps its bytes`() throws {
        try makeForeign(["meta", "users"])
        try expectUntouched(.notAStore)
    }

    /// With a table removed, as a version with fewer tables had it.
    private func makeStore(_ change: (inout FormatRecord) -> Void) async throws {
        let store = try directory.open()
        try await store.put([key(1)])
        let raw = try RawStore(directory.path)
        let record = try #require(try raw.records().first { $0.key == FormatRecord.key })
        var format = try FormatRecord(decoding: record.body.rawSpan)
        change(&format)
        try raw.replace([record], by: [record.resealed(format.encode())])
        try raw.close()
        try store.close()
    }

    @Test func `of a newer format keeps its bytes`() async throws {
        try await makeStore { $0.minimumReader = 5 }
        try expectUntouched(.unsupportedFormat(.newerFormat(minimumReader: 5)))
    }

    @Test func `of an older format keeps its bytes until it is discarded`() async throws {
        try await makeStore { $0.minimumReader = 3 }
        try expectUntouched(.unsupportedFormat(.olderFormat(minimumReader: 3)), besidesDiscarding: true)
        try Store.destroy(at: directory.path, discardingUnsent: true)
        #expect(!FileManager.default.fileExists(atPath: directory.path))
    }

    @Test func `that only a newer version may write keeps its bytes`() async throws {
        try await makeStore { $0.minimumWriter = 5 }
        let before = try Data(contentsOf: URL(fileURLWithPath: path))
        let store = try directory.open()
        #expect(store.isReadOnly)
        #expect(try store.keys(.all(of: translations)) == ["1"])
        try store.close()
        #expect(throws: StoreError.readOnlyFormat) { try Store.compact(at: directory.path, host: .test) }
        #expect(throws: StoreError.readOnlyFormat) { try Store.destroy(at: directory.path) }
        #expect(throws: StoreError.readOnlyFormat) { try Store.destroy(at: directory.path, discardingUnsent: true) }
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == before)
    }

    @Test func `that is damaged is removed only where a store was`() throws {
        try directory.open().close()
        try Data([UInt8](repeating: 0xFF, count: 20_000)).write(to: URL(fileURLWithPath: path))
        try FileManager.default.removeItem(atPath: directory.path + "/guard.lock")
        #expect(throws: EngineError.notADatabase) { try Store.destroy(at: directory.path, discardingUnsent: true) }
        #expect(FileManager.default.fileExists(atPath: path))
    }
}
