// Proves that diff, evict, pin and compact change only what they should.

import Foundation
import LarderFormat
import LarderStore
import Testing

@Suite struct `Comparing stores` {
    @Test func `lists the rows that only one has or that differ, with status 1`() async throws {
        let sample = try await SampleStore()
        let copy = sample.sibling("copy")
        #expect(try Tool.run("compact", sample.path, "--output", copy).status == 0)
        let store = try Store.open(at: copy, host: .test)
        try await store.write { transaction in
            func key(_ key: String) -> RowKey { RowKey(resource: SampleStore.verses, type: "translation", key: key) }
            try transaction.removeRow(at: key("3"))
            try transaction.put(bytes("{}"), at: key("9999"), updatedAt: 1)
            try transaction.put(bytes("{}"), at: key("7"), updatedAt: 1_000)
            try transaction.update(ResourceKey("tafsirs", 3)) { $0.appliedSequence = 13 }
            try transaction.update(ResourceKey("tafsirs", 4)) { $0.appliedSequence = 1 }
            try transaction.updateFilter("translations:19") { $0.token = "other" }
            try transaction.removeEntry(UUIDBytes(high: 1, low: 2), outcome: "accepted", at: 1)
        }
        try store.close()
        let outcome = try Tool.run("diff", sample.path, copy)
        #expect(outcome.status == 1)
        #expect(
            outcome.lines == [
                "~ resource tafsirs/3: appliedSequence", "+ resource tafsirs/4", "- row translations/19 translation 3",
                "~ row translations/19 translation 7: payload", "+ row translations/19 translation 9999",
                "~ filter translations:19: token", "- entry bookmarks 00000000-0000-0001-0000-000000000002",
                "7 differences",
            ])
        let json = try Tool.run("diff", copy, sample.path, "--json").objects()
        #expect(json.last?["differences"] as? Int == 7)
        #expect(json.filter { $0["side"] as? String == "both" }.count == 3)
        let redacted = try Tool.run("diff", sample.path, copy, "--redact")
        #expect(redacted.status == 1)
        #expect(!redacted.text.contains("trans"))
    }

    @Test func `finds a store equal to itself`() async throws {
        let sample = try await SampleStore()
        let outcome = try Tool.run("diff", sample.path, sample.path)
        #expect(outcome.text == "equal\n", "\(outcome.errorOutput)")
    }
}

@Suite struct `Evicting and pinning` {
    @Test func `evict drops rows and responses, and leaves what has no rows`() async throws {
        let sample = try await SampleStore()
        let outcome = try Tool.run(
            "evict", sample.path, "translations/19", "tafsirs/3", "--responses", "https://hush.test")
        #expect(outcome.status == 1)
        #expect(
            outcome.lines == ["translations/19\tevicted", "tafsirs/3\tleft\tit has no rows", "1 responses removed"])
        let resources = try Tool.run("resources", sample.path, "--json").objects()
        #expect(resources.map { $0["state"] as? String } == ["empty", "evicted"])
        #expect(try Tool.run("responses", sample.path).lines.isEmpty)
        #expect(try Tool.run("verify", sample.path).status == 0)
    }

    @Test func `pin protects a resource from eviction, and can be undone`() async throws {
        let sample = try await SampleStore()
        #expect(try Tool.run("pin", sample.path, "translations/19", "ahead/1").status == 0)
        #expect(try pinned(sample) == ["ahead/1", "translations/19"])
        #expect(try Tool.run("pin", sample.path, "translations/19", "--off").lines == ["translations/19\tnot pinned"])
        #expect(try pinned(sample) == ["ahead/1"])
    }

    private func pinned(_ sample: SampleStore) throws -> [String] {
        try Tool.run("resources", sample.path, "--json").objects().filter { $0["pinned"] as? Bool == true }.map {
            "\($0["group"] ?? "")/\($0["id"] ?? "")"
        }
    }
}

@Suite struct `Compacting` {
    @Test func `makes the file smaller and keeps everything`() async throws {
        let sample = try await SampleStore()
        let store = try sample.open()
        try await store.write { transaction in
            try transaction.withdraw(SampleStore.verses, at: ServerPosition(0, 5000), as: .hidden)
        }
        try await store.reclaim()
        try store.close()
        let before = try Tool.run("dump", sample.path).output
        let outcome = try Tool.run("compact", sample.path, "--json")
        let sizes = try #require(try outcome.objects().first)
        #expect(outcome.status == 0)
        #expect(try #require(sizes["bytesAfter"] as? Int) < #require(sizes["bytesBefore"] as? Int))
        #expect(try Tool.run("dump", sample.path).output == before)
    }

    @Test func `refuses while another process has the store open, and copies instead`() async throws {
        let sample = try await SampleStore()
        let store = try sample.open()
        let outcome = try Tool.run("compact", sample.path)
        #expect(outcome.status == 3)
        #expect(outcome.errorOutput.contains("Other openers"))
        #expect(try Tool.run("compact", sample.path, "--output", sample.sibling("copy")).status == 0)
        #expect(try Tool.run("verify", sample.sibling("copy")).text == "OK\n")
        try store.close()
    }

    @Test func `refuses a damaged store and leaves it alone`() async throws {
        let sample = try await SampleStore()
        try sample.damage(row: "7")
        let before = try Data(contentsOf: URL(fileURLWithPath: sample.path + "/data.mdb"))
        #expect(try Tool.run("compact", sample.path).status == 2)
        #expect(try Data(contentsOf: URL(fileURLWithPath: sample.path + "/data.mdb")) == before)
        #expect(try Tool.run("get", sample.path, "translations/19", "translation", "8").status == 0)
    }

    @Test func `is interrupted while it waits for a lock`() async throws {
        let sample = try await SampleStore()
        let holder = unsafe open(sample.path, O_RDONLY | O_DIRECTORY)
        defer { close(holder) }
        #expect(flock(holder, LOCK_EX) == 0)
        // Long enough for the tool to begin to wait; were it not, the outcome would be the same.
        #expect(try Tool.interrupt(["compact", sample.path]) { usleep(1_000_000) } == 5)
    }

    @Test func `waits for a lock that another program holds for seconds, and not for a minute`() async throws {
        let sample = try await SampleStore()
        let holder = unsafe open(sample.path, O_RDONLY | O_DIRECTORY)
        defer { close(holder) }
        #expect(flock(holder, LOCK_EX) == 0)
        let outcome = try Tool.run("compact", sample.path)
        #expect(outcome.status == 3)
        #expect((5...9).contains { outcome.errorOutput.contains("for \($0) s") }, "\(outcome.errorOutput)")
    }
}
