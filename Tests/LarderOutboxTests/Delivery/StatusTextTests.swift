// Proves that the status of the outbox describes itself in one line for the user.

import LarderOutbox
import Testing

@Suite struct `The text of a status` {
    @Test func `has the numbers that are not zero, and the reasons`() {
        var status = OutboxStatus()
        #expect(status.description == "Everything is sent.")
        status.pending = 2
        status.rejected = 1
        status.pauses = [.offline]
        #expect(status.description == "2 not sent yet, 1 refused. Nothing is sent: there is no network.")
        status.lastError = "the server could not be reached"
        #expect(status.description.hasPrefix("2 not sent yet, 1 refused. The last try failed: the server could not be"))
        status.lastError = nil
        status.sending = 1
        status.pauses = []
        #expect(status.description == "3 not sent yet, 1 being sent, 1 refused.")
    }
}
