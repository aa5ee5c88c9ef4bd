// Proves that a file that is no store of this version keeps its bytes, whatever operation is tried on it.
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
        let before = try files()
        for access in [EnvironmentOptions.Access.readWrite, .readWriteExisting, .readOnly] {
            #expect(throws: error) { try directory.open(StoreOptions(access: access)) }
        }
        #expect(throws: error) { try Store.compact(at: directory.path, host: .test) }
        #expect(throws: error) { try Store.destroy(at: directory.path) }
        if !besidesDiscarding {
            #expect(throws: error) { try Store.destroy(at: directory.path, discardingUnsent: true) }
        }
        #expect(try files() == before)
    }

    private struct File: Equatable {
        let mode: Int?
        let bytes: Data
    }

    /// Every file of the directory; without the bytes of LMDB's lock table, which names the present openers.
    private func files() throws -> [String: File] {
        var files: [String: File] = [:]
        for name in try FileManager.default.contentsOfDirectory(atPath: directory.path) {
            let path = directory.path + "/" + name
            let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
            let bytes = name == "lock.mdb" ? Data() : try Data(contentsOf: URL(fileURLWithPath: path))
            files[name] = File(mode: mode, bytes: bytes)
        }
        return files
    }

    /// Leaves the data file alone, as a restored backup is.
    private func removeLockFiles() throws {
        for name in ["guard.lock", "lock.mdb"] {
            try FileManager.default.removeItem(atPath: directory.path + "/" + name)
        }
    }

    /// As another program makes it: nothing beside the data file, and its group may write to that.
    private func makeForeign(_ tables: [String], isEmpty: Bool = false, key: [UInt8] = bytes("format")) throws {
        let environment = try Environment.open(path: directory.path, options: EnvironmentOptions(tables: tables))
        for name in tables where !isEmpty {
            let table = environment.table(name)
            try environment.writeBlocking { try $0.set(key.rawSpan, forKey: key.rawSpan, in: table) }
        }
        try environment.close()
        try removeLockFiles()
        try FileManager.default.setAttributes([.posixPermissions: 0o664], ofItemAtPath: path)
    }

    @Test func `of LMDB with other tables keeps its bytes`() throws {
        try makeForeign(["users", "orders"])
        try expectUntouched(.notAStore)
    }

    @Test func `with a table of the same name keeps its bytes`() throws {
        try makeForeign(["meta", "users"])
        try expectUntouched(.notAStore)
    }

    @Test func `with an empty table of the same name keeps its bytes`() throws {
        try makeForeign(["meta"], isEmpty: true)
        try expectUntouched(.notAStore)
    }

    /// A record of that name in another format may belong to another program: only `guard.lock` could distinguish them.
    @Test func `with a record of the format's name is not discarded`() throws {
        try makeForeign(["meta", "precious"], key: FormatRecord.key)
        let before = try Data(contentsOf: URL(fileURLWithPath: path))
        #expect(throws: StoreError.notAStore) { try Store.destroy(at: directory.path, discardingUnsent: true) }
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == before)
    }

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
        try await makeStore { $0.minimumReader = 6 }
        try expectUntouched(.unsupportedFormat(.newerFormat(minimumReader: 6)))
        try removeLockFiles()
        try expectUntouched(.unsupportedFormat(.newerFormat(minimumReader: 6)))
    }

    @Test func `with an unknown incompatible feature keeps its bytes`() async throws {
        try await makeStore { $0.features.incompatible = 1 << 40 }
        try expectUntouched(.unsupportedFormat(.unknownFeatures(1 << 40)))
        try removeLockFiles()
        try expectUntouched(.unsupportedFormat(.unknownFeatures(1 << 40)))
    }

    @Test func `with an unknown compatible feature is written, and keeps the feature`() async throws {
        try await makeStore { $0.features.compatible = 1 << 40 }
        let store = try directory.open()
        try await store.put([key(2)])
        #expect(try store.read { view in try view.format().features } == FormatFeatures(compatible: 1 << 40))
        try store.close()
        _ = try Store.compact(at: directory.path, host: .test)
        let reopened = try directory.open()
        #expect(try reopened.keys(.all(of: translations)) == ["1", "2"])
        #expect(try reopened.read { view in try view.format().features } == FormatFeatures(compatible: 1 << 40))
        try reopened.close()
    }

    @Test func `of an older format keeps its bytes until it is discarded`() async throws {
        try await makeStore { $0.minimumReader = 4 }
        try expectUntouched(.unsupportedFormat(.olderFormat(minimumReader: 4)), besidesDiscarding: true)
        try Store.destroy(at: directory.path, discardingUnsent: true)
        #expect(!FileManager.default.fileExists(atPath: directory.path))
    }

    @Test(arguments: [true, false])
    func `that only a newer version may write keeps its bytes`(byNumber: Bool) async throws {
        try await makeStore { format in
            if byNumber { format.minimumWriter = 6 } else { format.features.readOnlyCompatible = 1 << 40 }
        }
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

    /// Rebuilds the file without a table, as a version with fewer tables has it.
    private func removeTable(_ name: TableName = .responses) throws {
        let raw = try RawStore(directory.path)
        let records = try raw.records().filter { $0.table != name }
        try raw.close()
        try FileManager.default.removeItem(atPath: directory.path)
        let names = TableName.allCases.map(\.rawValue).filter { $0 != name.rawValue }
        let environment = try Environment.open(path: directory.path, options: EnvironmentOptions(tables: names))
        try environment.writeBlocking { transaction in
            for record in records {
                let table = environment.table(record.table.rawValue)
                try transaction.set(record.value.rawSpan, forKey: record.key.rawSpan, in: table)
            }
        }
        try environment.close()
    }

    @Test func `without a table that only a newer version may write is not to be opened for writing once`() async throws
    {
        try await makeStore { $0.minimumWriter = 6 }
        try removeTable()
        let before = try Data(contentsOf: URL(fileURLWithPath: path))
        #expect(throws: StoreError.readOnlyFormat) { try directory.open() }
        #expect(throws: EngineError.missingTable(name: "responses")) {
            try directory.open(StoreOptions(access: .readOnly))
        }
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == before)
    }

    @Test(arguments: [TableName.outbox, .overlay, .buffers])
    func `without a table that only its version had is damaged, and keeps its bytes until it is discarded`(
        table: TableName
    ) async throws {
        try await makeStore { _ in }
        try removeTable(table)
        try expectUntouched(.tableLost(table.rawValue), besidesDiscarding: true)
        try Store.destroy(at: directory.path, discardingUnsent: true)
        #expect(!FileManager.default.fileExists(atPath: directory.path))
    }

    @Test func `without a table gets it when this version may write it`() async throws {
        try await makeStore { _ in }
        try removeTable()
        let store = try directory.open()
        #expect(try store.keys(.all(of: translations)) == ["1"])
        try store.close()
        try directory.open(StoreOptions(access: .readOnly)).close()
    }

    @Test func `of an older format is not said to need a newer version`() {
        let older = StoreError.unsupportedFormat(.olderFormat(minimumReader: 4)).description
        #expect(older.contains("older format 4") && !older.contains("newer"))
        #expect(StoreError.unsupportedFormat(.newerFormat(minimumReader: 6)).description.contains("newer"))
    }

    @Test func `that is damaged in any page can be discarded`() async throws {
        let store = try directory.open()
        try await store.put((0..<300).map { key($0) })
        try store.close()
        let whole = try Data(contentsOf: URL(fileURLWithPath: path))
        for page in 0..<whole.count / 4096 {
            try? FileManager.default.removeItem(atPath: directory.path)
            try directory.open().close()
            // Kind of page, bounds of the free space and the first slot, which liblmdb believes.
            var damaged = whole
            for offset in 10..<18 { damaged[page * 4096 + offset] = 0xF1 }
            // Into the inode that guard.lock names.
            let file = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
            try file.write(contentsOf: damaged)
            try file.close()
            try Store.destroy(at: directory.path, discardingUnsent: true)
            #expect(!FileManager.default.fileExists(atPath: directory.path), "page \(page)")
        }
    }

    @Test func `locked by another program fails at once`() throws {
        try directory.open().close()
        let holder = unsafe open(directory.path, O_RDONLY | O_DIRECTORY)
        defer { close(holder) }
        #expect(flock(holder, LOCK_EX) == 0)
        var options = StoreOptions()
        options.lockTimeout = .zero
        #expect(throws: EngineError.lockedElsewhere(name: "the store's directory", seconds: 0)) {
            try directory.open(options)
        }
    }

    @Test func `that is damaged is removed only where a store was`() throws {
        try directory.open().close()
        try Data([UInt8](repeating: 0xFF, count: 20_000)).write(to: URL(fileURLWithPath: path))
        try FileManager.default.removeItem(atPath: directory.path + "/guard.lock")
        #expect(throws: EngineError.notADatabase) { try Store.destroy(at: directory.path, discardingUnsent: true) }
        #expect(FileManager.default.fileExists(atPath: path))
    }
}
