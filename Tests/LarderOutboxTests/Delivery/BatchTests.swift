// Proves that batches carry each entry's identity, are resent unchanged and end member by member.

import HTTPTypes
import LarderFormat
import LarderOutbox
import LarderStore
import LarderTesting
import LarderTransport
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(5))) struct `A batch` {
    private func enqueueThree(_ outbox: Outbox) async throws -> [UUIDBytes] {
        var ids: [UUIDBytes] = []
        for number in 1...3 { ids.append(try await outbox.enqueue(makeNoteWrite(number, entity: "\(number)")).id) }
        return ids
    }

    private static func outcomes(_ statuses: [(UUIDBytes, Int)]) -> TransportResponse {
        let list = statuses.map { "{\"id\":\"\($0)\",\"status\":\($1)}" }.joined(separator: ",")
        return TransportResponse(status: .ok, body: Array("{\"outcomes\":[\(list)]}".utf8))
    }

    @Test func `carries each entry with its identity, kind, endpoint and payload [§4.4.7]`() async throws {
        let world = try OutboxWorld()
        let outbox = try world.outbox { $0.batch = BatchPolicy() }
        let ids = try await enqueueThree(outbox)
        world.answer { _ in Self.outcomes(ids.map { ($0, 200) }) }
        try await world.running(outbox) {
            for id in ids {
                let outcome = try await outbox.outcome(of: id)
                #expect(outcome == .accepted)
            }
        }
        let request = try #require(world.requests.first)
        #expect(world.requests.count == 1 && request.path == "/api/sync/batch" && request.method == "POST")
        let operations = zip(ids, 1...3).map { id, number in
            "{\"id\":\"\(id)\",\"type\":\"note.create\",\"resource\":\"/notes\",\"method\":\"POST\",\"payload\":{\"n\":\(number)}}"
        }
        #expect(
            String(decoding: request.body, as: UTF8.self) == "{\"operations\":[\(operations.joined(separator: ","))]}")
        #expect(request.key.flatMap { UUIDBytes($0) } != nil && !ids.map(\.description).contains(request.key ?? ""))
    }

    @Test func `that is not answered is sent again as it was, also after a restart [§4.4.7]`() async throws {
        let world = try OutboxWorld { _ throws(TransportError) in throw .connectionLost(reason: "lost") }
        let first = try world.outbox { $0.batch = BatchPolicy() }
        let ids = try await enqueueThree(first)
        try await world.running(first) { try await world.wait(first) { $0.waiting == 3 } }
        _ = try await first.enqueue(makeNoteWrite(4, entity: "4"))
        world.answer { _ in Self.outcomes(ids.map { ($0, 200) }) }
        let second = try world.outbox { $0.batch = BatchPolicy() }
        try await world.running(second) {
            try await second.retryAll()
            for id in ids {
                let outcome = try await second.outcome(of: id)
                #expect(outcome == .accepted)
            }
        }
        let batches = world.requests.filter { $0.path == "/api/sync/batch" }
        #expect(batches.count == 2 && batches[0].body == batches[1].body && batches[0].key == batches[1].key)
    }

    @Test func `ends member by member [§4.4.7]`() async throws {
        let world = try OutboxWorld()
        let outbox = try world.outbox { $0.batch = BatchPolicy() }
        let ids = try await enqueueThree(outbox)
        world.answer { _ in Self.outcomes([(ids[0], 201), (ids[1], 422), (ids[2], 503)]) }
        try await world.running(outbox) {
            #expect(try await outbox.outcome(of: ids[0]) == .accepted)
            #expect(try await outbox.outcome(of: ids[1]) == .rejected("the server refused it (422)"))
            try await world.wait(outbox) { $0.waiting == 1 && $0.rejected == 1 }
        }
    }

    @Test(arguments: [1, 3, 200]) func `is read to the end of its outcomes, whatever precedes them`(
        foreign: Int
    ) async throws {
        let world = try OutboxWorld()
        let outbox = try world.outbox { $0.batch = BatchPolicy() }
        let ids = try await enqueueThree(outbox)
        let others = (0..<foreign).map { UUIDBytes(high: 9, low: UInt64($0)) }
        world.answer { _ in Self.outcomes(others.map { ($0, 422) } + [(ids[0], 200)] + ids.map { ($0, 200) }) }
        try await world.running(outbox) {
            for id in ids {
                let outcome = try await outbox.outcome(of: id)
                #expect(outcome == .accepted)
            }
        }
        #expect(world.requests.count == 1)
    }

    @Test(arguments: [[200, 422], [422, 200], [422, 404, 200]])
    func `decides nothing of a member of which it says two things`(statuses: [Int]) async throws {
        let world = try OutboxWorld()
        let outbox = try world.outbox { $0.batch = BatchPolicy() }
        let ids = try await enqueueThree(outbox)
        world.answer { _ in Self.outcomes(ids.dropFirst().map { ($0, 200) } + statuses.map { (ids[0], $0) }) }
        try await world.running(outbox) {
            for id in ids.dropFirst() {
                let outcome = try await outbox.outcome(of: id)
                #expect(outcome == .accepted)
            }
            let delivery = try world.entries().first?.delivery
            #expect(delivery?.state == .waiting && delivery?.isInDoubt == true && delivery?.isUnbatched == true)
        }
    }

    @Test(arguments: [100, 199, 600, 999]) func `decides nothing of a member whose status HTTP does not know`(
        status: Int
    ) async throws {
        let world = try OutboxWorld()
        let outbox = try world.outbox { $0.batch = BatchPolicy() }
        let ids = try await enqueueThree(outbox)
        world.answer { _ in Self.outcomes([(ids[0], 200), (ids[1], status), (ids[2], 200)]) }
        try await world.running(outbox) {
            for id in [ids[0], ids[2]] {
                let outcome = try await outbox.outcome(of: id)
                #expect(outcome == .accepted)
            }
            let delivery = try world.entries().first?.delivery
            #expect(delivery?.state == .waiting && delivery?.isInDoubt == true && delivery?.attempts == 1)
        }
    }

    /// The wait in a member's redirect held the whole server, although it is dropped outside of batches.
    @Test func `drops the wait that comes with a member's redirect`() async throws {
        let world = try OutboxWorld()
        let outbox = try world.outbox { $0.batch = BatchPolicy() }
        let ids = try await enqueueThree(outbox)
        let redirect = "{\"id\":\"\(ids[1])\",\"status\":307,\"retry_after\":3600}"
        let others = [ids[0], ids[2]].map { "{\"id\":\"\($0)\",\"status\":200}" }
        let body = Array("{\"outcomes\":[\((others + [redirect]).joined(separator: ","))]}".utf8)
        world.answer { _ in TransportResponse(status: .ok, body: body) }
        try await world.running(outbox) {
            try await world.wait(outbox) { $0.waiting == 1 && $0.unsent == 1 }
            let delivery = try #require(try world.entries().first?.delivery)
            let (due, tried) = (try #require(delivery.dueAt), try #require(delivery.lastTriedAt))
            #expect(due - tried <= 60_000)
        }
    }

    @Test func `whose success omits it is not treated as done [§4.4.7]`() async throws {
        let world = try OutboxWorld { _ in TransportResponse(status: .ok, body: Array("{\"ok\":true}".utf8)) }
        let outbox = try world.outbox { $0.batch = BatchPolicy() }
        _ = try await enqueueThree(outbox)
        try await world.running(outbox) { try await world.wait(outbox) { $0.waiting == 3 } }
        #expect(try world.entries().allSatisfy { $0.delivery.isInDoubt && $0.delivery.batch != nil })
    }

    @Test func `whose success omits it twice is left to the host, and no other is formed`() async throws {
        let world = try OutboxWorld { request in
            request.path == "/api/sync/batch"
                ? TransportResponse(status: .ok, body: Array("{\"ok\":true}".utf8)) : TransportResponse(status: .ok)
        }
        let outbox = try world.outbox { $0.batch = BatchPolicy() }
        let ids = try await enqueueThree(outbox)
        try await world.running(outbox) {
            try await world.wait(outbox) { $0.waiting == 3 }
            await world.clock.sleepers(atLeast: 1)
            world.clock.advance(by: .seconds(1))
            try await world.wait(outbox) { $0.unresolved == 3 }
            #expect(try world.entries().allSatisfy { $0.delivery.lastError?.contains("without outcomes") == true })
            #expect(world.events.withLock { events in ids.allSatisfy { events.contains(.unresolved($0)) } })
            var later: [UUIDBytes] = []
            for number in 4...6 {
                later.append(try await outbox.enqueue(makeNoteWrite(number, entity: "\(number)")).id)
            }
            try await outbox.decide(ids[0], .sendAgain)
            for id in later + [ids[0]] {
                let outcome = try await outbox.outcome(of: id)
                #expect(outcome == .accepted)
            }
        }
        #expect(world.requests.count { $0.path == "/api/sync/batch" } == 2)
    }

    @Test func `is not for files, other header fields, or bodies that are no JSON`() async throws {
        let world = try OutboxWorld { request in
            request.path == "/api/sync/batch" ? TransportResponse(status: .notFound) : TransportResponse(status: .ok)
        }
        let outbox = try world.outbox { $0.batch = BatchPolicy() }
        var plain = makeNoteWrite(1, entity: "1")
        plain.body = .bytes(Array("no JSON".utf8))
        var conditional = makeNoteWrite(2, entity: "2")
        conditional.fields[.ifMatch] = "\"1\""
        var ids = [try await outbox.enqueue(plain).id, try await outbox.enqueue(conditional).id]
        ids.append(try await outbox.enqueue(makeNoteWrite(3, entity: "3")).id)
        try await world.running(outbox) {
            for id in ids {
                let outcome = try await outbox.outcome(of: id)
                #expect(outcome == .accepted)
            }
        }
        #expect(world.requests.allSatisfy { $0.path == "/api/notes" })
    }

    @Test func `that the server does not know is split, each entry under its own key [§4.4.7]`() async throws {
        let world = try OutboxWorld { request in
            request.path == "/api/sync/batch" ? TransportResponse(status: .notFound) : TransportResponse(status: .ok)
        }
        let outbox = try world.outbox { $0.batch = BatchPolicy() }
        let ids = try await enqueueThree(outbox)
        try await world.running(outbox) {
            for id in ids {
                let outcome = try await outbox.outcome(of: id)
                #expect(outcome == .accepted)
            }
        }
        #expect(Set(world.requests.dropFirst().compactMap(\.key)) == Set(ids.map(\.description)))
    }
}
