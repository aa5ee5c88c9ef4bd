// Proves that the reading verbs print a store's content, redact it when requested, and report damage.

import Foundation
import LarderFormat
import LarderStore
import Testing

@Suite struct `Inspecting a store` {
    @Test func `stat counts everything, in text and in JSON`() async throws {
        let sample = try await SampleStore()
        let text = try Tool.run("stat", sample.path)
        #expect(text.status == 0)
        #expect(text.lines.contains("rows          303"))
        #expect(text.lines.contains("resources     1 ready, 0 hidden, 0 evicted, 1 empty"))
        let json = try Tool.run("stat", sample.path, "--json", "--redact")
        let object = try #require(try json.objects().first)
        #expect(json.lines.count == 1)
        #expect(object["rows"] as? Int == 303)
        #expect((object["outbox"] as? [String: Any])?["entries"] as? Int == 2)
        #expect((object["tables"] as? [String: Any])?.count == TableName.allCases.count)
    }

    @Test func `resources lists each with its state`() async throws {
        let sample = try await SampleStore()
        let outcome = try Tool.run("resources", sample.path)
        #expect(outcome.status == 0)
        #expect(outcome.lines.count == 2)
        #expect(outcome.lines[0].hasPrefix("tafsirs/3\tempty\t0\t0\t12\t-"))
        #expect(outcome.lines[1].hasPrefix("translations/19\tready\t303\t"))
        #expect(outcome.lines[1].hasSuffix("\t4711\t2026-01-01T00:00:05.123Z"))
        let json = try Tool.run("resources", sample.path, "--group", "translations", "--json").objects()
        #expect(json.count == 1)
        #expect(json[0]["complete"] as? Bool == true)
        #expect(json[0]["snapshotPath"] as? String == "/api/v4/snapshots/translations/19")
    }

    @Test func `get prints the payload byte for byte`() async throws {
        let sample = try await SampleStore()
        let text = try Tool.run("get", sample.path, "translations/19", "translation", "7")
        #expect(text.status == 0)
        #expect(text.text == "{\"verse\":7}")
        let large = try Tool.run("get", sample.path, "translations/19", "raw", "big")
        #expect(large.output == [UInt8](repeating: 7, count: 20_000))
        let json = try Tool.run("get", sample.path, "translations/19", "raw", "big", "--json").objects()
        #expect(json[0]["size"] as? Int == 20_000)
        #expect(json[0]["payload"] as? String == String(repeating: "\u{7}", count: 20_000))
        #expect(json[0]["codec"] as? Int == 0)
    }

    @Test(arguments: [
        (["translations/19", "translation", "9999"], "no such row"),
        (["translations/20", "translation", "1"], "no resource"),
        (["tafsirs/3", "translation", "1"], "is empty"),
    ])
    func `get explains a missing row, with status 1`(arguments: [String], reason: String) async throws {
        let sample = try await SampleStore()
        let outcome = try Tool.run(Tool.path, ["get", sample.path] + arguments)
        #expect(outcome.status == 1)
        #expect(outcome.output.isEmpty)
        #expect(outcome.errorOutput.contains(reason))
    }

    @Test func `list orders numbers as numbers and takes ranges from both ends`() async throws {
        let sample = try await SampleStore()
        func keys(_ options: String...) throws -> [String] {
            let outcome = try Tool.run(
                Tool.path, ["list", sample.path, "translations/19"] + options)
            #expect(outcome.status == 0)
            return outcome.lines.map { $0.split(separator: "\t", omittingEmptySubsequences: false)[1] }.map(String.init)
        }
        #expect(try keys("--type", "translation", "--from", "8", "--up-to", "11") == ["8", "9", "10"])
        #expect(try keys("--type", "translation", "--up-to", "3") == ["1", "2"])
        #expect(try keys("--type", "translation", "--limit", "2", "--reverse") == ["300", "299"])
        #expect(try keys("--type", "raw", "--prefix", "b") == ["big"])
        #expect(try keys("--limit", "1") == ["\"intro\\ttab\""])
        #expect(try keys().count == 303)
        let missing = try Tool.run("list", sample.path, "translations/20")
        #expect(missing.status == 1)
    }

