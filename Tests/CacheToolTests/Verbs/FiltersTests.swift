// Proves that `cachetool filters` explains the status of each filter, and follows changes with --watch.

import Foundation
import LarderFormat
import LarderStore
import Testing

@Suite struct `The status of filters` {
    /// The sample, with a second filter that was rejected and fails.
    private func sample() async throws -> SampleStore {
        let sample = try await SampleStore()
        let store = try sample.open()
        try await store.write { transaction in
            try transaction.updateFilter("translations:19") {
                $0.tokenUpdatedAt = 1_700_000_000_000
                $0.lastUntilSequence = 4711
                $0.token = "c2VjcmV0LXRva2Vu"
            }
            let number = try transaction.updateFilter("tafsirs:*") {
                $0.run = 3
                $0.isBootstrapping = true
                $0.pagesDone = 2
                $0.lastRunAt = 1_767_225_600_000
                $0.nextRunAt = 1_767_225_660_000
                $0.failures = 2
                $0.lastError = "the server is unavailable (503)"
                $0.resyncs = 1
                $0.resyncedAt = 1_767_225_500_000
            }
            try transaction.putMember(ofFilter: number, ResourceKey("tafsirs", 3), MemberRecord(listedInRun: 3))
            try transaction.bindServer("https://api.example.org/content", to: .sync)
        }
        try store.close()
        return sample
    }

