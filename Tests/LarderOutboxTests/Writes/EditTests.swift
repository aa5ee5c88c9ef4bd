// Proves that a write can be edited until it was tried, and never afterwards.

import HTTPTypes
import LarderFormat
import LarderOutbox
import LarderStore
import LarderTesting
import LarderTransport
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(5))) struct `An edit` {
    private let row = RowKey(resource: ResourceKey("notes", 1), type: "note", key: "1")

    private func body(_ text: String) -> OutboxWrite.Body { .bytes(Array(text.utf8)) }

    private func shown(_ world: OutboxWorld) throws -> String? {
        try world.store.read { view in try view.payload(at: row) }.map { String(decoding: $0, as: UTF8.self) }
    }

    private func error(_ body: () async throws -> Void) async -> OutboxError? {
        await #expect(throws: OutboxError.self) { try await body() }
    }

    @Test func `of a write that was never tried changes what it says, and nothing else about it`() async throws {
        let world = try OutboxWorld(.offline)
        let outbox = try world.outbox()
        var write = makeNoteWrite(1, entity: "a")
        write.effects = [RowEffect(.replacement(Array(#"{"n":1}"#.utf8)), at: row)]
        let first = try await outbox.enqueue(write)
        let second = try await outbox.enqueue(makeNoteWrite(2, entity: "a"))
        let old = try world.entries()
        try await world.running(outbox) {
            try await world.wait(outbox) { $0.pauses == [.offline] }
            try await outbox.edit(
                first.id, body: body(#"{"n":9}"#),
                effects: [RowEffect(.replacement(Array(#"{"n":9}"#.utf8)), at: row)])
            #expect(try shown(world) == #"{"n":9}"#)
            let new = try world.entries()
            #expect(new.map(\.id) == old.map(\.id) && new.map(\.sequence) == old.map(\.sequence))
            #expect(new[0].draft.fields == old[0].draft.fields && new[0].createdAt == old[0].createdAt)
            world.network.set(.online)
            #expect(try await outbox.outcome(of: first.id) == .accepted)
            #expect(try await outbox.outcome(of: second.id) == .accepted)
        }
        #expect(world.requests.map { String(decoding: $0.body, as: UTF8.self) } == [#"{"n":9}"#, #"{"n":2}"#])
        #expect(world.requests.map(\.key) == [first.id.description, second.id.description])
        #expect(try world.store.read { view in try view.outboxOutcomes() }.map(\.id) == [first.id, second.id])
    }

    @Test func `of one that was tried, or is not to be sent, is refused and changes nothing`() async throws {
        let world = try OutboxWorld { _ in TransportResponse(status: .serviceUnavailable) }
        let outbox = try world.outbox { $0.bounds = OutboxBounds(entries: 2, whenFull: .retireOldest) }
        let tried = try await outbox.enqueue(makeNoteWrite(1))
        try await world.running(outbox) { try await world.wait(outbox) { $0.waiting == 1 } }
        let retired = try await outbox.enqueue(makeNoteWrite(2))
        try await outbox.drop(tried.id)
        for number in 3...4 { try await outbox.enqueue(makeNoteWrite(number)) }
        let before = try world.entries()
        #expect(before.first?.id == retired.id && before.first?.delivery.state == .failed)
        guard
            case .notApplicable(retired.id, .failed) = await error({
                try await outbox.edit(retired.id, body: body("{}"), effects: [])
            })
        else {
            Issue.record("a failed entry was changed")
            return
        }
        guard
            case .unknownEntry(tried.id) = await error({
                try await outbox.edit(tried.id, body: body("{}"), effects: [])
            })
        else {
            Issue.record("an entry that is gone was changed")
            return
        }
        #expect(try world.entries() == before)
    }

    @Test func `of what is under way is refused: what the server gets is what was sent`() async throws {
        let (arrivals, arrived) = AsyncStream<Void>.makeStream()
        let (answers, answer) = AsyncStream<Void>.makeStream()
        let world = try OutboxWorld { _ in
            arrived.yield()
            for await _ in answers { break }
            return TransportResponse(status: .serviceUnavailable)
        }
        let outbox = try world.outbox()
        try await world.running(outbox) {
            let queued = try await outbox.enqueue(makeNoteWrite(1))
            for await _ in arrivals { break }
            for state in [OutboxDelivery.State.sending, .waiting] {
                guard
                    case .alreadyTried(queued.id) = await error({
                        try await outbox.edit(queued.id, body: body("{}"), effects: [])
                    })
                else {
                    Issue.record("an entry was changed while \(state)")
                    return
                }
                // A status may be ahead of the commit.
                try await world.waitUntil { try world.entries().map(\.delivery.state) == [state] }
                let entries = try world.entries()
                #expect(entries.map(\.payload) == [Array(#"{"n":1}"#.utf8)])
                answer.yield()
                try await world.wait(outbox) { $0.waiting == 1 }
            }
        }
    }

    @Test func `that races with the send either is what is sent, or is refused`() async throws {
        let world = try OutboxWorld()
        let outbox = try world.outbox()
        var expected: [String: String] = [:]
        try await world.running(outbox) {
            for number in 0..<40 {
                let queued = try await outbox.enqueue(makeNoteWrite(number, entity: "\(number)"))
                for _ in 0..<number % 8 { await Task.yield() }
                do {
                    try await outbox.edit(queued.id, body: body("edited"), effects: [])
                    expected[queued.id.description] = "edited"
                } catch OutboxError.alreadyTried {
                    expected[queued.id.description] = "{\"n\":\(number)}"
                } catch OutboxError.unknownEntry {
                    // The server has it already.
                    expected[queued.id.description] = "{\"n\":\(number)}"
                }
                let outcome = try await outbox.outcome(of: queued.id)
                #expect(outcome == .accepted)
            }
        }
        let sent = world.requests.map { ($0.key ?? "", String(decoding: $0.body, as: UTF8.self)) }
        #expect(sent.count == expected.count)
        for (key, body) in sent { #expect(expected[key] == body) }
    }

    @Test func `that does not fit is refused; one that becomes shorter always fits`() async throws {
        let world = try OutboxWorld(.offline)
        let long = String(repeating: "x", count: 5000)
        let wide = try world.outbox()
        var write = makeNoteWrite(1)
        write.body = body(long)
        let queued = try await wide.enqueue(write)
        let narrow = try world.outbox { $0.bounds = OutboxBounds(byteCount: 2000, whenFull: .retireOldest) }
        guard
            case .full(let pending) = await error({
                try await narrow.edit(queued.id, body: body(long + "x"), effects: [])
            })
        else {
            Issue.record("what does not fit was taken")
            return
        }
        #expect(pending.entries == 1 && pending.byteCount > 5000)
        #expect(try world.entries().map(\.payload.count) == [5000])
        try await narrow.edit(queued.id, body: body(String(long.dropLast())), effects: [])
        #expect(try world.entries().map(\.payload.count) == [4999])
        try await narrow.edit(queued.id, body: .none, effects: [])
        #expect(try world.store.read { view in try view.pendingOutbox().byteCount } < 1000)
    }

    @Test func `changes header fields where it names some; a first body is JSON`() async throws {
        let world = try OutboxWorld(.offline)
        let outbox = try world.outbox()
        let queued = try await outbox.enqueue(OutboxWrite("note.touch", .post, "/notes/1"))
        func types() throws -> [String] {
            try world.entries().flatMap { $0.draft.fields.map { String(decoding: $0.value, as: UTF8.self) } }
        }
        #expect(try types() == [])
        try await outbox.edit(queued.id, body: body("{}"), effects: [])
        #expect(try types() == ["application/json"])
        try await outbox.edit(queued.id, body: body("a"), fields: [.contentType: "text/plain"], effects: [])
        try await outbox.edit(queued.id, body: body("b"), effects: [])
        #expect(try types() == ["text/plain"])
    }

    @Test(arguments: [true, false])
    func `to what a batch does not carry has the write go by itself, whoever made it`(isHeardOf: Bool) async throws {
        let world = try OutboxWorld(.offline) { request in
            request.path == "/api/sync/batch"
                ? TransportResponse(status: .badGateway) : TransportResponse(status: .ok)
        }
        let outbox = try world.outbox {
            $0.batch = BatchPolicy()
            // What was never sent is not taken for an answer.
            $0.outcomes = .standard.on(404, .retry)
        }
        var ids: [UUIDBytes] = []
        for number in 1...2 { ids.append(try await outbox.enqueue(makeNoteWrite(number, entity: "\(number)")).id) }
        let bodies = [#"{"n":1}"#, "no JSON"]
        try await world.running(outbox) {
            try await world.wait(outbox) { $0.pauses == [.offline] }
            // Another outbox on the store does not notify this one's machine, just as another process does not.
            let editor = isHeardOf ? outbox : try world.outbox()
            try await editor.edit(ids[1], body: body("no JSON"), fields: [.contentType: "text/plain"], effects: [])
            world.network.set(.online)
            for id in ids {
                let outcome = try await outbox.outcome(of: id)
                #expect(outcome == .accepted)
            }
        }
        // Of two entries one is left, which is no batch.
        #expect(world.requests.allSatisfy { $0.path == "/api/notes" })
        #expect(Set(world.requests.map { String(decoding: $0.body, as: UTF8.self) }) == Set(bodies))
    }

    @Test func `or a cancel of what was sent before it was enqueued is refused: the server may have it`() async throws {
        let world = try OutboxWorld(.offline)
        let outbox = try world.outbox()
        let id = UUIDBytes(high: 1, low: 2)
        let prepared = try outbox.prepare(makeNoteWrite(1), id: id, triedAt: 5)
        _ = try await world.store.write { transaction in try transaction.enqueue(prepared) }
        let delivery = try #require(try world.entries().first?.delivery)
        #expect(delivery.state == .pending && delivery.isInDoubt && delivery.firstTriedAt == 5)
        for refused in [
            await error { try await outbox.edit(id, body: body("{}"), effects: []) },
            await error { try await outbox.cancel(id) },
        ] {
            guard case .alreadyTried(id) = refused else {
                Issue.record("another error: \(String(describing: refused))")
                return
            }
        }
    }
}