    @Test func `tokens and outbox list show pending work`() async throws {
        let sample = try await SampleStore()
        let tokens = try Tool.run("tokens", sample.path)
        #expect(tokens.lines == ["translations:19\tc2VjcmV0\t-\t1\tup to date"])
        let entries = try Tool.run("outbox", "list", sample.path, "--json").objects()
        #expect(entries.map { $0["lane"] as? String } == ["bookmarks", "notes"])
        #expect(entries[0]["payload"] as? String == "{\"note\":\"hush\"}")
        #expect(entries[1]["base64"] as? String == "/wA=")
        #expect(try Tool.run("outbox", "list", sample.path, "--lane", "notes").lines.count == 1)
    }

    @Test func `responses and collections list what fetches have stored`() async throws {
        let sample = try await SampleStore()
        let responses = try Tool.run("responses", sample.path)
        #expect(responses.lines.count == 1)
        #expect(responses.lines[0].hasPrefix("https://hush.test/\tGET\t200\t40000\t"))
        #expect(responses.lines[0].hasSuffix("\t-"))
        let response = try #require(try Tool.run("responses", sample.path, "--json").objects().first)
        #expect(response["tags"] as? [String] == ["hush", "secret"])
        #expect(response["partEnd"] as? Int == 40_000)
        #expect(try Tool.run("responses", sample.path, "--prefix", "https://other").lines.isEmpty)
        let collections = try Tool.run("collections", sample.path)
        #expect(
            collections.lines.first?.hasPrefix(
                "translation\t\"number < 8\"\ttranslations/19 translation 7 neighbours\ttranslations/19\t4\t") == true)
        let collection = try #require(
            try Tool.run("collections", sample.path, "--class", "translation", "--json").objects().first)
        #expect(collection["entityTag"] as? String == "\"1\"")
        #expect(try Tool.run("collections", sample.path, "--class", "other").lines.isEmpty)
    }

    @Test func `verify reports a sound store with OK`() async throws {
        let sample = try await SampleStore()
        let outcome = try Tool.run("verify", sample.path)
        #expect(outcome.text == "OK\n")
        #expect(outcome.status == 0)
        #expect(try Tool.run("verify", sample.path, "--json").objects()[0]["findings"] as? Int == 0)
    }

    @Test func `verify finds a changed byte, names the record, and ends with 2`() async throws {
        let sample = try await SampleStore()
        try sample.damage(row: "7")
        let outcome = try Tool.run("verify", sample.path)
        #expect(outcome.status == 2)
        #expect(outcome.lines.contains { $0.contains("rows checksum") && $0.contains("translation") })
        #expect(outcome.lines.last == "\(outcome.lines.count - 1) findings")
        let redacted = try Tool.run("verify", sample.path, "--redact", "--json")
        #expect(redacted.status == 2)
        #expect(!redacted.text.contains("translation"))
    }

    /// liblmdb would pass over rows, or end the process.
    @Test func `verify finds a damaged page, says what to do, and reads no records`() async throws {
        let sample = try await SampleStore()
        let file = URL(fileURLWithPath: sample.path + "/data.mdb")
        let content = try [UInt8](Data(contentsOf: file))
        // A commit may have left older copies of a page behind.
        let pages = stride(from: 8192, to: content.count, by: 4096).filter { page in
            content[page + 10] == 2 && content[page..<page + 4096].contains(Array("verse".utf8))
        }
        // In place, so that the record of the clean close is still about this file.
        let handle = try FileHandle(forUpdating: file)
        for page in pages {
            try handle.seek(toOffset: UInt64(page + 17))
            try handle.write(contentsOf: [0xFF])
        }
        try handle.close()
        for level in ["--quick", "--pages", "--records", "--meaning"] {
            let outcome = try Tool.run("verify", sample.path, level)
            #expect(outcome.status == 2)
            #expect(pages.contains { outcome.text.contains("page at page \($0 / 4096)") })
            #expect(outcome.text.contains("Restore"))
        }
        let object = try #require(try Tool.run("verify", sample.path, "--json").objects().first)
        #expect(
            pages.map { $0 / 4096 }.contains(object["page"] as? Int ?? 0) && object["remedy"] != nil
                && object["consequence"] != nil)
    }

    @Test func `a damaged row is refused by get and list, and the others are read`() async throws {
        let sample = try await SampleStore()
        try sample.damage(row: "7")
        let damaged = try Tool.run("get", sample.path, "translations/19", "translation", "7")
        #expect(damaged.status == 2)
        #expect(damaged.output.isEmpty)
        #expect(damaged.errorOutput.contains("damaged"))
        #expect(try Tool.run("get", sample.path, "translations/19", "translation", "8").status == 0)
        #expect(try Tool.run("list", sample.path, "translations/19").status == 2)
    }
}