    @Test func `is a line for each, the token cut short`() async throws {
        let sample = try await sample()
        let outcome = try Tool.run("filters", sample.path)
        #expect(outcome.status == 0)
        let fields = outcome.lines.map { $0.split(separator: "\t").map(String.init) }
        #expect(fields.count == 2)
        #expect(fields[0][0..<5] == ["translations:19", "c2VjcmV0LXRv…", "complete, overdue", "1 of 1", "4711"])
        #expect(fields[0][5].hasSuffix(" days"))
        #expect(
            fields[0][6...] == [
                "up to date", "0", "-", "0", "-", "https://api.example.org/content",
                "Up to date as of 2023-11-14T22:13:20.000Z: requests changes as soon as an app syncs it online.",
            ])
        #expect(fields[1][0..<7] == ["tafsirs:*", "-", "incomplete", "0 of 1", "-", "-", "token rejected"])
        #expect(
            fields[1][7...] == [
                "2", "2026-01-01T00:01:00.000Z", "1", "\"the server is unavailable (503)\"",
                "https://api.example.org/content",
                "The last run failed (\"the server is unavailable (503)\"): tried again as soon as an app syncs it online.",
            ])
    }

    @Test(arguments: [["filters"], ["filters", "--json"], ["tokens"]])
    func `lists the others beside a damaged one, and names that`(verb: [String]) async throws {
        let sample = try await sample()
        try flip("c2VjcmV0LXRva2Vu", inStore: sample.path)
        let outcome = try Tool.run(Tool.path, [verb[0], sample.path] + verb.dropFirst())
        #expect(outcome.status == 2 && outcome.lines.count == 1 && outcome.text.contains("tafsirs:*"))
        #expect(outcome.errorOutput.contains("Left out, because a record is damaged: filter number 1. The next sync"))
    }

    @Test func `is found by the doctor as damage of one filter`() async throws {
        let sample = try await sample()
        try flip("c2VjcmV0LXRva2Vu", inStore: sample.path)
        let outcome = try Tool.run("doctor", sample.path)
        #expect(outcome.status == 2 && outcome.text.contains("A record of filter number 1 is damaged."))
        #expect(outcome.text.contains("The filter tafsirs:* failed 2 times in a row"))
    }

    /// 2100-01-01.
    private static let later: Int64 = 4_102_444_800_000

    /// The sample, with a filter in each state in which it does not move, and the sentence that says so.
    private func waiting() async throws -> (SampleStore, [String]) {
        let sample = try await SampleStore()
        let store = try sample.open()
        try await store.write { transaction in
            try transaction.beginTimeline()
            try transaction.updateFilter("a:*") { $0.resyncs = 0 }
            try transaction.updateFilter("b:*") {
                ($0.failures, $0.lastError, $0.nextRunAt) = (1, "timeout", Self.later)
            }
            for (filter, isHeld) in [("c:*", true), ("d:*", false)] {
                let number = try transaction.updateFilter(filter) {
                    ($0.isBootstrapping, $0.incompleteUntil) = (true, isHeld ? Self.later : nil)
                }
                try transaction.putMember(ofFilter: number, ResourceKey("c", 3), MemberRecord(listedInRun: 0))
            }
            try transaction.update(ResourceKey("c", 3)) { record in
                record.failure = SnapshotFailure()
                record.failure?.count = 1
                record.failure?.reason = "gone"
            }
            try transaction.updateFilter("e:*") { ($0.isBootstrapping, $0.resyncs) = (true, 1) }
            let number = try transaction.updateFilter("f:*") {
                ($0.token, $0.tokenUpdatedAt, $0.timeline) = ("A", 0, 1)
            }
            try transaction.putMember(ofFilter: number, ResourceKey("f", 3), MemberRecord(listedInRun: 0))
            try transaction.update(ResourceKey("f", 3)) { $0.state = .evicted }
            try transaction.updateFilter("translations:19") { $0.tokenUpdatedAt = 0 }
            try transaction.bindServer("https://api.example.org/content", to: .sync)
        }
        try store.close()
        let online = "as soon as an app syncs it online"
        return (
            sample,
            [
                "The server counts anew, as after a restored backup: all is fetched anew \(online).",
                "Never synced: begins \(online).",
                "The last run failed (timeout): tried again at 2100-01-01T00:00:00.000Z.",
                "All resources are stored except 1 resource (c/3: gone): fetched again at 2100-01-01T00:00:00.000Z.",
                "The first fetch is not finished, 1 resource to go: continues \(online).",
                "The server does not know the token any more: all is fetched anew \(online), and readable meanwhile.",
                "Space was needed, and 1 resource dropped: fetched again as soon as an app opens or pins it, online.",
            ]
        )
    }

    @Test func `says in one sentence why each is waiting, and what makes it continue`() async throws {
        let (sample, sentences) = try await waiting()
        let lines = try Tool.run("filters", sample.path).lines
        #expect(lines.map { $0.split(separator: "\t").last.map(String.init) } == sentences)
        let objects = try Tool.run("filters", sample.path, "--json").objects()
        #expect(objects.map { $0["why"] as? String } == sentences)
    }

    @Test func `says when a server's wait ends, and so does the outbox`() async throws {
        let (sample, _) = try await waiting()
        let store = try sample.open()
        // Without accounts, so that nothing else keeps its writes.
        let other = try Store.open(at: sample.sibling("other"), host: .test)
        let now = Int64(Date.now.timeIntervalSince1970 * 1000)
        for store in [store, other] {
            try await store.write { transaction in
                try transaction.bindServer("https://api.example.org/write", to: .outbox)
                try transaction.setServerWait(of: "https://api.example.org", milliseconds: 86_400_000, at: now)
                try transaction.enqueue(
                    OutboxDraft(
                        id: UUIDBytes(high: 9, low: 9), lane: "a", createdAt: 0, mutationType: "a", method: "POST",
                        endpoint: "/a", payload: []))
            }
            try store.close()
        }
        let objects = try Tool.run("filters", sample.path, "--json").objects()
        let sentence = "The server requested a wait: the next run begins at "
        #expect(objects.count == 7 && objects.allSatisfy { ($0["why"] as? String)?.hasPrefix(sentence) == true })
        let writes = try Tool.run("outbox", "list", sample.sibling("other"), "--json").objects()
        #expect(writes.map { ($0["why"] as? String)?.hasPrefix("Tried again at ") } == [true])
    }

    @Test func `is an object for each in JSON, with its members`() async throws {
        let sample = try await sample()
        let objects = try Tool.run("filters", sample.path, "--json").objects()
        #expect(objects.map { $0["complete"] as? Bool } == [true, false])
        #expect(objects.map { $0["overdue"] as? Bool } == [true, false])
        #expect(objects[0]["token"] as? String == "c2VjcmV0LXRva2Vu")
        #expect(objects[0]["asOfSequence"] as? Int == 4711)
        let stat = try Tool.run("stat", sample.path, "--json").objects()[0]["servers"] as? [String: Any]
        #expect(stat?["sync"] as? String == "https://api.example.org/content" && stat?["outbox"] is NSNull)
        let rejected = objects[1]
        #expect(rejected["server"] as? String == "https://api.example.org/content")
        #expect(rejected["resourcesToGo"] as? Int == 1 && rejected["rowsToGo"] is NSNull)
        #expect(rejected["failures"] as? Int == 2 && rejected["resyncs"] as? Int == 1)
        #expect(rejected["lastRunAt"] as? Int == 1_767_225_600_000)
        #expect(rejected["nextRunAt"] as? Int == 1_767_225_660_000)
        #expect(rejected["resyncedAt"] as? Int == 1_767_225_500_000)
        #expect(rejected["lastError"] as? String == "the server is unavailable (503)")
        #expect(rejected["run"] as? Int == 3 && rejected["pagesDone"] as? Int == 2)
        let member = try #require((rejected["members"] as? [[String: Any]])?.first)
        #expect(member["group"] as? String == "tafsirs" && member["complete"] as? Bool == false)
        #expect(member["state"] as? String == "empty" && member["finishedInRun"] as? Bool == false)
    }

    @Test func `leaves out the last error when redacting`() async throws {
        let sample = try await sample()
        for format in [[], ["--json"]] {
            let outcome = try Tool.run(Tool.path, ["filters", sample.path, "--redact"] + format)
            #expect(outcome.status == 0)
            #expect(!outcome.text.contains("unavailable") && !outcome.text.contains("tafsirs"))
            #expect(!outcome.text.contains("example.org"))
        }
    }

    @Test func `is written and loaded again with a dump`() async throws {
        let sample = try await sample()
        let dump = try Tool.run("dump", sample.path)
        #expect(try Tool.run("load", "-", sample.sibling("copy"), input: dump.output).status == 0)
        let again = try Tool.run("filters", sample.sibling("copy"), "--json")
        let first = try Tool.run("filters", sample.path, "--json")
        #expect(
            try again.objects().map { $0["lastError"] as? String } == first.objects().map { $0["lastError"] as? String }
        )
        #expect(try Tool.run("diff", sample.path, sample.sibling("copy")).status == 0)
    }
}

