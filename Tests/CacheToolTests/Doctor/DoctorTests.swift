// Proves that `cachetool doctor` says what is wrong with real stores, healthy, failing and damaged, and changes nothing.

import Foundation
import LarderFormat
import LarderStore
import Testing

@Suite struct `A doctor` {
    /// A store whose one filter was synced just now, and which `change` has changed.
    private struct Sample {
        let directory = TemporaryDirectory()
        var path: String { directory.path + "/store" }

        init(_ change: @Sendable @escaping (inout Transaction) throws -> Void = { _ in }) async throws {
            let store = try Store.open(at: path, host: .test)
            try await Self.fill(store)
            try await store.write { try change(&$0) }
            try store.close()
        }

        static let resource = ResourceKey("verses", 7)

        static func fill(_ store: Store) async throws {
            let now = Int64(Date.now.timeIntervalSince1970 * 1000)
            let staging = try await store.beginStaging(resource)
            var batch = RowBatch(for: staging)
            try batch.append(bytes("{\"line\":7}").rawSpan, type: "line", key: "7", updatedAt: 1)
            try await store.stage(batch, in: staging)
            try await store.swap(staging) { transaction, record in
                record.syncedAt = now
                let number = try transaction.updateFilter("verses:*") {
                    ($0.token, $0.tokenUpdatedAt, $0.lastUntilSequence) = ("A", now, 4)
                }
                try transaction.putMember(ofFilter: number, resource, MemberRecord(listedInRun: 1))
                try transaction.bindServer("https://api.example.org/content", to: .sync)
            }
            try await store.reclaim()
        }
    }

    private static func draft(_ number: UInt64) -> OutboxDraft {
        OutboxDraft(
            id: UUIDBytes(high: 5, low: number), lane: "lane \(number)",
            createdAt: Int64(Date.now.timeIntervalSince1970 * 1000), mutationType: "note.create", method: "POST",
            endpoint: "/hush", payload: bytes("{\"note\":\"hush \(number)\"}"))
    }

    @Test func `finds nothing in a healthy store, alone and beside a writer, and says what it looked at`() async throws
    {
        let sample = try await Sample()
        for options in [[], ["--verify"]] {
            let outcome = try Tool.run(Tool.path, ["doctor", sample.path] + options)
            #expect(outcome.status == 0 && outcome.errorOutput.isEmpty, "\(outcome.text) \(outcome.errorOutput)")
            #expect(outcome.lines.count == 1 && outcome.text.hasPrefix("OK, nothing found. Looked at: damage, "))
            #expect(outcome.text.contains("--verify") == options.isEmpty)
        }
        let store = try Store.open(at: sample.path, host: .test)
        let beside = try Tool.run("doctor", sample.path, "--json")
        #expect(beside.status == 0)
        let object = try #require(try beside.objects().first)
        #expect(object["broken"] as? Int == 0 && object["attention"] as? Int == 0 && object["note"] as? Int == 0)
        #expect((object["checks"] as? [String])?.contains("damage") == true)
        #expect((object["unread"] as? [String])?.isEmpty == true)
        try store.close()
    }

