// Proves that a completed flight is never joined by a later request.

import Testing

@testable import LarderHTTP

@Suite struct `A flight` {
    @Test func `that is over is joined by nobody: its answer serves no later request`() {
        let flight = Flight(cacheKey: "http://origin.test/a", tags: [], unreadLimit: 10)
        let isJoinedBefore = flight.join()
        flight.complete(.notStored(.eventStream))
        let isJoinedAfter = flight.join()
        #expect(isJoinedBefore && !isJoinedAfter)
    }
}