@Suite struct `Watching filters` {
    @Test func `names a damaged filter`() async throws {
        let sample = try await SampleStore()
        try flip("c2VjcmV0", inStore: sample.path)
        let watch = try WatchedTool(["filters", sample.path, "--watch"])
        #expect(try watch.line() == "filter number 1: a record is damaged; verify prints where")
        #expect(watch.interrupt() == 5)
    }

    @Test func `prints no name of a lane that is gone, where names are redacted`() async throws {
        let sample = try await SampleStore()
        let watch = try WatchedTool(["watch", sample.path, "--redact"])
        var lines: [String] = []
        while !lines.contains(where: { $0.hasPrefix("lane ") }) { lines.append(try watch.line()) }
        let store = try sample.open()
        try await store.clear(discardingUnsent: true)
        while !lines.contains(where: { $0.hasPrefix("lane ") && $0.hasSuffix(": removed") }) {
            lines.append(try watch.line())
        }
        #expect(!lines.contains { $0.contains("bookmarks") || $0.contains("lane notes") }, "\(lines)")
        #expect(watch.interrupt() == 5)
        try store.close()
    }

    @Test func `prints a line when one changes, and ends with 5 when interrupted`() async throws {
        let sample = try await SampleStore()
        let watch = try WatchedTool(["filters", sample.path, "--watch"])
        #expect(try watch.line() == "translations:19: incomplete, 1 of 1 resources; never synced")
        let store = try sample.open()
        try await store.write { transaction in
            try transaction.updateFilter("translations:19") {
                $0.tokenUpdatedAt = 1_767_225_605_123
                $0.lastUntilSequence = 4711
            }
        }
        let synced = "translations:19: complete, 1 of 1 resources; as of 4711, synced 2026-01-01T00:00:05.123Z"
        #expect(try watch.line() == synced)
        try await store.write { transaction in
            try transaction.updateFilter("translations:19") {
                $0.failures = 1
                $0.lastError = "no network"
                $0.nextRunAt = 1_767_225_660_000
            }
        }
        #expect(
            try watch.line() == synced + "; 1 failed run: \"no network\"; next run 2026-01-01T00:01:00.000Z")
        try await store.removeFilter("translations:19")
        #expect(try watch.line() == "translations:19: removed")
        #expect(watch.interrupt() == 5)
        try store.close()
    }

    @Test func `redraws its output on a terminal`() async throws {
        let sample = try await SampleStore()
        let watch = try WatchedTool(["filters", sample.path, "--watch"], onTerminal: true)
        let first = try watch.line()
        #expect(first.hasPrefix("\u{1B}[J\u{1B}[?7l") && first.contains("never synced"))
        let store = try sample.open()
        try await store.removeFilter("translations:19")
        let second = try watch.line()
        #expect(second == "\u{1B}[?7h\u{1B}[1A\r\u{1B}[J\u{1B}[?7lno filters\r")
        #expect(watch.interrupt() == 5)
        try store.close()
    }

    @Test func `is refused together with JSON`() throws {
        let outcome = try Tool.run("filters", "store", "--watch", "--json")
        #expect(outcome.status == 64 && outcome.output.isEmpty)
    }
}
