// Proves that the upload machine batches, retries, waits and rejects points as specified.

import LarderFormat
import LarderStore
import LarderTransport
import Testing

@testable import LarderOutbox

@Suite struct `An upload of points` {
    @Test func `goes out at once when there is a network, and waits without one`() {
        var fixture = UploadFixture()
        #expect(fixture.append(1) == [])
        #expect(fixture.step(.network(isUsable: true)).sent.map(\.sequences) == [1...1])
        #expect(fixture.step(.uploadEnded(.head(ResponseSummary(200)))).sent == [])
        #expect(fixture.points == [])
        #expect(fixture.append(1).sent.map(\.sequences) == [2...2])
    }

    @Test func `sends at most fifty, the oldest first, one request at a time [§4.5.2]`() {
        var fixture = UploadFixture()
        _ = fixture.append(120)
        let first = fixture.step(.network(isUsable: true)).sent
        #expect(first.map(\.sequences) == [1...50])
        #expect(fixture.append(3).sent == [])
        let second = fixture.step(.uploadEnded(.head(ResponseSummary(201)))).sent
        #expect(second.map(\.sequences) == [51...100])
        #expect(fixture.step(.uploadEnded(.head(ResponseSummary(200)))).sent.map(\.sequences) == [101...123])
        _ = fixture.step(.uploadEnded(.head(ResponseSummary(200))))
        #expect(fixture.points == [] && fixture.stored == BufferUpload())
    }

    @Test func `is sent again as it was, under its key, when nobody answered`() throws {
        var fixture = UploadFixture()
        _ = fixture.append(2)
        let batch = try #require(fixture.step(.network(isUsable: true)).sent.first)
        _ = fixture.append(5)
        let after = fixture.step(.uploadEnded(.none))
        #expect(after.sent == [] && after.armed == fixture.reading.elapsed + .seconds(1))
        fixture.advanceClock(.seconds(1))
        #expect(fixture.step(.timer).sent == [batch])
        #expect(fixture.stored.tries == 2)
    }

    @Test func `is sent again as it was after a crash, whatever came meanwhile`() throws {
        var fixture = UploadFixture()
        _ = fixture.append(2)
        let batch = try #require(fixture.step(.network(isUsable: true)).sent.first)
        #expect(fixture.stored.batch == batch)
        _ = fixture.append(60)
        _ = fixture.restart()
        #expect(fixture.step(.network(isUsable: true)).sent == [batch])
    }

    @Test func `waits 1, 2, 4, 8, 16, 32 and then 60 seconds, over restarts too`() {
        var fixture = UploadFixture()
        _ = fixture.append(1)
        var effects = fixture.step(.network(isUsable: true))
        for (number, wait) in [1, 2, 4, 8, 16, 32, 60, 60].enumerated() {
            #expect(effects.sent.count == 1, "try \(number)")
            effects = fixture.step(.uploadEnded(.head(ResponseSummary(503))))
            #expect(effects.armed == fixture.reading.elapsed + .seconds(wait))
            fixture.advanceClock(.seconds(wait) - .milliseconds(1))
            if number == 3 {
                _ = fixture.restart()
                #expect(fixture.step(.network(isUsable: true)).sent == [])
            }
            #expect(fixture.step(.timer).sent == [])
            fixture.advanceClock(.milliseconds(1))
            effects = fixture.step(.timer)
        }
        #expect(fixture.stored.failures == 8)
    }

    @Test func `goes out at once when the network returns, but not before the server's wait ends`() {
        var fixture = UploadFixture()
        _ = fixture.append(1)
        _ = fixture.step(.network(isUsable: true))
        for _ in 1...6 {
            _ = fixture.step(.uploadEnded(.head(ResponseSummary(500))))
            fixture.advanceClock(.seconds(60))
            _ = fixture.step(.timer)
        }
        _ = fixture.step(.uploadEnded(.notSent))
        _ = fixture.step(.network(isUsable: false))
        #expect(fixture.step(.network(isUsable: true)).sent.count == 1)
        _ = fixture.step(.uploadEnded(.head(ResponseSummary(429, retryAfter: .seconds(90)))))
        _ = fixture.step(.network(isUsable: false))
        #expect(fixture.step(.network(isUsable: true)).armed == fixture.reading.elapsed + .seconds(90))
        #expect(fixture.step(.foreground).sent == [])
        fixture.advanceClock(.seconds(90))
        #expect(fixture.step(.timer).sent.count == 1)
    }

