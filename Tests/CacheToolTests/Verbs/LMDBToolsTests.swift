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
        try FileManager.default.createDirectory(atPath: sample.aside("copy"), withIntermediateDirectories: true)
        #expect(try Tool.run(copy, ["-c", sample.path, sample.aside("copy")]).status == 0)
        let bare = try Tool.run("stat", sample.aside("copy"))
        #expect(bare.status == 4)
        #expect(bare.talk.contains("guard.lock"))
        try Data().write(to: URL(fileURLWithPath: sample.aside("copy") + "/guard.lock"))
        #expect(try Tool.run("diff", sample.path, sample.aside("copy")).text == "equal\n")
    }

    @Test(.enabled(if: Tool.hasLMDBTools, "lmdb-utils is not installed"))
    func `dump what we dump`() async throws {
        let dump = try #require(Tool.lmdb("mdb_dump"))
        let sample = try await SampleStore()
        let ours = try Tool.run("dump", sample.path, "--lmdb")
        #expect(ours.status == 0)
        #expect(ours.text == (try Tool.run(dump, ["-a", sample.path]).text))
    }

    @Test(.enabled(if: Tool.hasLMDBTools, "lmdb-utils is not installed"))
    func `load what we dump, and we load what they dump`() async throws {
        let dump = try #require(Tool.lmdb("mdb_dump"))
        let load = try #require(Tool.lmdb("mdb_load"))
        let sample = try await SampleStore()
        let (file, copy) = (sample.aside("dump.txt"), sample.aside("copy"))
        #expect(try Tool.run("dump", sample.path, "--lmdb", "--output", file).status == 0)
        try FileManager.default.createDirectory(atPath: copy, withIntermediateDirectories: true)
        #expect(try Tool.run(load, ["-f", file, copy]).status == 0)
        let theirs = try Tool.run(dump, ["-a", copy])
        #expect(theirs.text == (try Tool.run("dump", sample.path, "--lmdb").text))
        let back = try Tool.run("load", "--lmdb", "-", sample.aside("back"), input: theirs.output)
        #expect(back.status == 0, "\(back.talk)")
        #expect(try Tool.run("dump", sample.aside("back")).output == Tool.run("dump", sample.path).output)
    }

    @Test func `that cut a dump off are noticed`() async throws {
        let sample = try await SampleStore()
        let lines = try Tool.run("dump", sample.path, "--lmdb").lines
        for count in [1, 5, 8, 10, lines.count - 1] {
            let input = bytes(lines.prefix(count).map { $0 + "\n" }.joined())
            let outcome = try Tool.run("load", "--lmdb", "-", sample.aside("copy"), input: input)
            #expect(outcome.status == 2, "\(count): \(outcome.talk)")
            #expect(sample.directory.names == ["store"])
        }
    }
}
