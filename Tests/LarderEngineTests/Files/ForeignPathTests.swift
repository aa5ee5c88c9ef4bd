// Proves that links, pipes and foreign files in a store's directory are neither followed, awaited nor removed.
import Foundation
import LarderEngine
import Testing

@Suite struct `A foreign path` {
    private let directory = TemporaryDirectory()
    private let elsewhere = TemporaryDirectory()
    private let files = FileManager.default

    init() throws {
        try files.createDirectory(atPath: elsewhere.path, withIntermediateDirectories: true)
        try Data(victim).write(to: URL(fileURLWithPath: elsewhere.path + "/data.mdb"))
        try Data(victim).write(to: URL(fileURLWithPath: elsewhere.path + "/precious"))
    }

    /// Longer than every file of ours is read or written from its start.
    private let victim = [UInt8](repeating: 0x5A, count: 20_000)

    private func makeStore() throws {
        let environment = try Environment.open(path: directory.path, options: .small)
        try environment.set([1], [1])
        try environment.close()
    }

    private func checkVictims() throws {
        for name in ["data.mdb", "precious"] {
            #expect(try Data(contentsOf: URL(fileURLWithPath: elsewhere.path + "/" + name)) == Data(victim), "\(name)")
        }
    }

    @Test(arguments: [".new-1", ".larder-new-1", ".larder-new-compact-1"])
    func `link with the name of a temporary directory is not followed`(name: String) throws {
        try makeStore()
        try files.createSymbolicLink(atPath: directory.path + "/" + name, withDestinationPath: elsewhere.path)
        try files.createSymbolicLink(atPath: directory.path + "/" + name + "-self", withDestinationPath: ".")
        let environment = try Environment.open(path: directory.path, options: .small)
        #expect(try environment.get([1]) == [1])
        try environment.close()
        try checkVictims()
        try Environment.compact(path: directory.path, tables: ["one", "two"]) { _ in }
        try checkVictims()
        try Environment.destroy(path: directory.path, tables: []) { _, _ in true }
        try checkVictims()
    }

    @Test func `temporary directory of the engine is removed without its foreign files`() throws {
        try makeStore()
        let remains = directory.path + "/.larder-new-1"
        for path in [
            remains, remains + "/.larder-new-2", directory.path + "/.larder-new-3", directory.path + "/.new-4",
        ] {
            try files.createDirectory(atPath: path, withIntermediateDirectories: true)
            for name in ["data.mdb", "lock.mdb", "guard.lock"] {
                try Data(victim).write(to: URL(fileURLWithPath: path + "/" + name))
            }
        }
        try Data(victim).write(to: URL(fileURLWithPath: remains + "/mine"))
        try Environment.open(path: directory.path, options: .small).close()
        #expect(try files.contentsOfDirectory(atPath: remains) == ["mine"])
        #expect(!files.fileExists(atPath: directory.path + "/.larder-new-3"))
        #expect(try files.contentsOfDirectory(atPath: directory.path + "/.new-4").count == 3)
    }

    @Test func `temporary directory that cannot be removed does not block a process with the same id`()
        throws
    {
        // The process's number is the same after every start in a container.
        for name in [".larder-new-\(getpid())", ".larder-new-compact-\(getpid())"] {
            let path = directory.path + "/" + name
            try files.createDirectory(atPath: path, withIntermediateDirectories: true)
            try Data(victim).write(to: URL(fileURLWithPath: path + "/mine"))
        }
        try makeStore()
        try Environment.compact(path: directory.path, tables: ["one", "two"]) { _ in }
        let names = try files.contentsOfDirectory(atPath: directory.path).filter { $0.hasPrefix(".larder-new") }
        #expect(names.sorted() == [".larder-new-\(getpid())", ".larder-new-compact-\(getpid())"].sorted())
    }

