// Proves that looking up a conflict follows the session: a 401 pauses the account, and a sign-in resumes the lookup at once.
import HTTPTypes
import LarderFormat
import LarderOutbox
import LarderStore
import LarderTesting
import LarderTransport
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(5))) struct `A conflict and who is signed in` {
    /// A world whose writes of the visit end in conflict, and whose GETs are answered by `answer`.
    private func world(
        _ answer: @escaping @Sendable () async -> TransportResponse
    ) async throws -> (OutboxWorld, Outbox) {
        let world = try OutboxWorld { (request) async throws(TransportError) -> TransportResponse in
            if request.method == "GET" { return await answer() }
            return TransportResponse(status: request.path == "/api/notes" ? .ok : .conflict)
        }
        try await world.putVisit(#"{"status":"open"}"#)
        let outbox = try world.outbox(
            account: "ann", configuration: { $0.conflicts = ConflictResolver(.serverWins) })
        return (world, outbox)
    }

    private static let held = HeldAnswer(200, #"{"status":"held"}"#)

    @Test func `pauses the account with a 401 until it is signed in, and says why it waits`() async throws {
        let isSignedIn = Mutex(false)
        let (world, outbox) = try await world {
            isSignedIn.withLock { $0 } ? Self.held.response : TransportResponse(status: .unauthorized)
        }
        try await world.running(outbox) {
            let visit = try await outbox.enqueue(saveVisit(#"{"status":"done"}"#)).id
            try await world.waitUntil {
                try world.entries().first?.delivery.lastError?.contains("401") == true
                    && world.events.withLock { $0.contains(.signInExpired(account: "ann")) }
            }
            let note = try await outbox.enqueue(makeNoteWrite(1)).id
            try await world.wait(outbox) { $0.pauses == [.signInExpired(account: "ann")] }
            // Its own wait being over, it asks nobody before there is a sign-in.
            await world.clock.sleepers(atLeast: 1)
            world.clock.advance(by: .seconds(60))
            #expect(world.requests.map(\.method) == ["PUT", "GET"])
            isSignedIn.withLock { $0 = true }
            outbox.signedIn(as: "ann")
            #expect(try await outbox.outcome(of: note) == .accepted)
            #expect(try await outbox.outcome(of: visit) == .removed("resolved"))
            #expect(try world.visitShown() == Self.held.text)
        }
    }

    @Test func `is not paused by the 401 to a lookup from before the sign-in`() async throws {
        let lookups = Mutex(0)
        let (released, release) = AsyncStream<Void>.makeStream()
        let (world, outbox) = try await world {
            let isFirst = lookups.withLock { lookups in
                lookups += 1
                return lookups == 1
            }
            guard isFirst else { return Self.held.response }
            for await _ in released {}
            return TransportResponse(status: .unauthorized)
        }
        try await world.running(outbox) {
            let visit = try await outbox.enqueue(saveVisit(#"{"status":"done"}"#)).id
            try await world.waitUntil { lookups.withLock { $0 } == 1 }
            outbox.signedIn(as: "ann")
            release.finish()
            try await world.waitUntil { try world.entries().first?.delivery.lastError?.contains("401") == true }
            let note = try await outbox.enqueue(makeNoteWrite(1)).id
            #expect(try await outbox.outcome(of: note) == .accepted)
            await world.clock.sleepers(atLeast: 1)
            world.clock.advance(by: .seconds(1))
            #expect(try await outbox.outcome(of: visit) == .removed("resolved"))
            #expect(!world.events.withLock { $0.contains(.signInExpired(account: "ann")) })
        }
    }

    @Test func `is looked up as soon as its account is signed in`() async throws {
        let isSound = Mutex(false)
        let (world, outbox) = try await world {
            isSound.withLock { $0 } ? Self.held.response : TransportResponse(status: .serviceUnavailable)
        }
        let visit = try await outbox.enqueue(saveVisit(#"{"status":"done"}"#)).id
        try await world.running(outbox) {
            try await world.waitUntil { try world.entries().first?.delivery.lastError != nil }
        }
        isSound.withLock { $0 = true }
        outbox.signedIn(as: "ben")
        try await world.running(outbox) {
            let his = try await outbox.enqueue(makeNoteWrite(1)).id
            #expect(try await outbox.outcome(of: his) == .accepted)
            #expect(world.requests.count { $0.method == "GET" } == 1)
            outbox.signedIn(as: "ann")
            // No time passes.
            #expect(try await outbox.outcome(of: visit) == .removed("resolved"))
        }
    }
}
