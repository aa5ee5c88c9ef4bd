// Proves that the outbox verbs list, export, retry and drop entries, and change nothing else.

import Foundation
import LarderFormat
import LarderStore
import Testing

/// A store whose outbox has an entry in every state that matters, and what came after one of them.
private struct OutboxSample {
    let directory = TemporaryDirectory()
    var path: String { directory.path + "/store" }

    static func id(_ number: UInt64) -> UUIDBytes { UUIDBytes(high: 2, low: number) }

    /// 1 failed, 2 rejected, 3 pending, 4 after 3, 5 waiting, 6 sending.
    init() async throws {
        let store = try Store.open(at: path, host: .test)
        try await store.write { transaction in
            for number in UInt64(1)...6 {
                var draft = OutboxDraft(
                    id: Self.id(number), lane: "lane \(number)", createdAt: 1_767_225_606_000,
                    mutationType: "note.create", method: "POST", endpoint: "/hush",
                    payload: bytes("{\"note\":\"hush \(number)\"}"))
                draft.account = "ada hush"
                draft.fields = [.init(name: "Content-Type", value: bytes("hush/json"))]
                if number == 4 { draft.after = [Self.id(3)] }
                let row = RowKey(resource: ResourceKey("hush", 1), type: "note", key: "\(number)")
                try transaction.enqueue(draft, effects: [RowEffect(.replacement(draft.payload), at: row)])
            }
            try Self.set(1, .failed, in: &transaction)
            var rejected = OutboxDelivery()
            rejected.lastStatus = 422
            rejected.lastError = "the server refused it (422)"
            rejected.tries = 1
            try transaction.rejectEntry(
                Self.id(2), rejected, detail: "the server refused it (422)", at: 1_767_225_607_000)
            try Self.set(5, .waiting, in: &transaction)
            try Self.set(6, .sending, in: &transaction)
        }
        try store.close()
    }

    private static func set(
        _ number: UInt64, _ state: OutboxDelivery.State, in transaction: inout Transaction
    ) throws {
        var delivery = OutboxDelivery()
        delivery.state = state
        delivery.tries = 5
        delivery.attempts = 5
        delivery.failures = 5
        if state == .waiting { delivery.dueAt = 1_767_225_609_000 }
        _ = try transaction.updateDelivery(of: id(number), from: OutboxDelivery(), to: delivery)
    }

    func read<Result>(_ body: (borrowing ReadView) throws -> Result) throws -> Result {
        let store = try Store.open(at: path, host: .test)
        defer { try? store.close() }
        return try store.read(body)
    }

    /// Changes one byte of what an entry sends.
    func damageBody(of number: UInt64) throws { try flip("{\"note\":\"hush \(number)\"}", inStore: path) }

    func findings() throws -> Int { try Int(Tool.run("verify", path, "--json").objects()[0]["findings"] as? Int ?? -1) }
}

@Suite struct `The outbox's verbs` {
    private func id(_ number: UInt64) -> String { OutboxSample.id(number).description }

    @Test func `list shows state, tries, due and last error, and dead letters by themselves`() async throws {
        let sample = try await OutboxSample()
        let lines = try Tool.run("outbox", "list", sample.path).lines
        #expect(lines.count == 6)
        #expect(lines[0].contains("\tfailed\t5\t-\t-\t"))
        #expect(lines[1].contains("\trejected\t1\t-\t\"the server refused it (422)\"\t"))
        #expect(lines[4].contains("\twaiting\t5\t2026-01-01T00:00:09.000Z\t-\t"))
        let dead = try Tool.run("outbox", "list", sample.path, "--failed", "--json").objects()
        #expect(dead.map { $0["state"] as? String } == ["failed", "rejected"])
        #expect(dead.map { $0["attempts"] as? Int } == [5, 0])
        #expect(dead[1]["lastStatus"] as? Int == 422)
    }

