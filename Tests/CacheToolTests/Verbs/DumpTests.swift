// Proves that a dump loads back to the same bytes, and that an incomplete one is refused.

import Foundation
import LarderFormat
import LarderJSON
import LarderStore
import Testing

@Suite struct `A dump` {
    @Test func `loads back into a store whose dump is equal to the byte`() async throws {
        let sample = try await SampleStore()
        let (file, copy) = (sample.sibling("dump.jsonl"), sample.sibling("copy"))
        #expect(try Tool.run("dump", sample.path, "--output", file).status == 0)
        let loaded = try Tool.run("load", file, copy)
        #expect(loaded.status == 0, "\(loaded.errorOutput)")
        let first = try Data(contentsOf: URL(fileURLWithPath: file))
        #expect([UInt8](first) == (try Tool.run("dump", copy).output))
        #expect(try Tool.run("verify", copy).text == "OK\n")
        #expect(try Tool.run("diff", sample.path, copy).text == "equal\n")
        #expect(sample.directory.names == ["copy", "dump.jsonl", "store"])
    }

    @Test func `holds indexes and local writes, and brings them back`() async throws {
        let sample = try await SampleStore()
        let store = try sample.open()
        let verse: @Sendable (String) -> RowKey = { key in
            RowKey(resource: SampleStore.verses, type: "translation", key: key)
        }
        try await store.declareIndex(
            IndexDefinition(
                name: "verse", group: SampleStore.verses.group, type: "translation", path: JSONPath("$.verse")!))
        try await store.write { transaction in
            try transaction.applyOverlay(.replacement(bytes("{\"verse\":0}")), at: verse("7"), updatedAt: 1)
            try transaction.applyOverlay(.replacement([0, 255], codec: .opaque), at: verse("new"), updatedAt: 2)
            try transaction.applyOverlay(.removal, at: verse("8"), updatedAt: 3)
        }
        try store.close()
        let (file, copy) = (sample.sibling("dump.jsonl"), sample.sibling("copy"))
        #expect(try Tool.run("dump", sample.path, "--output", file).status == 0)
        let loaded = try Tool.run("load", file, copy)
        #expect(loaded.status == 0, "\(loaded.errorOutput)")
        let first = try Data(contentsOf: URL(fileURLWithPath: file))
        #expect([UInt8](first) == (try Tool.run("dump", copy).output))
        #expect(try Tool.run("verify", copy).text == "OK\n")
        let redacted = try Tool.run("dump", sample.path, "--redact")
        #expect(redacted.status == 0 && !redacted.text.contains("\"verse\""))
    }

    @Test func `is the same however the content was written`() async throws {
        let sample = try await SampleStore()
        let before = try Tool.run("dump", sample.path).output
        let store = try sample.open()
        for _ in 0..<3 {
            try await store.write { transaction in
                _ = try transaction.put(
                    bytes("{\"verse\":7}"), at: RowKey(resource: SampleStore.verses, type: "translation", key: "7"),
                    updatedAt: 1_000)
            }
        }
        try store.close()
        #expect(try Tool.run("dump", sample.path).output == before)
        #expect(try Tool.run("compact", sample.path).status == 0)
        #expect(try Tool.run("dump", sample.path).output == before)
    }

    @Test func `is JSON to any reader, with a header, every record in order, and a trailer`() async throws {
        let sample = try await SampleStore()
        let objects = try Tool.run("dump", sample.path).objects()
        #expect(objects.first?["larder"] as? String == "dump")
        #expect(objects.last?["end"] as? Bool == true)
        #expect(objects.last?["records"] as? Int == objects.count - 2)
        let numbers = objects.compactMap { object -> String? in
            guard let key = object["key"] as? [Any], key.count == 3, key[1] as? String == "translation" else {
                return nil
            }
            return key[2] as? String
        }
        #expect(numbers == (1...300).map(String.init))
    }

    @Test func `has the hash that its header names`() async throws {
        let sample = try await SampleStore()
        let lines = try Tool.run("dump", sample.path).lines
        var hash: UInt64 = 0
        for line in lines.dropLast() { hash = bytes(line + "\n").rawSpan.xxh64(seed: hash) }
        #expect(lines.last?.contains(String(hash, radix: 16)) == true)
    }

    @Test func `of a damaged store ends with 2, names the record, and leaves no file`() async throws {
        let sample = try await SampleStore()
        try sample.damage(row: "7")
        let outcome = try Tool.run("dump", sample.path, "--output", sample.sibling("dump.jsonl"))
        #expect(outcome.status == 2)
        #expect(outcome.errorOutput.contains("rows (1, \"translation\", #7)"))
        #expect(sample.directory.names == ["store"])
        #expect(try !Tool.run("dump", sample.path).text.contains("\"end\""))
    }

    @Test func `that is redacted cannot be loaded`() async throws {
        let sample = try await SampleStore()
        let dump = try Tool.run("dump", sample.path, "--redact")
        let outcome = try Tool.run("load", "-", sample.sibling("copy"), input: dump.output)
        #expect(outcome.status == 2)
        #expect(outcome.errorOutput.contains("redacted"))
    }
}

@Suite struct `Loading` {
    /// Every way in which a dump can be less than whole.
    static let damages: [(name: String, harm: @Sendable ([String]) -> [String])] = [
        ("no trailer", { Array($0.dropLast()) }), ("a record missing", { Array($0[..<20] + $0[21...]) }),
        ("a byte changed", { $0.map { $0.replacingOccurrences(of: "verse\\\":7}", with: "verse\\\":8}") } }),
        ("two records swapped", { Array($0[..<20] + [$0[21], $0[20]] + $0[22...]) }), ("nothing", { _ in [] }),
        ("something behind", { $0 + ["{}"] }), ("no JSON", { ["larder"] + $0.dropFirst() }),
        ("no header", { Array($0.dropFirst()) }),
        ("an unknown member", { $0.map { $0.replacingOccurrences(of: "\"pinned\"", with: "\"fixed\"") } }),
    ]

    @Test(arguments: damages.indices)
    func `refuses an incomplete dump and leaves nothing`(index: Int) async throws {
        let sample = try await SampleStore()
        let lines = Self.damages[index].harm(try Tool.run("dump", sample.path).lines)
        let input = bytes(lines.map { $0 + "\n" }.joined())
        let outcome = try Tool.run("load", "-", sample.sibling("copy"), input: input)
        #expect(outcome.status == 2, "\(Self.damages[index].name): \(outcome.errorOutput)")
        #expect(outcome.errorOutput.contains("Line "))
        #expect(sample.directory.names == ["store"])
    }

    @Test func `refuses an existing path and leaves it alone`() async throws {
        let sample = try await SampleStore()
        let dump = try Tool.run("dump", sample.path).output
        let outcome = try Tool.run("load", "-", sample.path, input: dump)
        #expect(outcome.status == 4)
        #expect(outcome.errorOutput.contains("already"))
        #expect(try Tool.run("dump", sample.path).output == dump)
    }

    @Test func `ends with 4 for a missing dump`() async throws {
        let directory = TemporaryDirectory()
        #expect(try Tool.run("load", directory.path + "/none", directory.path + "/copy").status == 4)
        #expect(directory.names.isEmpty)
    }
}
