// Proves that the status of a running outbox has each write as soon as it is stored.

import LarderOutbox
import LarderTransport
import Testing

@Suite(.timeLimit(.minutes(5))) struct `The status of a running outbox` {
    @Test func `has a write whose enqueue has returned`() async throws {
        let world = try OutboxWorld(.offline)
        let outbox = try world.outbox()
        try await world.running(outbox) {
            try await world.wait(outbox) { $0.isRunning }
            for number in 1...200 {
                try await outbox.enqueue(makeNoteWrite(number))
                #expect(outbox.status.pending == number)
            }
        }
    }
}