    @Test func `reports failed and rejected writes with status 1, and what to do`() async throws {
        let sample = try await Sample { transaction in
            for number in UInt64(1)...2 { try transaction.enqueue(Self.draft(number)) }
            var delivery = OutboxDelivery()
            delivery.state = .failed
            delivery.lastError = "no response (504)"
            _ = try transaction.updateDelivery(of: Self.draft(1).id, from: OutboxDelivery(), to: delivery)
            delivery.state = .pending
            try transaction.rejectEntry(Self.draft(2).id, delivery, detail: "hush", at: 1)
        }
        let outcome = try Tool.run("doctor", sample.path)
        #expect(outcome.status == 1)
        #expect(outcome.lines.count == 7)
        #expect(
            outcome.lines[0]
                == "broken dead-letters: 1 write failed, the first \(Self.draft(1).id) (\"no response (504)\").")
        #expect(outcome.lines[1].hasPrefix("    kept: Content and local effects are kept"))
        #expect(outcome.lines[2].hasPrefix("    to do: Correct the cause, then run 'cachetool outbox retry STORE"))
        #expect(outcome.lines[3].hasPrefix("broken dead-letters: The server rejected 1 write"))
        #expect(outcome.lines[6].hasPrefix("2 broken, 0 attention, 0 note. Looked at: "))
        let redacted = try Tool.run("doctor", sample.path, "--json", "--redact")
        #expect(redacted.status == 1 && !redacted.text.contains("504") && !redacted.text.contains("hush"))
        let objects = try redacted.objects()
        #expect(objects.count == 3 && objects[2]["broken"] as? Int == 2)
        #expect(Set(objects[0].keys) == ["severity", "check", "found", "kept", "remedy"])
    }

    @Test func `reports failed snapshots above failed runs, with their errors`() async throws {
        let sample = try await Sample { transaction in
            try transaction.update(Sample.resource) { record in
                record.failure = SnapshotFailure(kind: .refused, count: 3, failedAt: 1, reason: "status 403")
            }
            try transaction.updateFilter("verses:*") { ($0.failures, $0.lastError) = (2, "incomplete") }
        }
        let objects = try Tool.run("doctor", sample.path, "--json").objects()
        #expect(objects.map { $0["check"] as? String } == ["snapshots", "failed-runs", nil])
        #expect(objects.map { $0["severity"] as? String } == ["broken", "attention", nil])
        let found = objects[0]["found"] as? String
        #expect(found == "The snapshot of verses/7 failed 3 times in a row: \"status 403\".")
        #expect((objects[1]["found"] as? String)?.contains("incomplete") == true)
    }

    @Test func `reports a server's wait, with status 0`() async throws {
        let now = Int64(Date.now.timeIntervalSince1970 * 1000)
        let sample = try await Sample {
            try $0.setServerWait(of: "https://api.example.org", milliseconds: 86_400_000, at: now)
        }
        let outcome = try Tool.run("doctor", sample.path)
        #expect(outcome.status == 0)
        #expect(outcome.lines[0].hasPrefix("attention server-wait: https://api.example.org requested a wait until "))
        #expect(try !Tool.run("doctor", sample.path, "--redact").text.contains("example"))
    }

    @Test func `reports damage of a row only with --verify, and leaves every byte as it is`() async throws {
        let sample = try await Sample()
        try flip("{\"line\":7}", inStore: sample.path)
        let file = URL(fileURLWithPath: sample.path + "/data.mdb")
        let before = try Data(contentsOf: file)
        #expect(try Tool.run("doctor", sample.path).status == 0)
        let outcome = try Tool.run("doctor", sample.path, "--verify")
        #expect(outcome.status == 2)
        #expect(outcome.lines[0].hasPrefix("broken damage: Stored bytes are damaged: 1 finding of kind checksum"))
        #expect(outcome.lines[2].contains("cachetool salvage STORE --to NEW"))
        #expect(try Data(contentsOf: file) == before)
    }

    @Test func `reports damage of a row also beside a running app`() async throws {
        let sample = try await Sample()
        try flip("{\"line\":7}", inStore: sample.path)
        let store = try Store.open(at: sample.path, host: .test)
        let outcome = try Tool.run("doctor", sample.path, "--verify")
        #expect(outcome.status == 2)
        #expect(outcome.lines[0].hasPrefix("broken damage: Stored bytes are damaged: 1 finding of kind checksum"))
        try store.close()
    }

    @Test func `reads the other parts of a store with a damaged record`() async throws {
        let sample = try await SampleStore()
        // The detail of an outcome.
        try flip("fine", inStore: sample.path)
        let outcome = try Tool.run("doctor", sample.path)
        #expect(outcome.status == 2)
        #expect(outcome.lines[0].hasPrefix("broken records: A record that the part 'journal' needs is damaged"))
        #expect(outcome.lines.contains { $0.hasPrefix("attention old-writes: 2 writes") })
        #expect(outcome.lines.last?.contains("Could not be read: evictions, conflicts") == true)
    }

    @Test func `reports damaged writes by name`() async throws {
        let sample = try await Sample { try $0.enqueue(Self.draft(1)) }
        try flip("{\"note\":\"hush 1\"}", inStore: sample.path)
        let outcome = try Tool.run("doctor", sample.path)
        #expect(outcome.status == 2)
        #expect(outcome.lines[0] == "broken damaged-writes: 1 write with damaged records: \(Self.draft(1).id).")
    }

    /// liblmdb would pass over rows, or end the process.
    @Test func `reports a damaged page without opening the store, and a file that was cut off`() async throws {
        let sample = try await Sample()
        let file = URL(fileURLWithPath: sample.path + "/data.mdb")
        let content = try [UInt8](Data(contentsOf: file))
        let pages = stride(from: 8192, to: content.count, by: 4096).filter { page in
            content[page + 10] == 2 && content[page..<page + 4096].contains(bytes("line"))
        }
        #expect(!pages.isEmpty)
        // In place, so that the record of the clean close is still about this file.
        let handle = try FileHandle(forUpdating: file)
        for page in pages {
            try handle.seek(toOffset: UInt64(page + 17))
            try handle.write(contentsOf: [0xFF])
        }
        try handle.close()
        let outcome = try Tool.run("doctor", sample.path)
        #expect(outcome.status == 2)
        #expect(outcome.lines[0].contains("of kind page in the table"), "\(outcome.text)")
        #expect(outcome.lines.last?.contains("Could not be read: map") == true)
        #expect(!outcome.text.contains("broken open"))
        try Data(content.prefix(8192)).write(to: file)
        let cut = try Tool.run("doctor", sample.path)
        #expect(cut.status == 2, "\(cut.text)")
        #expect(cut.lines[0].hasPrefix("broken open: The store cannot be read: "))
    }

    @Test func `reports what killed processes left, while no process has the store open`() async throws {
        let sample = try await Sample()
        let inner = sample.path + "/.larder-new-1"
        try FileManager.default.createDirectory(atPath: inner, withIntermediateDirectories: false)
        // The greatest number of a process that no system gives.
        try Data().write(to: URL(fileURLWithPath: sample.path + ".new-\(Int32.max)"))
        try Data(count: 100).write(to: URL(fileURLWithPath: sample.path + "/damaged.mdb"))
        let outcome = try Tool.run("doctor", sample.path + "/")
        #expect(outcome.status == 0)
        let checks = outcome.lines.filter { !$0.hasPrefix(" ") }.dropLast()
        #expect(
            checks.map { $0.prefix { $0 != ":" } } == ["attention damaged-copy", "note leftovers", "note leftovers"])
        #expect(outcome.text.contains(": .larder-new-1.") && outcome.text.contains("store.new-\(Int32.max)"))
        #expect(FileManager.default.fileExists(atPath: inner))
    }

    @Test func `names a directory without guard.lock, and a cap that is used up`() async throws {
        let sample = try await Sample()
        let full = try Tool.run("doctor", sample.path, "--cap", "100")
        #expect(full.status == 0 && full.lines[0].hasPrefix("note cap: "))
        #expect(full.lines[0].hasSuffix("bytes are stored, and the cap is 100 bytes."))
        #expect(try Tool.run("doctor", sample.path, "--cap", "0").status == 64)
        try FileManager.default.removeItem(atPath: sample.path + "/guard.lock")
        let outcome = try Tool.run("doctor", sample.path)
        #expect(outcome.status == 4)
        #expect(outcome.lines[0].hasPrefix("broken guard: "))
        #expect(!FileManager.default.fileExists(atPath: sample.path + "/guard.lock"))
    }
}
