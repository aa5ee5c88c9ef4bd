// Proves that mergeable writes are merged only where the server cannot observe a difference.

import Foundation
import HTTPTypes
import LarderFormat
import LarderJSON
import LarderOutbox
import LarderStore
import LarderTesting
import LarderTransport
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(5))) struct `A write that may be merged` {
    private let row = RowKey(resource: ResourceKey("notes", 1), type: "note", key: "1")
    private let other = RowKey(resource: ResourceKey("notes", 1), type: "note", key: "2")

    private func put(_ text: String, effects: [RowEffect]? = nil) -> OutboxWrite {
        OutboxWrite(
            "note.save", .put, "/notes/1", body: .bytes(Array(text.utf8)), entity: "note/1",
            effects: effects ?? [RowEffect(.replacement(Array(text.utf8)), at: row)], coalescing: .replaces)
    }

    private func patch(_ text: String) -> OutboxWrite {
        OutboxWrite(
            "note.change", .patch, "/notes/1", body: .bytes(Array(text.utf8)), entity: "note/1",
            effects: [RowEffect(.patch(Array(text.utf8)), at: row)], coalescing: .mergesPatch)
    }

    private func shown(_ world: OutboxWorld, _ key: RowKey? = nil) throws -> String? {
        try world.store.read { view in try view.payload(at: key ?? row) }.map { String(decoding: $0, as: UTF8.self) }
    }

    @Test func `replaces the one before it: an editor that saves by itself makes one request`() async throws {
        let world = try OutboxWorld(.offline)
        let outbox = try world.outbox()
        let first = try await outbox.enqueue(put(#"{"t":"H"}"#))
        #expect(first == .queued(first.id))
        try await world.running(outbox) {
            try await world.wait(outbox) { $0.pauses == [.offline] }
            for text in [#"{"t":"He"}"#, #"{"t":"Hello"}"#] {
                let merged = try await outbox.enqueue(put(text))
                let seen = try shown(world)
                #expect(merged == .coalesced(first.id) && seen == text)
            }
            #expect(try world.entries().count == 1)
            #expect(try world.store.read { view in try view.overlays(at: row).count } == 1)
            world.network.set(.online)
            #expect(try await outbox.outcome(of: first.id) == .accepted)
        }
        #expect(world.requests.map { String(decoding: $0.body, as: UTF8.self) } == [#"{"t":"Hello"}"#])
        #expect(world.requests.map(\.key) == [first.id.description])
    }

    @Test func `as a patch makes one with the one before it`() async throws {
        let world = try OutboxWorld(.offline)
        let outbox = try world.outbox()
        let row = row
        try await world.store.write { try $0.put(Array(#"{"a":0,"z":0}"#.utf8), at: row, updatedAt: 1) }
        var both = patch(#"{"a":1,"o":{"x":1,"y":2}}"#)
        both.effects.append(RowEffect(.removal, at: other))
        let first = try await outbox.enqueue(both)
        #expect(try await outbox.enqueue(patch(#"{"a":null,"o":{"y":null}}"#)) == .coalesced(first.id))
        let entry = try #require(try world.entries().first)
        #expect(String(decoding: entry.payload, as: UTF8.self) == #"{"a":null,"o":{"x":1,"y":null}}"#)
        #expect(entry.rows == [row, other])
        #expect(try shown(world) == #"{"z":0,"o":{"x":1}}"#)
        // Sync beneath it goes on.
        try await world.store.write { try $0.put(Array(#"{"a":7,"z":8}"#.utf8), at: row, updatedAt: 2) }
        #expect(try shown(world) == #"{"z":8,"o":{"x":1}}"#)
        try await outbox.cancel(first.id)
        #expect(try shown(world) == #"{"a":7,"z":8}"#)
    }

    @Test func `as a patch that no other can express stays one of its own, and nothing is lost`() async throws {
        let world = try OutboxWorld()
        let outbox = try world.outbox()
        let row = row
        try await world.store.write { try $0.put(Array(#"{"a":{"old":1}}"#.utf8), at: row, updatedAt: 1) }
        let first = try await outbox.enqueue(patch(#"{"a":null}"#))
        let second = try await outbox.enqueue(patch(#"{"a":{"new":2}}"#))
        #expect(second == .queued(second.id))
        #expect(try shown(world) == #"{"a":{"new":2}}"#)
        let third = try await outbox.enqueue(patch(#"{"b":3}"#))
        #expect(third == .coalesced(second.id))
        try await world.running(outbox) {
            for id in [first.id, second.id] {
                let outcome = try await outbox.outcome(of: id)
                #expect(outcome == .accepted)
            }
        }
        let sent = world.requests.map { String(decoding: $0.body, as: UTF8.self) }
        #expect(sent == [#"{"a":null}"#, #"{"a":{"new":2},"b":3}"#])
    }

    /// What is other about the write that comes second.
    enum Difference: CaseIterable {
        case notMergeable, endpoint, method, type, entity, fields, attempts, loading, key, order
    }

    @Test(arguments: Difference.allCases)
    func `is one of its own where it is not the same request, or is not mergeable`(difference: Difference) async throws
    {
        let world = try OutboxWorld(.offline)
        let outbox = try world.outbox(account: "ada")
        let before = try await outbox.enqueue(makeNoteWrite(1, entity: "before"))
        var write = put("{}")
        write.lane = .named("notes")
        let same = write
        let first = try await outbox.enqueue(write)
        switch difference {
        case .notMergeable: write.coalescing = nil
        case .endpoint: write.endpoint = "/notes/2"
        case .method: write.method = .post
        case .type: write.type = "note.publish"
        case .entity: write.entity = "note/2"
        case .fields: write.fields[.ifMatch] = "\"1\""
        case .attempts: write.mostAttempts = 1
        case .loading: write.loadsResponse = true
        case .key: write.deduplicationKey = "tap"
        case .order: write.after = [before.id]
        }
        let second = try await outbox.enqueue(write)
        #expect(second == .queued(second.id) && second.id != first.id)
        // The first is not the last of its lane any more; the second need not have asked.
        let third = try await outbox.enqueue(same)
        #expect(third == (difference == .notMergeable ? .coalesced(second.id) : .queued(third.id)))
        #expect(third.id != first.id)
        outbox.signedIn(as: "bob")
        let fourth = try await outbox.enqueue(same)
        #expect(fourth == .queued(fourth.id))
    }

    @Test(arguments: [401, 503])
    func `is one of its own where the one before it was tried, or something comes after it`(status: Int) async throws {
        let world = try OutboxWorld { _ in TransportResponse(status: .init(code: status)) }
        let outbox = try world.outbox()
        let tried = try await outbox.enqueue(put("1"))
        try await world.running(outbox) {
            try await world.wait(outbox) { $0.waiting == 1 || $0.pauses.contains(.signInExpired(account: nil)) }
        }
        // Whose login has expired is pending again.
        let state = try world.entries().map(\.delivery.state)
        #expect(state == [status == 401 ? .pending : .waiting])
        let second = try await outbox.enqueue(put("2"))
        #expect(second == .queued(second.id) && second.id != tried.id)
        #expect(try await outbox.enqueue(put("3")) == .coalesced(second.id))
        var photo = makeNoteWrite(4, entity: "photo")
        photo.after = [second.id]
        try await outbox.enqueue(photo)
        let fifth = try await outbox.enqueue(put("5"))
        #expect(fifth == .queued(fifth.id))
        #expect(
            try world.entries().map { String(decoding: $0.payload, as: UTF8.self) }.sorted() == [
                "1", "3", "5", "{\"n\":4}",
            ])
    }

    @Test func `is one of its own where another write would hide it`() async throws {
        let world = try OutboxWorld(.offline)
        let outbox = try world.outbox()
        try await outbox.enqueue(put("1"))
        var imported = makeNoteWrite(2, entity: "import")
        imported.effects = [RowEffect(.replacement(Array("2".utf8)), at: row)]
        try await outbox.enqueue(imported)
        let third = try await outbox.enqueue(put("3"))
        #expect(third == .queued(third.id))
        #expect(try shown(world) == "3")
    }

    @Test func `rolls back what only the one before it did to rows`() async throws {
        let world = try OutboxWorld(.offline)
        let outbox = try world.outbox()
        let (row, other) = (row, other)
        try await world.store.write { transaction in
            for key in [row, other] { try transaction.put(Array(#"{"a":0}"#.utf8), at: key, updatedAt: 1) }
        }
        try await outbox.enqueue(
            put("{}", effects: [.init(.patch(Array(#"{"b":1}"#.utf8)), at: row), .init(.removal, at: other)]))
        #expect(try shown(world, other) == nil)
        try await outbox.enqueue(put("{}", effects: [.init(.patch(Array(#"{"c":2}"#.utf8)), at: row)]))
        #expect(try world.entries().count == 1)
        #expect(try shown(world) == #"{"a":0,"b":1,"c":2}"# && shown(world, other) == #"{"a":0}"#)
    }

    @Test func `fits where no entry does any more, and one that does not fit is refused and changes nothing`()
        async throws
    {
        let world = try OutboxWorld(.offline)
        let outbox = try world.outbox { $0.bounds = OutboxBounds(entries: 1, byteCount: 4000) }
        let first = try await outbox.enqueue(put("1"))
        await #expect(throws: OutboxError.self) { try await outbox.enqueue(makeNoteWrite(2)) }
        #expect(try await outbox.enqueue(put("3")) == .coalesced(first.id))
        await #expect(throws: OutboxError.self) {
            try await outbox.enqueue(put(String(repeating: "4", count: 5000)))
        }
        #expect(try shown(world) == "3")
        #expect(try world.entries().map(\.payload) == [Array("3".utf8)])
    }

    @Test func `is merged in a transaction of the host's, also with one of the same transaction`() async throws {
        let world = try OutboxWorld(.offline)
        let outbox = try world.outbox()
        let writes = try ["1", "2"].map { try outbox.prepare(put($0)) }
        let made = try await world.store.write { transaction in
            try writes.map { try transaction.enqueue($0) }
        }
        #expect(made == [.queued(writes[0].id), .coalesced(writes[0].id)])
        #expect(try shown(world) == "2")
    }

    @Test(arguments: [41, UInt64.random(in: 42 ... .max)])
    func `says in the end what all would have said one by one`(seed: UInt64) async throws {
        var generator = SeededGenerator(seed: seed)
        var requests = 0
        for round in 0..<40 {
            let document = Mutex(SmallJSON.object(&generator, depth: 0, isPatch: false))
            var expected = document.withLock { $0 }
            let world = try OutboxWorld(.offline) { request in
                document.withLock { $0 = Self.merged(request.body, over: $0) }
                return TransportResponse(status: .ok)
            }
            let row = row
            let start = expected
            try await world.store.write { try $0.put(start, at: row, updatedAt: 1) }
            let outbox = try world.outbox()
            for _ in 0..<8 {
                let text = SmallJSON.object(&generator, depth: 0, isPatch: true)
                try await outbox.enqueue(patch(String(decoding: text, as: UTF8.self)))
                expected = Self.merged(text, over: expected)
                let seen = try world.store.read { view in try view.payload(at: row) }
                #expect(try Self.sorted(seen) == Self.sorted(expected), "seed \(seed), round \(round)")
            }
            world.network.set(.online)
            _ = await outbox.drain(within: .seconds(20))
            #expect(try world.entries().isEmpty)
            #expect(
                try Self.sorted(document.withLock { $0 }) == Self.sorted(expected),
                "seed \(seed), round \(round)")
            requests += world.requests.count
        }
        // Some are merged, and some cannot be.
        #expect(requests > 40 && requests < 40 * 6, "seed \(seed)")
    }

    private static func merged(_ patch: [UInt8], over target: [UInt8]) -> [UInt8] {
        JSONMergePatch(patch)?.merged(over: target.span) ?? target
    }

    private static func sorted(_ text: [UInt8]?) throws -> Data {
        let value = try JSONSerialization.jsonObject(with: Data(text ?? []), options: .fragmentsAllowed)
        return try JSONSerialization.data(withJSONObject: value, options: [.fragmentsAllowed, .sortedKeys])
    }
}

/// Small JSON objects and patches from a seed.
private enum SmallJSON {
    static func object(_ generator: inout SeededGenerator, depth: Int, isPatch: Bool) -> [UInt8] {
        var members: [String] = []
        for name in ["a", "b", "c"] where Bool.random(using: &generator) {
            let value: String
            switch Int.random(in: 0..<5, using: &generator) {
            case 0 where isPatch: value = "null"
            case 1 where depth < 2, 2 where depth < 2:
                value = String(decoding: object(&generator, depth: depth + 1, isPatch: isPatch), as: UTF8.self)
            case 3: value = "[\(Int.random(in: 0..<3, using: &generator))]"
            default: value = String(Int.random(in: 0..<9, using: &generator))
            }
            members.append("\"\(name)\":\(value)")
        }
        return Array("{\(members.joined(separator: ","))}".utf8)
    }
}
