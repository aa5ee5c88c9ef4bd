// Proves that every directory and file that the engine makes is for its owner only.
import Foundation
import LarderEngine
import Testing

@Suite struct `Files that the engine creates` {
    /// Expects the directory and all that is in it to be its owner's alone.
    private func expectPrivate(_ path: String, _ expected: Set<String> = []) throws {
        let names = try FileManager.default.subpathsOfDirectory(atPath: path)
        #expect(expected.isSubset(of: names), "\(names)")
        for name in names + [""] {
            let attributes = try FileManager.default.attributesOfItem(atPath: path + "/" + name)
            let mode = (attributes[.posixPermissions] as? Int).map { $0 & 0o7777 }
            #expect(mode == (attributes[.type] as? FileAttributeType == .typeDirectory ? 0o700 : 0o600), "\(name)")
        }
    }

    @Test func `are for their owner only, finished or not`() throws {
        let (directory, copies) = (TemporaryDirectory(), TemporaryDirectory())
        let all: Set = ["data.mdb", "lock.mdb", "guard.lock"]
        let environment = try Environment.open(path: directory.path, options: .small) { _, _ in
            try expectPrivate(directory.path)
        }
        try expectPrivate(directory.path, all)
        try environment.set([1], [1])
        var checks = 0
        try environment.copy(to: copies.path + "/in/copy") { _ in
            checks += 1
            try expectPrivate(copies.path, ["in/copy"])
        }
        try environment.close()
        try Environment.open(path: copies.path + "/in/copy", options: .small).close()
        try expectPrivate(copies.path + "/in/copy", all)
        try expectPrivate(copies.path)
        try Environment.compact(path: directory.path, tables: ["one", "two"]) { _ in
            checks += 1
            try expectPrivate(directory.path, all)
        } verify: { copy in
            try expectPrivate(copy, ["data.mdb"])
        }
        #expect(checks >= 2)
        try expectPrivate(directory.path, all)
    }

    @Test(arguments: ["0000", "0277", "0477", "0777"])
    func `are usable by their owner, whatever the umask`(umask: String) throws {
        let directory = TemporaryDirectory()
        try FileManager.default.createDirectory(atPath: directory.path, withIntermediateDirectories: true)
        let probe = Probe.products.appending(path: "engine-probe").path
        for (command, store) in [("try-open", "/in/store"), ("try-copy", "/in/store")] {
            let arguments = [command, directory.path + store, directory.path + "/in/copy"].map { "'\($0)'" }
            let said = try run("sh", "-c", "umask \(umask); exec '\(probe)' \(arguments.joined(separator: " "))")
            #expect(said.status == 0 && (said.output == "opened\n" || said.output == "copied\n"), "\(said.output)")
        }
        try expectPrivate(
            directory.path + "/in", ["store/data.mdb", "store/lock.mdb", "store/guard.lock", "copy/data.mdb"])
    }
}
