// Proves that conflicts are merged, rolled back, undone, deferred or left to the host, and survive a crash.

import HTTPTypes
import LarderFormat
import LarderOutbox
import LarderStore
import LarderTesting
import LarderTransport
import Synchronization
import Testing

let visits = ResourceKey("visits", 1)
let visit = RowKey(resource: visits, type: "visit", key: "7")

/// A write of the visit, shown until the server has it.
func saveVisit(_ text: String, method: HTTPRequest.Method = .put, loadsAnswer: Bool = false) -> OutboxWrite {
    OutboxWrite(
        "visit.save", method, "/visits/7", body: method == .delete ? .none : .bytes(Array(text.utf8)),
        entity: "visit/7",
        effects: [RowEffect(method == .delete ? .removal : .replacement(Array(text.utf8)), at: visit)],
        loadsResponse: loadsAnswer)
}

/// A visit that is made anew: POST /visits, loading what comes of it.
func createVisit(_ text: String) -> OutboxWrite {
    OutboxWrite(
        "visit.create", .post, "/visits", body: .bytes(Array(text.utf8)), entity: "visit/7",
        effects: [RowEffect(.replacement(Array(text.utf8)), at: visit)], loadsResponse: true)
}

extension OutboxWorld {
    /// The visit as readers see it, or nil.
    func visitShown() throws -> String? {
        try store.read { view in
            guard let row = try view.row(at: visit) else { return nil }
            return String(decoding: [UInt8](copying: row.payload), as: UTF8.self)
        }
    }

    func putVisit(_ text: String) async throws {
        try await store.write { transaction in
            try transaction.put(Array(text.utf8), at: visit, updatedAt: 1)
        }
    }

    func conflicts() throws -> [ResolvedConflict] { try store.read { view in try view.conflicts() } }
}

/// A server of one visit that accepts a write only on the condition of its current tag, unless `isStrict` is false.
final class VisitServer: Sendable {
    struct State {
        var text: String? = #"{"status":"open","notes":"","approvedBy":"lead","revision":2}"#
        var tag = "\"v2\""
        var isStrict = true
        var gets = 0
        var failures = 0
    }

    let state = Mutex(State())

    var text: String? { state.withLock { $0.text } }

    func answer(_ request: OutboxWorld.Request) -> TransportResponse {
        state.withLock { state in
            if request.method == "GET" {
                state.gets += 1
                if state.failures > 0 {
                    state.failures -= 1
                    return TransportResponse(status: .serviceUnavailable)
                }
                guard let text = state.text else { return TransportResponse(status: .notFound) }
                return TransportResponse(
                    status: .ok, headers: [.contentType: "application/json", .eTag: state.tag], body: Array(text.utf8))
            }
            let condition = request.fields[.ifMatch]
            if state.isStrict, condition != state.tag {
                return TransportResponse(status: condition == nil ? .conflict : .preconditionFailed)
            }
            state.text = request.method == "DELETE" ? nil : String(decoding: request.body, as: UTF8.self)
            state.tag = "\"\(state.tag.utf8.count)-\(request.key ?? "")\""
            return TransportResponse(status: .noContent, headers: [.eTag: state.tag])
        }
    }
}