    /// All devices are refused at once: they must not return in the same second.
    @Test func `waits longer than a server requests, by up to the share of the jitter`() throws {
        var fixture = UploadFixture(jitter: 0.5)
        _ = fixture.append(1)
        _ = fixture.step(.network(isUsable: true))
        let step = fixture.handle(.uploadEnded(.head(ResponseSummary(429, retryAfter: .seconds(60)))))
        let wait = try #require(step.effects.armed) - fixture.reading.elapsed
        #expect(wait > .seconds(60) && wait <= .seconds(90))
        #expect(step.serverWait == .begin(.seconds(60)))
    }

    @Test func `is not sent in a circle to a server that accepts no login`() {
        var fixture = UploadFixture()
        _ = fixture.append(1)
        _ = fixture.step(.network(isUsable: true))
        for wait in [0, 1, 2, 4] {
            let effects = fixture.step(.uploadEnded(.head(ResponseSummary(401))))
            #expect(effects.contains(.expired))
            let signedIn = fixture.step(.session(.signedIn("ada")))
            if wait > 0 {
                #expect(signedIn.sent == [] && signedIn.armed == fixture.reading.elapsed + .seconds(wait))
                fixture.advanceClock(.seconds(wait))
            }
            #expect((wait == 0 ? signedIn : fixture.step(.timer)).sent.count == 1)
        }
    }

    @Test func `waits for its account after a 401, and counts it for nothing`() {
        var fixture = UploadFixture()
        _ = fixture.append(1)
        _ = fixture.step(.network(isUsable: true))
        let effects = fixture.step(.uploadEnded(.head(ResponseSummary(401))))
        #expect(effects.contains(.expired) && effects.armed == nil)
        #expect(fixture.stored.failures == 0)
        fixture.advanceClock(.seconds(1000))
        #expect(fixture.step(.foreground).sent == [])
        #expect(fixture.step(.session(.signedIn("bob"))).sent == [])
        #expect(fixture.step(.session(.signedIn(nil))).sent == [])
        #expect(fixture.step(.session(.signedOut)).sent == [])
        #expect(fixture.step(.session(.signedIn("ada"))).sent.map(\.sequences) == [1...1])
    }

    @Test func `finds the one point that the server refuses, and gives up no other`() {
        var fixture = UploadFixture()
        _ = fixture.append(4)
        var effects = fixture.step(.network(isUsable: true))
        var uploaded: [Int64] = []
        for _ in 0..<20 {
            guard !effects.sent.isEmpty else { break }
            let flying = fixture.flying
            if flying.contains(3) {
                effects = fixture.step(.uploadEnded(.head(ResponseSummary(422))))
            } else {
                uploaded += flying
                effects = fixture.step(.uploadEnded(.head(ResponseSummary(200))))
            }
        }
        #expect(uploaded == [1, 2, 4])
        #expect(fixture.refused == [3])
        #expect(fixture.points == [])
        #expect(fixture.append(3).sent.map(\.sequences) == [5...7])
    }

    @Test(arguments: [301, 403, 404, 405, 409, 410])
    func `keeps the points when the request was refused for anything else`(status: Int) {
        var fixture = UploadFixture()
        _ = fixture.append(3)
        _ = fixture.step(.network(isUsable: true))
        let effects = fixture.step(.uploadEnded(.head(ResponseSummary(status))))
        #expect(effects.armed == fixture.reading.elapsed + .seconds(1))
        #expect(fixture.points == [1, 2, 3] && fixture.refused == [])
    }

    @Test(arguments: [200, 302, 400, 413, 422, 511])
    func `keeps the points when something else answered, or the answer broke off`(status: Int) {
        var fixture = UploadFixture()
        _ = fixture.append(3)
        _ = fixture.step(.network(isUsable: true))
        for isForeign in [true, false, true] {
            _ = fixture.step(.uploadEnded(.head(ResponseSummary(status, isForeign: isForeign, isWhole: isForeign))))
            fixture.advanceClock(.seconds(60))
            #expect(fixture.step(.timer).sent.map(\.sequences) == [1...3])
        }
        #expect(fixture.points == [1, 2, 3] && fixture.refused == [])
    }