    @Test(arguments: ["data.mdb", "lock.mdb", "guard.lock"], [EnvironmentOptions.Access.readOnly, .readWrite])
    func `file that others may write to loses that permission`(name: String, access: EnvironmentOptions.Access) throws {
        try makeStore()
        let path = directory.path + "/" + name
        #expect(unsafe chmod(path, 0o666) == 0)
        let options = EnvironmentOptions(access: access, tables: ["one", "two"], mapSize: 1 << 30, mapSizeCap: 1 << 30)
        let environment = try Environment.open(path: directory.path, options: options)
        let mode = try #require(try files.attributesOfItem(atPath: path)[.posixPermissions] as? Int)
        #expect(mode & 0o022 == 0, "\(String(mode, radix: 8))")
        try environment.close()
    }

    @Test(arguments: ["data.mdb", "lock.mdb", "guard.lock"], [EnvironmentOptions.Access.readOnly, .readWrite])
    func `link in place of a file is refused and its target untouched`(
        name: String, access: EnvironmentOptions.Access
    ) throws {
        try makeStore()
        let path = directory.path + "/" + name
        let options = EnvironmentOptions(access: access, tables: ["one", "two"], mapSize: 1 << 30, mapSizeCap: 1 << 30)
        func expect(_ problem: PathProblem) throws {
            #expect(throws: EngineError.untrustedFile(name: name, problem: problem)) {
                try Environment.open(path: directory.path, options: options)
            }
            try checkVictims()
            try files.removeItem(atPath: path)
        }
        try files.removeItem(atPath: path)
        try files.createSymbolicLink(atPath: path, withDestinationPath: elsewhere.path + "/precious")
        let mode = try files.attributesOfItem(atPath: elsewhere.path + "/precious")[.posixPermissions] as? Int
        try expect(.symbolicLink)
        #expect(try files.attributesOfItem(atPath: elsewhere.path + "/precious")[.posixPermissions] as? Int == mode)
        try files.createSymbolicLink(atPath: path, withDestinationPath: elsewhere.path + "/nothing")
        try expect(.symbolicLink)
        #expect(!files.fileExists(atPath: elsewhere.path + "/nothing"))
        try files.linkItem(atPath: elsewhere.path + "/precious", toPath: path)
        try expect(.hardLinked)
        #expect(unsafe mkfifo(path, 0o600) == 0)
        try expect(.notAFile)
        try files.createDirectory(atPath: path, withIntermediateDirectories: false)
        try expect(.notAFile)
    }

    @Test func `directory that others may write to is refused`() throws {
        try makeStore()
        for mode in [0o720, 0o702, 0o777] {
            #expect(unsafe chmod(directory.path, mode_t(mode)) == 0)
            #expect(throws: EngineError.untrustedDirectory(.writableByOthers)) {
                try Environment.open(path: directory.path, options: .small)
            }
        }
        #expect(unsafe chmod(directory.path, 0o755) == 0)
        try Environment.open(path: directory.path, options: .small).close()
    }

    @Test(.enabled(if: geteuid() == 0, "needs root, to give files away"))
    func `directory or file of another user is refused`() throws {
        try makeStore()
        for name in ["data.mdb", "lock.mdb", "guard.lock"] {
            #expect(unsafe chown(directory.path + "/" + name, 65_534, 65_534) == 0)
            #expect(throws: EngineError.untrustedFile(name: name, problem: .otherOwner)) {
                try Environment.open(path: directory.path, options: .small)
            }
            #expect(unsafe chown(directory.path + "/" + name, 0, 0) == 0)
        }
        #expect(unsafe chown(directory.path, 65_534, 65_534) == 0)
        #expect(throws: EngineError.untrustedDirectory(.otherOwner)) {
            try Environment.open(path: directory.path, options: .small)
        }
    }

    @Test func `foreign file survives the end of the store`() throws {
        try makeStore()
        try Data(victim).write(to: URL(fileURLWithPath: directory.path + "/mine"))
        try Environment.destroy(path: directory.path, tables: []) { _, _ in true }
        #expect(try files.contentsOfDirectory(atPath: directory.path) == ["mine"])
    }
}
