// Proves that last write wins compares the times that the payloads name, where the write has set one.
import LarderOutbox
import LarderStore
import LarderTesting
import LarderTransport
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(5))) struct `The time of a write in conflict` {
    @Test(arguments: [
        (#"{"status":"done","updatedAt":1500}"#, false), (#"{"status":"done","updatedAt":2500}"#, true),
        // As it was, it says nothing of this write, which was enqueued later than that.
        (#"{"status":"done","updatedAt":1000}"#, true), (#"{"status":"done"}"#, true),
    ])
    func `goes by the write's own time under last write wins, where the write has set it`(
        text: String, keepsLocal: Bool
    )
        async throws
    {
        let server = VisitServer()
        let world = try OutboxWorld { request in server.answer(request) }
        let outbox = try world.outbox(
            policy: { $0.outcomes = .conditional },
            configuration: { $0.conflicts = ConflictResolver(.lastWriteWins) })
        try await world.putVisit(#"{"status":"open","updatedAt":1000}"#)
        let held = #"{"status":"held","updatedAt":2000}"#
        server.state.withLock { $0.text = held }
        try await world.running(outbox) {
            let queued = try await outbox.enqueue(saveVisit(text))
            #expect(try await outbox.outcome(of: queued.id) == (keepsLocal ? .accepted : .removed("resolved")))
        }
        #expect(server.text == (keepsLocal ? text : held))
    }
}
