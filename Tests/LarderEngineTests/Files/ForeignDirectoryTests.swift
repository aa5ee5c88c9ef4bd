// Proves that a directory that may be another program's keeps its names, modes and bytes until its file is accepted.
import Foundation
import Testing

@testable import LarderEngine

@Suite struct `A foreign directory` {
    private let directory = TemporaryDirectory()
    private let files = FileManager.default

    private struct Foreign: Error {}

    /// An environment as another program makes it: others may write to its files, and nothing marks it as ours.
    private func makeForeign(lockFileSize: Int? = nil) throws {
        let environment = try Environment.open(path: directory.path, options: .small)
        try environment.set([1], [1])
        try environment.close()
        for name in ["guard.lock", "lock.mdb"] { try files.removeItem(atPath: directory.path + "/" + name) }
        if let lockFileSize {
            try Data().write(to: URL(fileURLWithPath: directory.path + "/lock.mdb"))
            #expect(unsafe truncate(directory.path + "/lock.mdb", lockFileSize) == 0)
        }
        for name in try files.contentsOfDirectory(atPath: directory.path) {
            #expect(unsafe chmod(directory.path + "/" + name, 0o664) == 0)
        }
    }

    /// Mode, size and blocks of each file, and the bytes of the data file.
    private func state() throws -> [String] {
        try files.contentsOfDirectory(atPath: directory.path).sorted().map { name in
            var status = stat()
            #expect(unsafe stat(directory.path + "/" + name, &status) == 0)
            let content =
                name == "data.mdb" ? try Data(contentsOf: URL(fileURLWithPath: directory.path + "/data.mdb")) : nil
            return "\(name) \(status.st_mode) \(status.st_size) \(status.st_blocks) \(content.hashValue)"
        }
    }

