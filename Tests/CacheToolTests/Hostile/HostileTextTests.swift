// Proves that no control or format character of a store, a server or an argument reaches the terminal, whatever the verb.
import Foundation
import LarderFormat
import LarderServer
import LarderStore
import Testing

@Suite(.timeLimit(.minutes(5))) struct `Hostile text` {
    private static func runs(_ path: String) -> [[String]] {
        let name = "\(HostileSample.resource)"
        let id = HostileSample.id(1).description
        return [
            ["stat", path], ["resources", path], ["filters", path], ["tokens", path], ["journal", path],
            ["doctor", path], ["verify", path], ["list", path, name], ["outbox", "list", path],
            ["outbox", "show", path, id],
            ["get", path, name, Hostile.text, "no such"], ["get", path, "\(Hostile.text)/8", "t", "k"],
        ]
    }

    @Test func `of a store is escaped by every verb that reads`() async throws {
        let sample = try await HostileSample()
        let others = [
            ["dump", sample.path], ["outbox", "export", "--all", sample.path],
            ["get", sample.path, "\(HostileSample.resource)", Hostile.text, Hostile.text, "--json"],
        ]
        for format in [[], ["--json"], ["--redact"], ["--json", "--redact"]] {
            for arguments in Self.runs(sample.path) {
                let outcome = try Tool.run(Tool.path, arguments + format)
                Hostile.check(outcome, arguments, isJSON: format.contains("--json"))
                if format.contains("--json") { #expect(try outcome.objects().count == outcome.lines.count) }
            }
        }
        for arguments in others {
            let outcome = try Tool.run(Tool.path, arguments)
            #expect(outcome.status == 0, "\(outcome.errorOutput)")
            Hostile.check(outcome, arguments, isJSON: true)
            #expect(try outcome.objects().count == outcome.lines.count)
        }
    }

    @Test func `forges neither lines nor columns, and is whole in JSON`() async throws {
        let sample = try await HostileSample()
        func columns(_ arguments: String...) throws -> [Int] {
            try Tool.run(Tool.path, arguments).lines.map {
                $0.split(separator: "\t", omittingEmptySubsequences: false).count
            }
        }
        #expect(try columns("list", sample.path, "\(HostileSample.resource)") == [4, 4])
        #expect(try columns("outbox", "list", sample.path) == [13, 13, 13])
        #expect(try columns("journal", sample.path) == [8, 8])
        #expect(try columns("resources", sample.path) == [6])
        #expect(try columns("tokens", sample.path) == [5])
        #expect(try columns("filters", sample.path) == [13])
        let entry = try Tool.run("outbox", "show", sample.path, HostileSample.id(2).description, "--json").objects()[0]
        for name in ["mutationType", "method", "endpoint", "account", "entity", "payload"] {
            #expect(entry[name] as? String == Hostile.text, "\(name)")
        }
    }

    @Test func `of damaged records is escaped in findings, and dumps load back`() async throws {
        let sample = try await HostileSample()
        let copy = sample.directory.path + "/copy"
        let dump = try Tool.run("dump", sample.path)
        #expect(try Tool.run("load", "-", copy, input: dump.output).status == 0)
        #expect(try Tool.run("dump", copy).output == dump.output)
        let changed = try Store.open(at: copy, host: .test)
        try await changed.write { transaction in
            _ = try transaction.update(ResourceKey(Hostile.text, 9)) { $0.appliedSequence = 1 }
        }
        try changed.close()
        try sample.damage()
        let name = "\(HostileSample.resource)"
        for arguments in [
            ["verify", sample.path], ["get", sample.path, name, Hostile.text, Hostile.text], ["dump", sample.path],
            ["diff", copy, copy], ["diff", sample.path, copy],
        ] {
            Hostile.check(try Tool.run(Tool.path, arguments), arguments)
        }
        let findings = try Tool.run("verify", sample.path)
        #expect(findings.status == 2)
        #expect(findings.lines.last == "\(findings.lines.count - 1) findings")
    }

    @Test func `of the outbox is escaped by the verbs that write`() async throws {
        let sample = try await HostileSample()
        for arguments in [
            ["outbox", "retry", sample.path, HostileSample.id(1).description],
            ["outbox", "drop", sample.path, HostileSample.id(2).description],
            ["outbox", "drop", sample.path, HostileSample.id(2).description, "--yes"],
        ] {
            Hostile.check(try Tool.run(Tool.path, arguments), arguments)
        }
    }

    @Test(arguments: [
        [Hostile.text], ["get", Hostile.text], ["stat", Hostile.text], ["stat", "x", "--" + Hostile.text],
        ["list", "x", Hostile.text], ["list", "x", "a/1", "--limit", Hostile.text], ["load", Hostile.text, "x"],
        ["fetch", Hostile.text], ["fetch", "http://x", "--strategy", Hostile.text],
        ["fetch", "http://x", "--header", Hostile.text], ["sync", "x", "http://x", Hostile.text],
        ["sync", "x/" + Hostile.text, "http://x/" + Hostile.text, "a:*"],
        ["outbox", "show", Hostile.text, Hostile.text],
        ["dump", "x", "--output", Hostile.text], ["diff", Hostile.text, Hostile.text],
    ])
    func `of an argument is escaped in messages about it`(arguments: [String]) throws {
        let directory = TemporaryDirectory()
        let outcome = try Tool.run(Tool.path, arguments.map { $0.hasPrefix("x") ? directory.path + "/\($0)" : $0 })
        #expect(outcome.status != 0)
        #expect(!outcome.errorOutput.isEmpty)
        Hostile.check(outcome, arguments)
        #expect(!outcome.errorOutput.split(separator: "\n").contains { $0.hasPrefix("\t") })
    }

    @Test func `is escaped on a terminal where the exact bytes are printed otherwise`() async throws {
        let sample = try await HostileSample()
        let arguments = ["get", sample.path, "\(HostileSample.resource)", Hostile.text, Hostile.text]
        #expect(try Tool.run(Tool.path, arguments).output == bytes(Hostile.text))
        let watched = try WatchedTool(arguments, onTerminal: true)
        // A terminal ends lines with a carriage return, too.
        var line = try watched.line()
        if line.hasSuffix("\r") { line.removeLast() }
        #expect(line.hasPrefix("x\\u001b]0;t\\u0007\\u0008"))
        #expect(Hostile.found(in: Array(line.utf8), allowsTabs: true) == nil)
    }
}
