// Proves that files which the tool creates are private, and replace nothing that is in use.
import Foundation
import LarderEngine
import Testing

@Suite struct `Files that the tool creates` {
    /// Runs the tool with a mask that takes no right away.
    private func runUnmasked(_ arguments: [String]) throws -> Outcome {
        try Tool.run("/bin/sh", ["-c", #"umask 0; exec "$@""#, "sh", Tool.path] + arguments)
    }

    private func mode(_ path: String) -> Int? {
        (try? FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int).map { $0 & 0o7777 }
    }

    @Test func `are for their owner only`() async throws {
        let sample = try await SampleStore()
        let (dump, loaded, copy) = (sample.sibling("dump.jsonl"), sample.sibling("in/loaded"), sample.sibling("copy"))
        try FileManager.default.createDirectory(atPath: sample.sibling("in"), withIntermediateDirectories: false)
        #expect(try runUnmasked(["dump", sample.path, "--output", dump]).status == 0)
        #expect(try runUnmasked(["load", dump, loaded]).status == 0)
        #expect(try runUnmasked(["compact", loaded, "--output", copy]).status == 0)
        #expect(try runUnmasked(["compact", loaded]).status == 0)
        try FileManager.default.removeItem(atPath: loaded + "/lock.mdb")
        try FileManager.default.removeItem(atPath: loaded + "/guard.lock")
        try Data().write(to: URL(fileURLWithPath: loaded + "/guard.lock"))
        #expect(try runUnmasked(["outbox", "retry", "--all-failed", loaded]).status == 0)
        #expect(mode(dump) == 0o600)
        for directory in [loaded, copy] {
            #expect(mode(directory) == 0o700)
            let names = try FileManager.default.contentsOfDirectory(atPath: directory)
            #expect(Set(names).isSuperset(of: ["data.mdb", "guard.lock", "lock.mdb"]))
            for name in names { #expect(mode(directory + "/" + name) == 0o600, "\(name)") }
        }
    }

    @Test func `never replace a pipe, a link, a directory or a store's file`() async throws {
        let sample = try await SampleStore()
        let (pipe, link, target) = (sample.sibling("pipe"), sample.sibling("link"), sample.sibling("target"))
        #expect(unsafe mkfifo(pipe, 0o600) == 0)
        try Data([7]).write(to: URL(fileURLWithPath: target))
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: target)
        let before = sample.directory.names
        let own = ["data.mdb", "lock.mdb", "guard.lock", "search.sqlite"].map { sample.path + "/" + $0 }
        let data = try Data(contentsOf: URL(fileURLWithPath: own[0]))
        for output in [pipe, link, sample.path] + own {
            let outcome = try Tool.run("dump", sample.path, "--output", output)
            #expect(outcome.status == 4, "\(output): \(outcome.errorOutput)")
            #expect(outcome.errorOutput.contains(output))
        }
        #expect(sample.directory.names == before)
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link) == target)
        #expect(try Data(contentsOf: URL(fileURLWithPath: target)) == Data([7]))
        #expect(try Data(contentsOf: URL(fileURLWithPath: own[0])) == data)
        #expect(try FileManager.default.attributesOfItem(atPath: pipe)[.type] as? FileAttributeType != .typeRegular)
    }

    @Test func `use no path that is not text, whose repaired bytes name another file`() async throws {
        let sample = try await SampleStore()
        let other = sample.sibling("copy\u{FFFD}")
        let script = #"exec "$0" compact "$1" --output "$(printf '%s\377' "$2")""#
        let outcome = try Tool.run("/bin/sh", ["-c", script, Tool.path, sample.path, sample.sibling("copy")])
        #expect(
            outcome.status == 64 && outcome.errorOutput.contains("Argument 4 is not UTF-8"), "\(outcome.errorOutput)")
        #expect(!FileManager.default.fileExists(atPath: other))
        #expect(sample.directory.names == ["store"])
    }

    @Test(arguments: [true, false])
    func `are not written through a planted link`(leadsSomewhere: Bool) async throws {
        let sample = try await SampleStore()
        let (victim, copy) = (sample.sibling("victim"), sample.sibling("copy"))
        if leadsSomewhere {
            try FileManager.default.createDirectory(atPath: victim, withIntermediateDirectories: false)
        }
        // The shell becomes the tool, so its number is in the name.
        let plant = #"ln -s "$1" "$2.new-$$"; exec "$3" compact "$4" --output "$2""#
        let outcome = try Tool.run("/bin/sh", ["-c", plant, "sh", victim, copy, Tool.path, sample.path])
        #expect(outcome.status == 4, "\(outcome.errorOutput)")
        #expect(!FileManager.default.fileExists(atPath: copy))
        let names = try? FileManager.default.contentsOfDirectory(atPath: victim)
        #expect(names == (leadsSomewhere ? [] : nil))
    }

    @Test(arguments: [["users", "orders"], []])
    func `are not made from another program's file`(tables: [String]) throws {
        let directory = TemporaryDirectory()
        let path = directory.path + "/foreign"
        if tables.isEmpty {
            // mdb_load's text: entries in no table.
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
            let text = "VERSION=3\nformat=print\ntype=btree\nmapsize=1048576\nHEADER=END\n a\n b\nDATA=END\n"
            guard let load = Tool.lmdb("mdb_load") else { return }
            #expect(try Tool.run(load, [path], input: bytes(text)).status == 0)
        } else {
            let environment = try Environment.open(path: path, options: EnvironmentOptions(tables: tables))
            try environment.close()
        }
        try Data().write(to: URL(fileURLWithPath: path + "/guard.lock"))
        let before = try Data(contentsOf: URL(fileURLWithPath: path + "/data.mdb"))
        for verb in ["stat", "verify", "dump", "compact"] {
            let outcome = try Tool.run(verb, path)
            #expect(outcome.status == 3, "\(verb): \(outcome.errorOutput)")
            #expect(outcome.errorOutput.contains("Larder store"), "\(verb): \(outcome.errorOutput)")
            #expect(!outcome.errorOutput.contains("damaged"), "\(verb): \(outcome.errorOutput)")
        }
        #expect(try Data(contentsOf: URL(fileURLWithPath: path + "/data.mdb")) == before)
    }
}