    @Test
    func `waits as long as the server requested from anybody, also when the network returns after a restart`() {
        var fixture = UploadFixture()
        _ = fixture.append(1)
        _ = fixture.step(.network(isUsable: true))
        let step = fixture.handle(.uploadEnded(.head(ResponseSummary(429, retryAfter: .seconds(60)))))
        #expect(step.serverWait == .begin(.seconds(60)))
        fixture = UploadFixture()
        _ = fixture.append(1)
        _ = fixture.step(.ring(fixture.stored, oldest: [1], serverWait: .seconds(60)))
        #expect(fixture.step(.network(isUsable: true)).sent == [])
        _ = fixture.step(.network(isUsable: false))
        #expect(fixture.step(.network(isUsable: true)).armed == fixture.reading.elapsed + .seconds(60))
        #expect(fixture.step(.foreground).sent == [])
        fixture.advanceClock(.seconds(60))
        #expect(fixture.step(.timer).sent.count == 1)
    }

    /// After several failures all senders waited as long as the buffer does, up to 60 seconds.
    @Test func `other senders wait as long as the server requested, and the buffer as long as its failures say`() {
        var fixture = UploadFixture()
        _ = fixture.append(1)
        _ = fixture.step(.network(isUsable: true))
        for wait in [1, 2, 4, 8] as [Int64] {
            let step = fixture.handle(.uploadEnded(.head(ResponseSummary(503, retryAfter: .seconds(1)))))
            #expect(step.serverWait == .begin(.seconds(1)))
            #expect(step.effects.armed == fixture.reading.elapsed + .seconds(wait))
            if case .update(_, let new)? = step.change { fixture.stored = new }
            fixture.advanceClock(.seconds(wait))
            _ = fixture.step(.timer)
        }
    }

    @Test func `waits at most the policy's longest time, however many points are appended meanwhile`()
        throws
    {
        var fixture = UploadFixture(longestRetryAfter: .seconds(600))
        _ = fixture.append(1)
        _ = fixture.restart(serverWait: .seconds(86_400))
        let until = try #require(fixture.step(.network(isUsable: true)).armed)
        #expect(until == fixture.reading.elapsed + .seconds(600))
        for number in 2...4 as ClosedRange<Int64> {
            fixture.advanceClock(.seconds(60))
            fixture.points.append(number)
            let looked = fixture.step(.ring(fixture.stored, oldest: fixture.points, serverWait: .seconds(80_000)))
            #expect(looked.armed == nil && looked.sent == [])
        }
        fixture.advanceClock(until - fixture.reading.elapsed)
        #expect(fixture.step(.timer).sent.count == 1)
    }

    @Test func `is due when the clock jumped back over a restart, unless the server requested a wait`() {
        for rest in [nil, Duration.seconds(7200)] {
            var fixture = UploadFixture()
            _ = fixture.append(1)
            _ = fixture.step(.network(isUsable: true))
            _ = fixture.step(.uploadEnded(.head(ResponseSummary(503, retryAfter: rest))))
            if rest == nil { fixture.reading.now -= 3_600_000 }
            _ = fixture.restart(serverWait: rest)
            let effects = fixture.step(.network(isUsable: true))
            #expect(effects.sent.count == (rest == nil ? 1 : 0))
            #expect(effects.armed == rest.map { fixture.reading.elapsed + $0 })
        }
    }

    @Test(arguments: [200, 302, 403, 429, 503, 511])
    func `is not put off by a Retry-After that is not the server's`(status: Int) {
        var fixture = UploadFixture()
        _ = fixture.append(1)
        _ = fixture.step(.network(isUsable: true))
        let head = ResponseSummary(status, retryAfter: .seconds(3600), isForeign: true)
        let step = fixture.handle(.uploadEnded(.head(head)))
        #expect(step.serverWait == nil && step.effects.armed == fixture.reading.elapsed + .seconds(1))
    }

    @Test func `is over when the server answers from memory`() {
        var fixture = UploadFixture(outcomes: .replaysAsConflict)
        _ = fixture.append(1)
        _ = fixture.step(.network(isUsable: true))
        _ = fixture.step(.uploadEnded(.none))
        fixture.advanceClock(.seconds(1))
        #expect(fixture.step(.timer).sent.count == 1)
        _ = fixture.step(.uploadEnded(.head(ResponseSummary(409))))
        #expect(fixture.points == [])
    }

    @Test func `begins nothing that could not be stored, and tries again`() {
        var fixture = UploadFixture()
        _ = fixture.append(1)
        let lost = fixture.handle(.network(isUsable: true))
        #expect(lost.change != nil)
        // The disk is full: nothing of it happened.
        let held = fixture.handle(.storageFailed)
        #expect(held.change == nil && held.effects.sent == [])
        #expect(held.effects.armed == fixture.reading.elapsed + .seconds(1))
        #expect(fixture.step(fixture.ring).sent == [])
        fixture.advanceClock(.seconds(1))
        #expect(fixture.step(.timer).sent.count == 1)
    }
}
