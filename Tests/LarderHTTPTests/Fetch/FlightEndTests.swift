import Testing

@testable import LarderHTTP

@Suite struct `A flight` {
    @Test func `that is over is joined by nobody: its answer serves nobody who asks later`() {
        let flight = Flight(cacheKey: "http://origin.test/a", tags: [], unreadLimit: 10)
        let isJoinedBefore = flight.join()
        flight.conclude(.notKept(.endless))
        let isJoinedAfter = flight.join()
        #expect(isJoinedBefore && !isJoinedAfter)
    }
}
