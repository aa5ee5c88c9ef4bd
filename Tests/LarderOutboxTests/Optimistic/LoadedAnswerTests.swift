// Proves that a save with a loaded response stores the server's row when it is accepted, and never an older one.

import HTTPTypes
import LarderFormat
import LarderOutbox
import LarderStore
import LarderTesting
import LarderTransport
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(5))) struct `A save that loads the answer` {
    private let written = #"{"status":"done"}"#
    private let stamped = #"{"status":"done","id":7,"rev":3}"#

    private func body(_ text: String) -> TransportResponse {
        TransportResponse(status: .ok, headers: [.contentType: "application/json"], body: Array(text.utf8))
    }

    @Test func `makes the answer's body the row in the transaction that accepts`() async throws {
        let world = try OutboxWorld { [stamped] _ in
            TransportResponse(status: .ok, headers: [.contentType: "application/json"], body: Array(stamped.utf8))
        }
        let outbox = try world.outbox()
        try await world.running(outbox) {
            let queued = try await outbox.enqueue(saveVisit(written, loadsAnswer: true))
            #expect(try await outbox.outcome(of: queued.id) == .accepted)
            #expect(try world.visitShown() == stamped)
            #expect(world.requests.map(\.method) == ["PUT"])
        }
    }

    @Test func `fetches the row where the answer has none`() async throws {
        let world = try OutboxWorld { [stamped] request in
            request.method == "GET"
                ? TransportResponse(status: .ok, body: Array(stamped.utf8)) : TransportResponse(status: .noContent)
        }
        let outbox = try world.outbox()
        try await world.running(outbox) {
            let queued = try await outbox.enqueue(saveVisit(written, loadsAnswer: true))
            #expect(try await outbox.outcome(of: queued.id) == .accepted)
            for try await shown in world.store.values(in: .row(visit), { _ in 0 }) {
                _ = shown
                if try world.visitShown() == stamped { break }
            }
            #expect(world.requests.map(\.method) == ["PUT", "GET"])
            #expect(world.requests.last?.path == "/api/visits/7")
            #expect(world.requests.last?.key == nil)
        }
    }

    @Test(arguments: [
        ("/api/visits/7", "/api/visits/7"), ("visits/7?full", "/api/visits/7?full"),
        ("http://127.0.0.1/api/v/7", "/api/v/7"),
    ])
    func `fetches what was created where the answer says it is`(location: String, requested: String) async throws {
        let world = try OutboxWorld { [stamped] request in
            request.method == "GET"
                ? TransportResponse(status: .ok, body: Array(stamped.utf8))
                : TransportResponse(status: .created, headers: [.location: location])
        }
        let outbox = try world.outbox()
        try await world.running(outbox) {
            try await outbox.enqueue(createVisit(written))
            for try await shown in world.store.values(in: .row(visit), { _ in 0 }) {
                _ = shown
                if try world.visitShown() == stamped { break }
            }
            #expect(world.requests.map(\.path) == ["/api/visits", requested])
        }
    }

    @Test(arguments: ["http://other.test/api/visits/7", "//127.0.0.1:81/api/visits/7", "/admin", "/api", "ftp:x", " "])
    func `sends no other request, whatever the answer says`(location: String) async throws {
        let world = try OutboxWorld { request in
            request.path == "/api/last"
                ? TransportResponse(status: .ok) : TransportResponse(status: .created, headers: [.location: location])
        }
        let outbox = try world.outbox()
        try await world.running(outbox) {
            let queued = try await outbox.enqueue(createVisit(written))
            #expect(try await outbox.outcome(of: queued.id) == .accepted)
            let last = try await outbox.enqueue(OutboxWrite("last", .put, "/last"))
            #expect(try await outbox.outcome(of: last.id) == .accepted)
            #expect(try world.visitShown() == written)
        }
        // All that was under way is over.
        #expect(world.requests.map(\.path) == ["/api/visits", "/api/last"])
    }

    @Test func `shows nothing in between but what was written and what came of it`() async throws {
        let world = try OutboxWorld { [stamped] request in
            request.method == "GET"
                ? TransportResponse(status: .ok, body: Array(stamped.utf8)) : TransportResponse(status: .noContent)
        }
        try await world.putVisit("{\"status\":\"open\"}")
        let outbox = try world.outbox()
        let seen = Mutex<[String]>([])
        let reader = Task {
            for try await text in world.store.values(
                in: .row(visit),
                { view -> String in
                    guard let row = try view.row(at: visit) else { return "none" }
                    return String(decoding: [UInt8](copying: row.payload), as: UTF8.self)
                })
            {
                seen.withLock { $0.append(text) }
                if text == stamped { return }
            }
        }
        try await world.running(outbox) {
            _ = try await outbox.enqueue(saveVisit(written, loadsAnswer: true))
            try await reader.value
        }
        let order = ["{\"status\":\"open\"}", written, stamped]
        let places = seen.withLock { $0 }.compactMap { order.firstIndex(of: $0) }
        #expect(places.count == seen.withLock { $0.count })
        #expect(places == places.sorted())
    }

    @Test func `ignores what comes after somebody has changed the row`() async throws {
        let world = try OutboxWorld(.offline)
        let outbox = try world.outbox()
        let first = try outbox.prepare(saveVisit(written, loadsAnswer: true))
        let (stale, newer) = (ResponseLoading.LoadedRow(payload: Array(stamped.utf8)), "{\"status\":\"closed\"}")
        let (early, late) = try await world.store.write { transaction in
            _ = try transaction.enqueue(first)
            let unloaded = try transaction.apply([.accept(first.id)], answers: [:], at: 5)
            let answer = try #require(unloaded.first)
            let early = try transaction.load(stale, for: answer, at: 6)
            try transaction.put(Array(newer.utf8), at: visit, updatedAt: 7)
            return (early, try transaction.load(stale, for: answer, at: 8))
        }
        #expect(early)
        #expect(!late)
        #expect(try world.visitShown() == newer)
    }

    @Test(arguments: [59, 60])
    func `ignores what a lagging replica answers, older than the write`(sequence: Int) async throws {
        let world = try OutboxWorld { [stamped] request in
            let isRead = request.method == "GET"
            return TransportResponse(
                status: isRead ? .ok : .noContent,
                headers: [OutboxConfiguration.sequenceField: isRead ? "\(sequence)" : "60"],
                body: isRead ? Array(stamped.utf8) : [])
        }
        let outbox = try world.outbox()
        try await outbox.enqueue(saveVisit(written, loadsAnswer: true))
        _ = await outbox.drain(within: .seconds(60))
        #expect(world.requests.map(\.method) == ["PUT", "GET"])
        #expect(try world.visitShown() == (sequence < 60 ? written : stamped))
    }

    @Test func `shows what was loaded until the feed has come as far as that`() async throws {
        let world = try OutboxWorld(.offline)
        let outbox = try world.outbox()
        let entry = try outbox.prepare(saveVisit(written, loadsAnswer: true))
        let loaded = ResponseLoading.LoadedRow(payload: Array(stamped.utf8))
        try await world.store.write { transaction in
            let filter = try transaction.updateFilter("visits:*") { _ in }
            try transaction.putMember(ofFilter: filter, visit.resource, MemberRecord())
            _ = try transaction.enqueue(entry)
            let unloaded = try transaction.apply(
                [.accept(entry.id)], answers: [entry.id: AcceptedResponse(sequence: 60)], at: 5)
            _ = try transaction.load(loaded, sequence: 70, for: try #require(unloaded.first), at: 6)
        }
        let overlay = try world.store.read { view in try view.overlays(of: visit.resource).first }
        #expect(overlay?.serverSequence == 70)
    }

    @Test func `loads nothing unless it is requested`() async throws {
        let world = try OutboxWorld { [stamped] _ in TransportResponse(status: .ok, body: Array(stamped.utf8)) }
        let outbox = try world.outbox()
        try await world.running(outbox) {
            let queued = try await outbox.enqueue(saveVisit(written))
            #expect(try await outbox.outcome(of: queued.id) == .accepted)
            #expect(try world.visitShown() == written)
        }
    }
}