    @Test func `list says in a sentence why each is not accepted, and when it continues`() async throws {
        let sample = try await OutboxSample()
        func reasons() throws -> [String] {
            try Tool.run("outbox", "list", sample.path).lines.compactMap {
                $0.split(separator: "\t").last.map(String.init)
            }
        }
        let store = try Store.open(at: sample.path, host: .test)
        func signIn(_ state: StoredSession.State, _ account: String) async throws {
            let session = StoredSession(state: state, account: account, changedAt: 0, signedInAt: 0)
            try await store.write { try $0.putSession(session) }
        }
        #expect(try reasons()[2] == "Sent when \"ada hush\" signs in.")
        try await signIn(.signedIn, "ada hush")
        #expect(
            try reasons() == [
                "Failed; tried again when the network returns, or by 'outbox retry'.",
                "The server refused it: 'outbox retry' sends it again, 'outbox drop' removes it.",
                "Sent as soon as an app runs the outbox online.", "Sent when \(id(3)) is accepted.",
                "Due since 2026-01-01T00:00:09.000Z: sent as soon as an app runs the outbox online.",
                "Sent; without a response it is sent again, under the same key, by the next app that runs the outbox.",
            ])
        try await signIn(.expired, "ada hush")
        #expect(try reasons()[2] == "Sent after the next sign-in: the server does not accept the credentials any more.")
        try await signIn(.signedIn, "bob")
        #expect(try reasons()[2] == "Sent when \"ada hush\" signs in.")
        try store.close()
    }

    @Test func `list, export and retry skip a damaged write, report it, and end with 2`() async throws {
        let sample = try await OutboxSample()
        try sample.damageBody(of: 5)
        for arguments in [["list"], ["list", "--json"], ["export", "--all"]] {
            let outcome = try Tool.run(Tool.path, ["outbox", arguments[0], sample.path] + arguments.dropFirst())
            #expect(outcome.status == 2 && outcome.lines.count == 5, "\(arguments)")
            let message = "A damaged write was left out: verify prints where. To drop: \(id(5))."
            #expect(outcome.errorOutput.contains(message), "\(arguments)")
        }
        let retried = try Tool.run("outbox", "retry", sample.path, "--all-failed")
        #expect(retried.status == 0 && retried.lines == ["\(id(1))\tpending"])
        let dropped = try Tool.run("outbox", "drop", sample.path, id(5), "--yes")
        #expect(dropped.status == 0 && dropped.lines == ["\(id(5))\tdropped"])
        #expect(try Tool.run("outbox", "list", sample.path).status == 0)
        #expect(try Tool.run("verify", sample.path).status == 0)
    }

    @Test func `show prints one entry completely`() async throws {
        let sample = try await OutboxSample()
        let text = try Tool.run("outbox", "show", sample.path, id(4))
        #expect(text.status == 0)
        #expect(text.lines.contains("state\tpending"))
        #expect(text.lines.contains("createdAt\t2026-01-01T00:00:06.000Z"))
        #expect(text.lines.contains("after\t[\"\(id(3))\"]"))
        let json = try #require(try Tool.run("outbox", "show", sample.path, id(4), "--json").objects().first)
        #expect(json["account"] as? String == "ada hush")
        #expect(json["payload"] as? String == "{\"note\":\"hush 4\"}")
        #expect((json["rows"] as? [[String: Any]])?.first?["key"] as? String == "4")
        let redacted = try Tool.run("outbox", "show", sample.path, id(4), "--json", "--redact")
        #expect(!redacted.text.contains("hush"))
        let missing = try Tool.run("outbox", "show", sample.path, id(9))
        #expect(missing.status == 1 && missing.output.isEmpty)
    }

    @Test func `retry makes a failed entry pending and gives a rejected one a successor`() async throws {
        let sample = try await OutboxSample()
        let outcome = try Tool.run("outbox", "retry", sample.path, id(1), id(2), "--json")
        #expect(outcome.status == 0, "\(outcome.errorOutput)")
        let objects = try outcome.objects()
        #expect(objects.map { $0["entry"] as? String } == [id(1), id(2)])
        #expect(objects[0]["successor"] is NSNull)
        let successor = try #require((objects[1]["successor"] as? String).flatMap { UUIDBytes($0) })
        try sample.read { view in
            let failed = try #require(try view.outboxEntry(OutboxSample.id(1)))
            #expect(failed.delivery.state == .pending && failed.delivery.attempts == 0 && failed.delivery.tries == 5)
            #expect(try view.outboxEntry(OutboxSample.id(2)) == nil)
            let next = try #require(try view.outboxEntry(successor))
            #expect(next.draft.predecessor == OutboxSample.id(2) && next.delivery == OutboxDelivery())
            #expect(next.sequence == 2 && next.payload == bytes("{\"note\":\"hush 2\"}"))
        }
        #expect(try sample.findings() == 0)
    }

    @Test(
        arguments: [
            (nil, "ada hush", true), (.signedIn, "ada hush", true), (.expired, "ada hush", true),
            (.signedIn, "bob", false),
            (.signedOut, "ada hush", false),
        ] as [(StoredSession.State?, String, Bool)])
    func `retry shows a write only to its account`(
        state: StoredSession.State?, account: String, isShown: Bool
    ) async throws {
        let sample = try await OutboxSample()
        if let state {
            let store = try Store.open(at: sample.path, host: .test)
            let session = StoredSession(state: state, account: account, changedAt: 0, signedInAt: 0)
            try await store.write { try $0.putSession(session) }
            try store.close()
        }
        #expect(try Tool.run("outbox", "retry", sample.path, id(2)).status == 0)
        let row = RowKey(resource: ResourceKey("hush", 1), type: "note", key: "2")
        #expect(try sample.read { view in try view.payload(at: row) != nil } == isShown)
        #expect(try sample.findings() == 0)
    }

    @Test func `retry is atomic, and retries all failed entries when requested`() async throws {
        let sample = try await OutboxSample()
        let refused = try Tool.run("outbox", "retry", sample.path, id(1), id(5))
        #expect(refused.status == 1 && refused.output.isEmpty)
        #expect(refused.errorOutput.contains("waiting"))
        #expect(try sample.read { view in try view.outboxEntry(OutboxSample.id(1)) }?.delivery.state == .failed)
        #expect(try Tool.run("outbox", "retry", sample.path, "--all-failed").lines == ["\(id(1))\tpending"])
        #expect(try Tool.run("outbox", "retry", sample.path).status == 64)
        #expect(try Tool.run("outbox", "retry", sample.path, id(1), "--all-failed").status == 64)
    }

    @Test func `drop asks for confirmation`() async throws {
        let sample = try await OutboxSample()
        let outcome = try Tool.run("outbox", "drop", sample.path, id(3))
        #expect(outcome.status == 64)
        #expect(outcome.lines == ["\(id(3))\twould be dropped", "\(id(4))\twould be rejected"])
        #expect(outcome.errorOutput.contains("--yes"))
        #expect(try sample.read { view in try view.outboxEntries() }.count == 6)
    }

    @Test func `drop undoes the effect, rejects dependent entries, and journals both`() async throws {
        let sample = try await OutboxSample()
        let outcome = try Tool.run("outbox", "drop", sample.path, id(3), "--yes")
        #expect(outcome.status == 0, "\(outcome.errorOutput)")
        #expect(outcome.lines == ["\(id(3))\tdropped", "\(id(4))\trejected"])
        try sample.read { view in
            #expect(try view.outboxEntry(OutboxSample.id(3)) == nil)
            let follower = try #require(try view.outboxEntry(OutboxSample.id(4)))
            #expect(follower.delivery.state == .rejected)
            #expect(follower.delivery.lastError?.contains(id(3)) == true)
            for number in [3, 4] {
                let row = RowKey(resource: ResourceKey("hush", 1), type: "note", key: "\(number)")
                #expect(try view.payload(at: row) == nil)
            }
        }
        let journal = try Tool.run("journal", sample.path, "--json").objects()
        #expect(journal.map { $0["outcome"] as? String } == ["rejected", "dropped", "rejected"])
        #expect(journal[1]["entry"] as? String == id(3))
        #expect(try sample.findings() == 0)
    }

    @Test func `drop of a member of a batch dissolves the batch`() async throws {
        let sample = try await OutboxSample()
        let store = try Store.open(at: sample.path, host: .test)
        try await store.write { transaction in
            for number in UInt64(3)...5 {
                let entry = try #require(try transaction.outboxEntry(OutboxSample.id(number)))
                var delivery = entry.delivery
                (delivery.state, delivery.dueAt) = (.waiting, 9)
                (delivery.batch, delivery.isInDoubt) = (UUIDBytes(high: 5, low: 5), true)
                _ = try transaction.updateDelivery(of: entry.id, from: entry.delivery, to: delivery)
            }
        }
        try store.close()
        #expect(try Tool.run("outbox", "drop", sample.path, id(3), "--yes").status == 0)
        try sample.read { view in
            let left = try #require(try view.outboxDelivery(OutboxSample.id(5)))
            #expect(left.batch == nil && left.isUnbatched && left.isInDoubt && left.state == .waiting)
            #expect(try view.outboxDelivery(OutboxSample.id(4))?.state == .rejected)
        }
        #expect(try sample.findings() == 0)
    }

    @Test func `drop refuses an entry that is being sent`() async throws {
        let sample = try await OutboxSample()
        let outcome = try Tool.run("outbox", "drop", sample.path, id(1), id(6), "--yes")
        #expect(outcome.status == 1)
        #expect(outcome.errorOutput.contains("being sent"))
        #expect(try sample.read { view in try view.outboxEntries() }.count == 6)
    }

    @Test func `export prints dead letters with their payloads, or without`() async throws {
        let sample = try await OutboxSample()
        let dead = try Tool.run("outbox", "export", sample.path).objects()
        #expect(dead.map { $0["payload"] as? String } == ["{\"note\":\"hush 1\"}", "{\"note\":\"hush 2\"}"])
        #expect((dead[0]["fields"] as? [[String: Any]])?.first?["value"] as? String == "hush/json")
        #expect(try Tool.run("outbox", "export", sample.path, "--all").lines.count == 6)
        let redacted = try Tool.run("outbox", "export", sample.path, "--all", "--redact")
        #expect(!redacted.text.contains("hush") && !redacted.text.contains("payload"))
        #expect(try redacted.objects().count == 6)
    }

    @Test func `journal ends with the newest, of one kind and up to a limit`() async throws {
        let sample = try await SampleStore()
        let all = try Tool.run("journal", sample.path)
        #expect(all.status == 0)
        #expect(all.lines.last?.hasPrefix("1\t2026-01-01T00:00:07.000Z\toutcome\t") == true)
        #expect(all.lines.last?.hasSuffix("\tnotes\t1\taccepted\tfine") == true)
        #expect(try Tool.run("journal", sample.path, "--kind", "evicted").lines == [])
        #expect(try Tool.run("journal", sample.path, "--kind", "outcome", "--limit", "1").lines.count == 1)
        #expect(try Tool.run("journal", sample.path, "--limit", "0").lines == [])
        #expect(try Tool.run("journal", sample.path, "--limit", "-1").status == 64)
    }

    @Test func `journal lists the parts of a conflict, and prints its contents in JSON only`() async throws {
        let sample = try await OutboxSample()
        let store = try Store.open(at: sample.path, host: .test)
        try await store.write { transaction in
            var conflict = ResolvedConflict(
                time: 1_767_225_609_000, entryID: OutboxSample.id(1), status: 412, policy: "field-merge",
                resolution: "merged", lane: "lane 1", mutationType: "note.update", method: "PUT", endpoint: "/hush",
                createdAt: 1)
            conflict.row = RowKey(resource: ResourceKey("hush", 1), type: "note", key: "7")
            conflict.local = .bytes(bytes("{\"note\":\"hush\"}"))
            try transaction.journalConflict(conflict)
        }
        try store.close()
        let text = try Tool.run("journal", sample.path, "--kind", "conflict")
        #expect(text.lines.count == 1)
        #expect(text.text.contains("\tconflict\t\(id(1))\thush\t1\tnote\t7\t412\tfield-merge\tmerged\t-"))
        #expect(!text.text.contains("{"))
        let json = try #require(try Tool.run("journal", sample.path, "--kind", "conflict", "--json").objects().first)
        #expect((json["local"] as? [String: Any])?["bytes"] as? String == "{\"note\":\"hush\"}")
        let redacted = try Tool.run("journal", sample.path, "--json", "--redact")
        #expect(!redacted.text.contains("hush"))
    }

    @Test(arguments: [["list"], ["export"]])
    func `is opened read-only by list and export`(verb: [String]) async throws {
        let sample = try await OutboxSample()
        let before = try Data(contentsOf: URL(fileURLWithPath: sample.path + "/data.mdb"))
        #expect(try Tool.run(Tool.path, ["outbox"] + verb + [sample.path]).status == 0)
        #expect(try Data(contentsOf: URL(fileURLWithPath: sample.path + "/data.mdb")) == before)
    }
}