    @Test(arguments: [Int?.none, 8192, 1 << 40])
    func `is left unchanged by everything that is refused`(lockFileSize: Int?) throws {
        try makeForeign(lockFileSize: lockFileSize)
        let before = try state()
        for access in [EnvironmentOptions.Access.readOnly, .readWrite, .readWriteExisting] {
            let options = EnvironmentOptions(
                access: access, tables: ["one", "two"], mapSize: 1 << 30, mapSizeCap: 1 << 30)
            #expect(throws: Foreign.self) {
                try Environment.open(path: directory.path, options: options, inspect: { _, _ in throw Foreign() })
            }
            #expect(try state() == before, "\(access)")
        }
        #expect(throws: Foreign.self) {
            try Environment.compact(path: directory.path, tables: ["one"], inspect: { _, _ in throw Foreign() }) { _ in
            }
        }
        #expect(throws: Foreign.self) {
            try Environment.destroy(path: directory.path, tables: ["one"]) { _, _ in throw Foreign() }
        }
        #expect(throws: Foreign.self) {
            try Environment.discard(path: directory.path, record: ("one", [1])) { value, _ in
                #expect(value == [1])
                throw Foreign()
            }
        }
        #expect(try state() == before)
    }

    @Test func `with values among its tables is reported as such`() throws {
        try makeForeign()
        let path = directory.path + "/data.mdb"
        var content = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
        // An entry of the list of tables: size of the value, flags (it is a table), size of the key, the key.
        let entry: [UInt8] = [48, 0, 0, 0, 2, 0, 3, 0] + bytes("one")
        var found = 0
        for start in 0..<content.count - entry.count where Array(content[start..<start + entry.count]) == entry {
            // liblmdb stores both sizes in the same number of bytes.
            content[start] = 49
            content[start + 4] = 0
            found += 1
        }
        #expect(found > 0)
        try Data(content).write(to: URL(fileURLWithPath: path))
        #expect(throws: EngineError.foreignDatabase) { try Environment.open(path: directory.path, options: .small) }
    }

    /// It was reported as damaged. LMDB: `MDB_DUPSORT`.
    @Test func `with trees that no store has is inspected, and is not called damaged`() throws {
        try makeForeign()
        let path = directory.path + "/data.mdb"
        var content = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
        let entry: [UInt8] = [48, 0, 0, 0, 2, 0, 3, 0] + bytes("one")
        for start in 0..<content.count - entry.count where Array(content[start..<start + entry.count]) == entry {
            content[start + entry.count + 4] |= 0x04
        }
        try Data(content).write(to: URL(fileURLWithPath: path))
        #expect(throws: Foreign.self) {
            try Environment.open(path: directory.path, options: .small, inspect: { _, _ in throw Foreign() })
        }
        #expect(try Environment.pageProblems(ofStoreAt: directory.path) == nil)
    }

    @Test func `that another program has open is inspected beside it`() throws {
        try makeForeign()
        let holder = try Probe("hold-open", directory.path, "126")
        holder.waitUntilReady()
        try files.removeItem(atPath: directory.path + "/guard.lock")
        let before = try state()
        #expect(throws: Foreign.self) {
            try Environment.open(path: directory.path, options: .small, inspect: { _, _ in throw Foreign() })
        }
        #expect(try state() == before)
        holder.finish()
    }

    @Test func `that another program has open is not read as if it were unused`() throws {
        try makeForeign()
        let holder = try Probe("hold-open", directory.path, "126")
        holder.waitUntilReady()
        try files.removeItem(atPath: directory.path + "/guard.lock")
        // A count of pages that only a look at all trees can find wrong, as one between two commits may be.
        let file = try FileHandle(forUpdating: URL(fileURLWithPath: directory.path + "/data.mdb"))
        for page in [0, 4096] as [UInt64] {
            try file.seek(toOffset: page + 112)
            try file.write(contentsOf: Data([255, 255, 255]))
        }
        try file.close()
        #expect(throws: Foreign.self) {
            try Environment.open(path: directory.path, options: .small, inspect: { _, _ in throw Foreign() })
        }
        holder.finish()
        #expect(throws: EngineError.damagedMeta(reason: "page count")) {
            try Environment.open(path: directory.path, options: .small, inspect: { _, _ in throw Foreign() })
        }
    }

    @Test(arguments: [EnvironmentOptions.Access.readOnly, .readWrite])
    func `becomes a store's by an open that accepts it`(access: EnvironmentOptions.Access) throws {
        try makeForeign()
        let options = EnvironmentOptions(access: access, tables: ["one", "two"], mapSize: 1 << 30, mapSizeCap: 1 << 30)
        let environment = try Environment.open(path: directory.path, options: options)
        #expect(try environment.get([1]) == [1])
        try environment.close()
        #expect(
            try files.contentsOfDirectory(atPath: directory.path).sorted() == ["data.mdb", "guard.lock", "lock.mdb"])
        let mode = try files.attributesOfItem(atPath: directory.path + "/data.mdb")[.posixPermissions] as? Int
        #expect(mode == 0o644)
    }

    @Test(arguments: ["reading", "writing"])
    func `lock file of any claimed size is made whole at its own size`(access: String) throws {
        try Environment.open(path: directory.path, options: .small).close()
        #expect(unsafe truncate(directory.path + "/lock.mdb", 1 << 40) == 0)
        #expect(try Probe("try-open", directory.path, access).finish() == ["opened"])
        let size = try files.attributesOfItem(atPath: directory.path + "/lock.mdb")[.size] as? Int ?? 0
        #expect(size <= 65_536)
    }

    @Test func `copy of a store whose guard.lock another program holds is said to be locked`() throws {
        try Environment.open(path: directory.path, options: .small).close()
        let copy = TemporaryDirectory()
        #expect(try run("cp", "-a", directory.path, copy.path).status == 0)
        let holder = try FileDescriptor(copy.path + "/guard.lock", O_RDONLY)
        #expect(try holder.lock(exclusive: false, waits: false))
        #expect(throws: EngineError.lockedElsewhere(name: "guard.lock", seconds: 0)) {
            try Environment.open(path: copy.path, options: .small)
        }
        withExtendedLifetime(holder) {}
    }

    @Test func `cache directory of another user or with foreign files is refused`() throws {
        let preserved = try FileDirectory(directory.path)
        _ = try preserved.openOrMake("kept")
        try files.linkItem(atPath: directory.path + "/kept", toPath: directory.path + "/linked")
        try files.createSymbolicLink(atPath: directory.path + "/followed", withDestinationPath: "kept")
        #expect(unsafe mkfifo(directory.path + "/pipe", 0o600) == 0)
        for (name, problem) in [("linked", PathProblem.hardLinked), ("followed", .symbolicLink), ("pipe", .notAFile)] {
            #expect(throws: EngineError.untrustedFile(name: name, problem: problem)) { try preserved.open(name) }
            #expect(throws: EngineError.untrustedFile(name: name, problem: problem)) { try preserved.openOrMake(name) }
        }
        #expect(unsafe chmod(directory.path, 0o777) == 0)
        #expect(throws: EngineError.untrustedDirectory(.writableByOthers)) { try FileDirectory(directory.path) }
        #expect(unsafe chmod(directory.path, 0o700) == 0)
        if geteuid() == 0 {
            #expect(unsafe chown(directory.path, 65_534, 65_534) == 0)
            #expect(throws: EngineError.untrustedDirectory(.otherOwner)) { try FileDirectory(directory.path) }
        }
    }

    @Test func `record of a newer version in guard.lock is kept by a reader`() throws {
        try Environment.open(path: directory.path, options: .small).close()
        let path = directory.path + "/guard.lock"
        var record = try Data(contentsOf: URL(fileURLWithPath: path))
        record[8] = 2
        record[40] ^= 1
        try record.write(to: URL(fileURLWithPath: path))
        let options = EnvironmentOptions(access: .readOnly, tables: ["one", "two"])
        try Environment.open(path: directory.path, options: options).close()
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == record)
    }
}
