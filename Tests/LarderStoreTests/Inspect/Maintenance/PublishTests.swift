// Proves that a published copy is read without locks, is replaced while it is read, and never replaces anything else.

import Foundation
import LarderEngine
import LarderFormat
import LarderStore
import Testing

@Suite struct `A published copy` {
    private let source = TemporaryStore()
    private let target = TemporaryStore()

    private func open() throws -> PublishedStore { try PublishedStore.open(at: target.path, host: .test) }

    private func fileNames() throws -> [String] { try FileManager.default.contentsOfDirectory(atPath: target.path) }

    @Test func `has all content, and is read without a lock or another file`() async throws {
        let store = try source.open()
        try await fillSample(store)
        try store.publish(to: target.path)
        let published = try open()
        let (shown, locks) = try published.read { view in
            (try view.rows(in: .all(of: translations)), try heldLocks(in: target.path))
        }
        #expect(try shown == store.read { view in try view.rows(in: .all(of: translations)) })
        #expect(shown.count > 2)
        #expect(locks == [])
        #expect(try fileNames() == ["data.mdb"])
        // The table shows what a store holds.
        #expect(try heldLocks(in: source.path).isSuperset(of: ["guard.lock", "lock.mdb"]))
        try store.close()
    }

    @Test func `is shown by the next read, while reads under way finish with the old one`() async throws {
        let store = try source.open()
        try await store.put([key(1)])
        try store.publish(to: target.path)
        let published = try open()
        try await store.put([key(2)])
        let counts = try published.read { view in
            try store.publish(to: target.path)
            let outer = try view.rows(in: .all(of: translations)).count
            let inner = try published.read { view in try view.rows(in: .all(of: translations)).count }
            return [outer, inner]
        }
        #expect(counts == [1, 1])
        #expect(try published.read { view in try view.rows(in: .all(of: translations)).count } == 2)
        #expect(try openFiles() == 1, "the old file is still open")
        try store.close()
    }

    /// The number of descriptors of data files in the directory, those without a name included.
    private func openFiles() throws -> Int {
        let files = FileManager.default
        let resolved = URL(fileURLWithPath: target.path).resolvingSymlinksInPath().path
        return try files.contentsOfDirectory(atPath: "/proc/self/fd").count { descriptor in
            let file = try? files.destinationOfSymbolicLink(atPath: "/proc/self/fd/" + descriptor)
            return file?.hasPrefix(resolved + "/") == true
        }
    }

