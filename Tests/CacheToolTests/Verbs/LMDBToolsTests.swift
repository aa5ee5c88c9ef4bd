// Proves that LMDB's own tools read, dump and load the store's files.

import Foundation
import Testing

@Suite struct `LMDB's own tools` {
    @Test(.enabled(if: Tool.hasLMDBTools, "lmdb-utils is not installed"))
    func `read our files`() async throws {
        let stat = try #require(Tool.lmdb("mdb_stat"))
        let copy = try #require(Tool.lmdb("mdb_copy"))
        let sample = try await SampleStore()
        let outcome = try Tool.run(stat, ["-a", sample.path])
        #expect(outcome.status == 0)
        for table in ["meta", "resources", "rows", "generations", "filters", "members", "outbox", "journal"] {
            #expect(outcome.text.contains("Status of \(table)\n"))
        }
        #expect(outcome.text.contains("Entries: 304\n"))
        try FileManager.default.createDirectory(atPath: sample.sibling("copy"), withIntermediateDirectories: true)
        #expect(try Tool.run(copy, ["-c", sample.path, sample.sibling("copy")]).status == 0)
        let bare = try Tool.run("stat", sample.sibling("copy"))
        #expect(bare.status == 4)
        #expect(bare.errorOutput.contains("guard.lock"))
        try Data().write(to: URL(fileURLWithPath: sample.sibling("copy") + "/guard.lock"))
        #expect(try Tool.run("diff", sample.path, sample.sibling("copy")).text == "equal\n")
    }

    @Test(.enabled(if: Tool.hasLMDBTools, "lmdb-utils is not installed"))
    func `produce the same dumps`() async throws {
        let dump = try #require(Tool.lmdb("mdb_dump"))
        let sample = try await SampleStore()
        let ours = try Tool.run("dump", sample.path, "--lmdb")
        #expect(ours.status == 0)
        #expect(ours.text == (try Tool.run(dump, ["-a", sample.path]).text))
    }

    @Test(.enabled(if: Tool.hasLMDBTools, "lmdb-utils is not installed"))
    func `load the store's dumps, and the store loads theirs`() async throws {
        let dump = try #require(Tool.lmdb("mdb_dump"))
        let load = try #require(Tool.lmdb("mdb_load"))
        let sample = try await SampleStore()
        let (file, copy) = (sample.sibling("dump.txt"), sample.sibling("copy"))
        #expect(try Tool.run("dump", sample.path, "--lmdb", "--output", file).status == 0)
        try FileManager.default.createDirectory(atPath: copy, withIntermediateDirectories: true)
        #expect(try Tool.run(load, ["-f", file, copy]).status == 0)
        let theirs = try Tool.run(dump, ["-a", copy])
        #expect(theirs.text == (try Tool.run("dump", sample.path, "--lmdb").text))
        let back = try Tool.run("load", "--lmdb", "-", sample.sibling("back"), input: theirs.output)
        #expect(back.status == 0, "\(back.errorOutput)")
        #expect(try Tool.run("dump", sample.sibling("back")).output == Tool.run("dump", sample.path).output)
    }

    @Test func `that truncate a dump are detected`() async throws {
        let sample = try await SampleStore()
        let lines = try Tool.run("dump", sample.path, "--lmdb").lines
        for count in [1, 5, 8, 10, lines.count - 1] {
            let input = bytes(lines.prefix(count).map { $0 + "\n" }.joined())
            let outcome = try Tool.run("load", "--lmdb", "-", sample.sibling("copy"), input: input)
            #expect(outcome.status == 2, "\(count): \(outcome.errorOutput)")
            #expect(sample.directory.names == ["store"])
        }
    }
}