@Suite(.timeLimit(.minutes(5))) struct `A conflict` {
    private func world(
        _ policy: ConflictPolicy, _ server: VisitServer = VisitServer()
    ) async throws -> (OutboxWorld, Outbox, VisitServer) {
        let world = try OutboxWorld { request in server.answer(request) }
        try await world.putVisit(#"{"status":"open","notes":"","revision":1}"#)
        let outbox = try world.outbox(
            policy: { $0.outcomes = .conditional },
            configuration: { $0.conflicts = ConflictResolver(policy) })
        return (world, outbox, server)
    }

    @Test func `is merged field by field and sent under a key of its own, on the condition of what the server holds`()
        async throws
    {
        let (world, outbox, server) = try await world(.source)
        try await world.running(outbox) {
            let queued = try await outbox.enqueue(saveVisit(#"{"status":"done","notes":"ok","revision":1}"#))
            #expect(try await outbox.outcome(of: queued.id) == .accepted)
            let merged = #"{"status":"done","notes":"ok","approvedBy":"lead","revision":2}"#
            #expect(server.text == merged)
            let writes = world.requests.filter { $0.method == "PUT" }
            #expect(writes.count == 2)
            #expect(Set(writes.compactMap(\.key)).count == 2)
            #expect(writes.last?.fields[.ifMatch] == "\"v2\"")
            #expect(try world.visitShown() == merged)
            let conflict = try #require(try world.conflicts().first)
            #expect(conflict.policy == "field-merge")
            #expect(conflict.resolution == "merged")
            #expect(conflict.entryID == queued.id)
            #expect(conflict.status == 409)
            #expect(conflict.merged == .bytes(Array(merged.utf8)))
            #expect(try world.entries().isEmpty)
        }
    }

    @Test func `that the server wins is rolled back, and what it holds is shown`() async throws {
        let (world, outbox, server) = try await world(.serverWins)
        try await world.running(outbox) {
            let queued = try await outbox.enqueue(saveVisit(#"{"status":"done"}"#))
            #expect(try await outbox.outcome(of: queued.id) == .removed("resolved"))
            #expect(try world.visitShown() == server.text)
            #expect(try world.entries().isEmpty)
            let conflict = try #require(try world.conflicts().first)
            #expect(conflict.resolution == "remote")
            #expect(conflict.local == .bytes(Array(#"{"status":"done"}"#.utf8)))
        }
    }

    @Test func `that the server won can be undone: the write goes after all, if nothing has changed since`()
        async throws
    {
        let (world, outbox, server) = try await world(.serverWins)
        try await world.running(outbox) {
            let queued = try await outbox.enqueue(saveVisit(#"{"status":"done"}"#))
            _ = try await outbox.outcome(of: queued.id)
            let conflict = try #require(try world.conflicts().first)
            let again = try await outbox.undo(conflict)
            #expect(again.id != queued.id)
            #expect(try await outbox.outcome(of: again.id) == .accepted)
            #expect(server.text == #"{"status":"done"}"#)
            #expect(try world.visitShown() == #"{"status":"done"}"#)
        }
    }

    @Test func `that the write won can be undone: what the server held is put back`() async throws {
        let (world, outbox, server) = try await world(ConflictPolicy("mine") { _ in .keepLocal })
        let held = try #require(server.text)
        try await world.running(outbox) {
            let queued = try await outbox.enqueue(saveVisit(#"{"status":"done"}"#))
            #expect(try await outbox.outcome(of: queued.id) == .accepted)
            #expect(server.text == #"{"status":"done"}"#)
            server.state.withLock { $0.isStrict = false }
            let again = try await outbox.undo(try #require(try world.conflicts().first))
            #expect(try await outbox.outcome(of: again.id) == .accepted)
            #expect(server.text == held)
        }
    }

    @Test func `that cannot be undone says why`() async throws {
        let (world, outbox, _) = try await world(.serverWins)
        let long = #"{"notes":""# + String(repeating: "x", count: Limits.conflictContent) + #""}"#
        try await world.running(outbox) {
            let queued = try await outbox.enqueue(saveVisit(long))
            _ = try await outbox.outcome(of: queued.id)
            let conflict = try #require(try world.conflicts().first)
            #expect(conflict.local == .omitted(Int64(long.utf8.count)))
            do {
                try await outbox.undo(conflict)
                Issue.record("it was undone")
            } catch OutboxError.cannotUndo(let id, let reason) {
                #expect(id == queued.id)
                #expect(reason == .notStored)
            }
        }
    }

    @Test func `keeps what is behind it waiting, in order, until it is resolved`() async throws {
        let (world, outbox, server) = try await world(.source)
        try await world.running(outbox) {
            let first = try await outbox.enqueue(saveVisit(#"{"status":"a"}"#))
            let second = try await outbox.enqueue(saveVisit(#"{"status":"b"}"#))
            #expect(try await outbox.outcome(of: first.id) == .accepted)
            #expect(try await outbox.outcome(of: second.id) == .accepted)
            #expect(server.text?.contains(#""status":"b""#) == true)
            #expect(try world.conflicts().count == 2)
        }
    }

    @Test func `found at the start is resolved then: nothing is lost by a crash in between`() async throws {
        let server = VisitServer()
        let (world, first, _) = try await world(.host, server)
        let queued = try await first.enqueue(saveVisit(#"{"status":"done","notes":"ok"}"#))
        try await world.running(first) {
            try await world.wait(first) { $0.conflicted == 1 }
        }
        let second = try world.outbox(configuration: { $0.conflicts = ConflictResolver(.source) })
        try await world.running(second) {
            let outcome = try await second.outcome(of: queued.id)
            #expect(outcome == .accepted)
            #expect(server.text?.contains(#""status":"done""#) == true)
        }
    }

    @Test func `waits for a server that cannot say what it holds now`() async throws {
        let server = VisitServer()
        server.state.withLock { $0.failures = 2 }
        let (world, outbox, _) = try await world(.source, server)
        try await world.running(outbox) {
            let queued = try await outbox.enqueue(saveVisit(#"{"status":"done","notes":"ok"}"#))
            let wait = Task { try await outbox.outcome(of: queued.id) }
            for _ in 0..<2 {
                await world.clock.sleepers(atLeast: 1)
                world.clock.advance(by: .seconds(60))
            }
            #expect(try await wait.value == .accepted)
            #expect(server.state.withLock { $0.gets } == 3)
        }
    }

    @Test func `that is left to the host stays until the host decides`() async throws {
        let (world, outbox, server) = try await world(.host)
        try await world.running(outbox) {
            let queued = try await outbox.enqueue(saveVisit(#"{"status":"done"}"#))
            try await world.wait(outbox) { $0.conflicted == 1 }
            let conflict = try await outbox.conflict(of: queued.id)
            #expect(conflict.base?.revision == 1)
            #expect(conflict.remote?.revision == 2)
            #expect(conflict.remote?.payload.map { String(decoding: $0, as: UTF8.self) } == server.text)
            try await outbox.resolve(conflict, with: .send(Array(#"{"status":"both"}"#.utf8)))
            #expect(try await outbox.outcome(of: queued.id) == .accepted)
            #expect(server.text == #"{"status":"both"}"#)
            do {
                try await outbox.resolve(conflict, with: .keepRemote)
                Issue.record("it was resolved twice")
            } catch OutboxError.unknownEntry(let id) { #expect(id == queued.id) }
        }
    }

    @Test func `sends the server no lookup during its wait`() async throws {
        let (world, outbox, server) = try await world(.host)
        try await world.running(outbox) {
            let queued = try await outbox.enqueue(saveVisit(#"{"status":"done"}"#))
            try await world.wait(outbox) { $0.conflicted == 1 }
            try await world.waitUntil { server.state.withLock { $0.gets } == 1 }
            let now = world.clock.wallMilliseconds
            try await world.store.write {
                try $0.setServerWait(of: "http://127.0.0.1", milliseconds: 60_000, at: now)
            }
            let error = await #expect(throws: OutboxError.self) { try await outbox.conflict(of: queued.id) }
            guard case .offline = error else {
                Issue.record("\(String(describing: error))")
                return
            }
            #expect(server.state.withLock { $0.gets } == 1)
        }
    }

    @Test func `that the same server raises for ever is left to the host in the end`() async throws {
        let server = VisitServer()
        let world = try OutboxWorld { request in
            request.method == "GET" ? server.answer(request) : TransportResponse(status: .conflict)
        }
        var resolver = ConflictResolver(ConflictPolicy("mine") { _ in .keepLocal })
        resolver.mostInARow = 3
        let finalResolver = resolver
        let outbox = try world.outbox(configuration: { $0.conflicts = finalResolver })
        try await world.running(outbox) {
            try await outbox.enqueue(saveVisit(#"{"status":"done"}"#))
            try await world.waitUntil { world.requests.count { $0.method == "PUT" } >= 4 }
            try await world.wait(outbox) { $0.conflicted == 1 }
            #expect(try world.conflicts().count == 3)
            #expect(world.requests.filter { $0.method == "PUT" }.count == 4)
        }
    }

    @Test func `is read from the refusal itself where that contains it`() async throws {
        let held = #"{"status":"open","approvedBy":"lead"}"#
        let isOver = Mutex(false)
        let world = try OutboxWorld { request in
            let isSecond = isOver.withLock { over in
                defer { over = true }
                return over
            }
            if isSecond { return TransportResponse(status: .ok) }
            return TransportResponse(
                status: .conflict, headers: [.contentType: "application/json"], body: Array(held.utf8))
        }
        let outbox = try world.outbox(configuration: { $0.conflicts = .remoteInRefusal(.source) })
        try await world.running(outbox) {
            let queued = try await outbox.enqueue(saveVisit(#"{"status":"done"}"#))
            #expect(try await outbox.outcome(of: queued.id) == .accepted)
            #expect(world.requests.map(\.method) == ["PUT", "PUT"])
            #expect(
                world.requests.last.map { String(decoding: $0.body, as: UTF8.self) }
                    == #"{"status":"done","approvedBy":"lead"}"#)
        }
    }

    @Test func `without a resolver is a rejection`() async throws {
        let world = try OutboxWorld { _ in TransportResponse(status: .conflict) }
        let outbox = try world.outbox()
        try await world.running(outbox) {
            let queued = try await outbox.enqueue(saveVisit("{}"))
            guard case .rejected = try await outbox.outcome(of: queued.id) else {
                Issue.record("it was not rejected")
                return
            }
            #expect(try world.visitShown() == nil)
        }
    }
}
