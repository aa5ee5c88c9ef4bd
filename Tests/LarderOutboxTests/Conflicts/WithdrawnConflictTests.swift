// Proves that a conflict over a withdrawn resource does not restore it with the single row that the server holds.

import LarderFormat
import LarderOutbox
import LarderStore
import LarderTransport
import Testing

@Suite(.timeLimit(.minutes(5))) struct `A conflict over a resource that is withdrawn` {
    @Test func `does not bring it back with the one row that the server holds`() async throws {
        let server = VisitServer()
        let world = try OutboxWorld { request in server.answer(request) }
        try await world.putVisit(#"{"status":"open","revision":1}"#)
        try await world.store.write { try $0.withdraw(visits, at: ServerPosition(0, 9), as: .hidden) }
        let outbox = try world.outbox(
            policy: { $0.outcomes = .conditional },
            configuration: { $0.conflicts = ConflictResolver(.serverWins) })
        try await world.running(outbox) {
            let queued = try await outbox.enqueue(saveVisit(#"{"status":"done"}"#))
            #expect(try await outbox.outcome(of: queued.id) == .removed("resolved"))
            #expect(try world.visitShown() == nil)
            #expect(try world.store.read { view in try view.resource(visits)?.state } == .hidden)
        }
    }
}
