// Proves that removing a store leaves no content wherever it is interrupted, and removes only what was checked.
import Foundation
import LarderEngine
import Testing

@Suite struct `Removing a store` {
    private let directory = TemporaryDirectory()
    private let files = FileManager.default
    private static let words = ["search.sqlite", "search.sqlite-wal"]

    /// Makes a store with words beside it.
    private func makeStore() throws {
        let environment = try Environment.open(path: directory.path, options: .small)
        try environment.set([1], [1])
        try environment.close()
        for name in Self.words { try put("words", name) }
    }

    private func put(_ text: String, _ name: String, in path: String? = nil) throws {
        try Data(text.utf8).write(to: URL(fileURLWithPath: (path ?? directory.path) + "/" + name))
    }

    private func names(_ path: String? = nil) throws -> Set<String> {
        Set(try files.contentsOfDirectory(atPath: path ?? directory.path))
    }

    private func destroy() throws {
        try Environment.destroy(path: directory.path, tables: ["one"]) { _, _ in true }
    }

    private func probe(_ command: String, _ rest: String..., fault call: String, at: Int) throws -> Probe {
        let options = ProcessInfo.processInfo.environment["ASAN_OPTIONS"] ?? ""
        let environment = [
            "LD_PRELOAD": try #require(FaultShim.path), "FAULT_CALL": call, "FAULT_AT": "\(at)",
            "FAULT_DIRECTORY": directory.path,
            "ASAN_OPTIONS": (options.isEmpty ? "" : options + ":") + "verify_asan_link_order=0",
        ]
        return try Probe(command, directory.path, rest.first ?? "", environment: environment)
    }

    /// Five files: two of words, the data file, two of locks.
    @Test(.enabled(if: FaultShim.path != nil, "needs a C compiler, cc"), arguments: ["unlink", "die"], 1...6)
    func `interrupted anywhere leaves a store that opens, or remains without content`(call: String, at: Int) throws {
        try makeStore()
        let probe = try probe("try-destroy", fault: call, at: at)
        if call == "die", at < 6 {
            probe.waitUntilKilled()
        } else {
            #expect(probe.finish() == ["opened", at == 6 ? "destroyed" : "\(EngineError.ioFailure(errno: EIO))"])
        }
        guard at < 6 else { return #expect(!files.fileExists(atPath: directory.path)) }
        let left = try names()
        #expect(left.contains("data.mdb") == (at <= 3))
        #expect(left.isDisjoint(with: Self.words) == (at >= 3))
        if at <= 3 {
            let environment = try Environment.open(path: directory.path, options: .small)
            #expect(try environment.get([1]) == [1])
            try environment.close()
        }
        try destroy()
        #expect(!files.fileExists(atPath: directory.path))
    }

    @Test func `that has lost its data file removes what is left, where a store was`() throws {
        try makeStore()
        try files.removeItem(atPath: directory.path + "/data.mdb")
        try destroy()
        #expect(!files.fileExists(atPath: directory.path))
        try makeStore()
        for name in ["data.mdb", "guard.lock"] { try files.removeItem(atPath: directory.path + "/" + name) }
        #expect(throws: EngineError.notFound) { try destroy() }
        #expect(try names() == Set(Self.words + ["lock.mdb"]))
    }

    @Test func `that has lost its data file leaves nothing to the store made in its place`() throws {
        try makeStore()
        try files.removeItem(atPath: directory.path + "/data.mdb")
        try Environment.open(path: directory.path, options: .small).close()
        #expect(try names() == ["data.mdb", "guard.lock", "lock.mdb"])
    }

    /// Moves the store away and another one into its place.
    private func swap() throws {
        try files.moveItem(atPath: directory.path, toPath: directory.path + "-moved")
        try files.moveItem(atPath: directory.path + "-other", toPath: directory.path)
    }

    /// Runs `body` beside a directory that it may swap for the store's, and expects that one to keep its files.
    private func expectOtherUntouched(_ body: () throws -> Void) throws {
        let (other, moved) = (directory.path + "-other", directory.path + "-moved")
        defer { for path in [other, moved] { try? files.removeItem(atPath: path) } }
        let all: Set = ["data.mdb", "guard.lock", "lock.mdb", "search.sqlite", "search.sqlite-wal"]
        try files.createDirectory(atPath: other, withIntermediateDirectories: true)
        for name in all { try put("other", name, in: other) }
        try makeStore()
        try body()
        #expect(try names() == all)
        let left = try names(moved)
        #expect(left.isDisjoint(with: Self.words))
    }

    @Test func `removes what was checked, not what has replaced it at its path`() throws {
        try expectOtherUntouched {
            try Environment.destroy(path: directory.path, tables: ["one"]) { _, _ in
                try swap()
                return true
            }
            #expect(try names(directory.path + "-moved") == [])
        }
        try files.removeItem(atPath: directory.path)
        try expectOtherUntouched {
            try Environment.discard(path: directory.path, record: ("one", [1])) { _, _ in try swap() }
            #expect(try names(directory.path + "-moved") == [])
        }
    }

    @Test(.enabled(if: FaultShim.path != nil, "needs a C compiler, cc"))
    func `and removing files beside its data use one directory from call to call`() throws {
        try expectOtherUntouched {
            let said = try probe("try-destroy", fault: "swap", at: 1).finish()
            #expect(said == ["opened", "destroyed"])
        }
        try files.removeItem(atPath: directory.path)
        try expectOtherUntouched {
            let said = try probe("remove-companions", "search.sqlite", fault: "swap", at: 1).finish()
            #expect(said == ["opened", "removed"])
            try files.removeItem(atPath: directory.path + "-moved/search.sqlite-wal")
        }
    }

    @Test func `removes nothing when another data file has come in between`() throws {
        try makeStore()
        let before = try names()
        #expect(throws: EngineError.replaced) {
            try Environment.destroy(path: directory.path, tables: ["one"]) { _, _ in
                try files.copyItem(atPath: directory.path + "/data.mdb", toPath: directory.path + "/copy")
                #expect(unsafe rename(directory.path + "/copy", directory.path + "/data.mdb") == 0)
                return true
            }
        }
        #expect(try names() == before)
    }
}