@Suite struct `Every verb` {
    static let readers = [
        ["stat"], ["resources"], ["responses"], ["collections"], ["filters"], ["tokens"], ["outbox", "list"],
        ["journal"], ["doctor"], ["verify"], ["dump"],
        ["list", "STORE", "translations/19"],
        ["get", "STORE", "translations/19", "translation", "7"],
    ]

    static func arguments(_ verb: [String], _ path: String) -> [String] {
        verb.contains("STORE") ? verb.map { $0 == "STORE" ? path : $0 } : verb + [path]
    }

    @Test(arguments: readers)
    func `reads beside a live writer and sees the last commit`(verb: [String]) async throws {
        let sample = try await SampleStore()
        let store = try sample.open()
        try await store.write { transaction in
            try transaction.put(
                bytes("{\"verse\":\"new\"}"), at: RowKey(resource: SampleStore.verses, type: "translation", key: "7"),
                updatedAt: 9)
        }
        let outcome = try Tool.run(
            Tool.path, Self.arguments(verb, sample.path) + ["--json"])
        #expect(outcome.status == 0, "\(outcome.errorOutput)")
        #expect(!outcome.output.isEmpty)
        if verb[0] == "get" { #expect(outcome.text.contains("new")) }
        try await store.write { transaction in
            try transaction.update(ResourceKey("tafsirs", 3)) { $0.appliedSequence = 13 }
        }
        try store.close()
    }

    @Test(arguments: readers)
    func `leaves out content, keys and addresses when redacting`(verb: [String]) async throws {
        let sample = try await SampleStore()
        for format in [[], ["--json"]] {
            let outcome = try Tool.run(
                Tool.path,
                Self.arguments(verb, sample.path) + ["--redact"] + format)
            #expect(outcome.status == 0)
            for secret in [
                "translations", "tafsirs", "hush", "secret", "c2Vj", "notes", "intro", "/api/", "verse", "neighbours",
                "number < 8", "9999199991",
            ] {
                #expect(!outcome.text.contains(secret), "\(secret)")
            }
        }
    }

    @Test(arguments: readers)
    func `reports what is wrong with the path, with status 4`(verb: [String]) async throws {
        let directory = TemporaryDirectory()
        let path = directory.path + "/nothing"
        let outcome = try Tool.run(Tool.path, Self.arguments(verb, path))
        #expect(outcome.status == 4)
        #expect(outcome.errorOutput.contains(path))
        #expect(directory.names.isEmpty)
    }

    @Test(arguments: readers)
    func `ends with 3 on a file that is no store`(verb: [String]) async throws {
        let directory = TemporaryDirectory()
        for name in ["data.mdb", "guard.lock"] {
            try Data(repeating: 0x5A, count: 8192).write(to: URL(fileURLWithPath: directory.path + "/" + name))
        }
        let outcome = try Tool.run(
            Tool.path, Self.arguments(verb, directory.path))
        #expect(outcome.status == 3, "\(outcome.errorOutput)")
    }

    @Test(arguments: [
        ["nonsense"], ["get"], ["get", "x", "translations", "type", "key"],
        ["list", "x", "translations/19", "--from", "1"],
        ["list", "x", "a/1", "--type", "t", "--prefix", "p", "--from", "1"], ["list", "x", "a/1", "--limit", "-1"],
        ["dump", "x", "--lmdb", "--json"], ["stat"], ["load", "only-one"], ["diff", "one"], ["stat", "x", "--no-such"],
    ])
    func `ends wrong usage with 64 and prints no data`(arguments: [String]) throws {
        let outcome = try Tool.run(Tool.path, arguments)
        #expect(outcome.status == 64)
        #expect(outcome.output.isEmpty)
        #expect(outcome.errorOutput.contains("Usage:"))
    }
}
