// Proves that what a killed load, compact or dump left beside its target is removed by the next one, and nothing else.

import Foundation
import Testing

@Suite struct `What a killed verb left beside its target` {
    @Test func `is removed by the next load, copy and dump of that name`() async throws {
        let sample = try await SampleStore()
        let (dump, copy) = (sample.sibling("dump.jsonl"), sample.sibling("copy"))
        let ended = try endedProcess()
        try Data("half".utf8).write(to: URL(fileURLWithPath: "\(dump).new-\(ended)"))
        #expect(try Tool.run("dump", sample.path, "--output", dump).status == 0)
        #expect(sample.directory.names == ["dump.jsonl", "store"])
        for arguments in [["load", dump, copy], ["compact", sample.path, "--output", copy + "2/"]] {
            let target = try #require(arguments.last).trimmingCharacters(in: ["/"])
            let aside = "/\(target).new-\(ended)"
            try FileManager.default.copyItem(atPath: sample.path, toPath: aside)
            let inner = aside + "/.larder-new-1"
            try FileManager.default.createDirectory(atPath: inner, withIntermediateDirectories: false)
            #expect(try Tool.run(Tool.path, arguments).status == 0)
        }
        #expect(sample.directory.names == ["copy", "copy2", "dump.jsonl", "store"])
    }

    @Test func `stays while a process may still use it, or where the name is another one's`() async throws {
        let sample = try await SampleStore()
        let (dump, copy) = (sample.sibling("dump.jsonl"), sample.sibling("copy"))
        #expect(try Tool.run("dump", sample.path, "--output", dump).status == 0)
        let ended = try endedProcess()
        let names =
            ["\(getpid())", "", "x\(ended)", "0", "-1"].map { "copy.new-" + $0 } + ["copier.new-\(ended)"]
        for name in names {
            try FileManager.default.createDirectory(atPath: sample.sibling(name), withIntermediateDirectories: false)
        }
        let link = sample.sibling("copy.new-\(ended)")
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: sample.path)
        // A process of another container has no number here, and holds the lock of the store that it fills.
        let other = try endedProcess()
        let held = sample.sibling("copy.new-\(other)")
        try FileManager.default.copyItem(atPath: sample.path, toPath: held)
        let lock = unsafe open(held + "/guard.lock", O_RDWR)
        #expect(flock(lock, LOCK_SH) == 0)
        #expect(try Tool.run("load", dump, copy).status == 0)
        close(lock)
        let kept = names + ["copy.new-\(ended)", "copy.new-\(other)", "copy", "dump.jsonl", "store"]
        #expect(Set(sample.directory.names) == Set(kept))
        #expect(try Tool.run("verify", sample.path).status == 0)
    }

    /// The number of a process that has ended.
    private func endedProcess() throws -> Int32 {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/true")
        try process.run()
        process.waitUntilExit()
        return process.processIdentifier
    }
}