    @Test func `is read whole by many readers while it is replaced again and again`() async throws {
        let store = try source.open()
        let (rows, versions) = (40, 12)
        try await store.replace(translations, with: (0..<rows).map { (key($0), bytes("0")) })
        try store.publish(to: target.path)
        let published = try open()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<3 {
                group.addTask {
                    var last = 0
                    while last < versions {
                        let found = try published.read { view in
                            Set(try view.rows(in: .all(of: translations)).map(\.payload))
                        }
                        #expect(found.count == 1)
                        let version = try #require(found.first.flatMap { Int(String(decoding: $0, as: UTF8.self)) })
                        #expect(version >= last)
                        last = version
                        await Task.yield()
                    }
                }
            }
            for version in 1...versions {
                try await store.replace(translations, with: (0..<rows).map { (key($0), bytes("\(version)")) })
                try store.publish(to: target.path)
            }
            try await group.waitForAll()
        }
        #expect(try openFiles() == 1)
        #expect(try fileNames() == ["data.mdb"])
        try store.close()
    }

    @Test func `stays as it was when another one is not finished`() async throws {
        struct Enough: Error {}
        let store = try source.open()
        try await store.put([key(1)])
        try store.publish(to: target.path)
        try await store.put([key(2)])
        #expect(throws: Enough.self) { try store.publish(to: target.path) { _ in throw Enough() } }
        #expect(try open().read { view in try view.rows(in: .all(of: translations)).count } == 1)
        #expect(try fileNames() == ["data.mdb"])
        try store.close()
    }

    @Test func `stays readable after it was removed`() async throws {
        let store = try source.open()
        try await store.put([key(1)])
        try store.publish(to: target.path)
        let published = try open()
        try FileManager.default.removeItem(atPath: target.path)
        #expect(try published.read { view in try view.payload(at: key(1)) } == bytes("1"))
        #expect(throws: EngineError.notFound) { try open() }
        try store.close()
    }

    @Test func `never replaces a store or another program's file`() async throws {
        let store = try source.open()
        try await store.put([key(1)])
        #expect(throws: EngineError.keyExists) { try store.publish(to: source.path) }

        // A backup of a store, restored by a plain copy, has no lock file beside it.
        try store.copy(to: target.path)
        for name in try fileNames() where name != "data.mdb" {
            try FileManager.default.removeItem(atPath: target.path + "/" + name)
        }
        #expect(throws: EngineError.keyExists) { try store.publish(to: target.path) }
        let backup = try target.open()
        #expect(try backup.keys(.all(of: translations)) == ["1"])
        try backup.close()

        let foreign = TemporaryStore()
        try Environment.open(path: foreign.path, options: EnvironmentOptions(tables: ["pantry"])).close()
        #expect(throws: EngineError.keyExists) { try store.publish(to: foreign.path) }
        try store.close()
    }

    @Test func `of another version is replaced, where no lock file makes it a store`() async throws {
        let store = try source.open()
        try store.publish(to: target.path)
        try changeFormat { $0.minimumReader += 1 }
        #expect(throws: StoreError.unsupportedFormat(.newerFormat(minimumReader: 6))) { try open() }
        #expect(throws: EngineError.keyExists) { try store.publish(to: target.path) }
        for name in try fileNames() where name != "data.mdb" {
            try FileManager.default.removeItem(atPath: target.path + "/" + name)
        }
        try store.publish(to: target.path)
        #expect(try open().read { view in try view.rows(in: .all(of: translations)) } == [])
        try store.close()
    }

    /// Changes the format record of the copy, below the store; leaves lock files.
    private func changeFormat(_ change: (inout FormatRecord) -> Void) throws {
        let raw = try RawStore(target.path)
        let record = try #require(try raw.records().first { $0.key == FormatRecord.key })
        var format = try FormatRecord(decoding: record.body.rawSpan)
        change(&format)
        try raw.replace([record], by: [record.resealed(format.encode())])
        try raw.close()
    }

    @Test func `is the only file that is read without locks`() async throws {
        let store = try source.open()
        try await store.put([key(1)])
        #expect(throws: StoreError.notPublished) { try PublishedStore.open(at: source.path, host: .test) }
        try store.close()
        #expect(throws: StoreError.notPublished) { try PublishedStore.open(at: source.path, host: .test) }
        #expect(throws: EngineError.notFound) { try open() }
    }

    @Test func `opened as a store refuses every write`() async throws {
        let store = try source.open()
        try await store.put([key(1)])
        try store.publish(to: target.path)
        let reader = try target.open()
        #expect(reader.isReadOnly)
        #expect(try reader.keys(.all(of: translations)) == ["1"])
        await #expect(throws: StoreError.readOnlyFormat) { try await reader.write { _ in } }
        // It is still no store, so it may be replaced.
        try await store.put([key(2)])
        try store.publish(to: target.path)
        #expect(try reader.keys(.all(of: translations)) == ["1"])
        #expect(throws: StoreError.readOnlyFormat) { try reader.publish(to: target.path) }
        try reader.close()
        #expect(try open().read { view in try view.rows(in: .all(of: translations)).count } == 2)
        try store.close()
    }

    @Test func `is read where nothing may be written`() async throws {
        let store = try source.open()
        try await store.put([key(1)])
        try store.publish(to: target.path)
        try store.close()
        #expect(unsafe chmod(target.path + "/data.mdb", 0o444) == 0 && chmod(target.path, 0o555) == 0)
        #expect(try open().read { view in try view.payload(at: key(1)) } == bytes("1"))
        #expect(unsafe chmod(target.path, 0o755) == 0)
    }

    @Test func `that is damaged, or that every user may change, is refused`() async throws {
        let store = try source.open()
        try await store.put([key(1)])
        try store.publish(to: target.path)
        try store.close()
        let file = target.path + "/data.mdb"
        #expect(unsafe chmod(file, 0o666) == 0)
        #expect(throws: EngineError.untrustedFile(name: "data.mdb", problem: .writableByOthers)) { try open() }
        #expect(unsafe chmod(file, 0o600) == 0)
        let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: file))
        try handle.truncate(atOffset: 8192 + 100)
        try handle.close()
        #expect(throws: EngineError.self) { try open() }
    }
}
