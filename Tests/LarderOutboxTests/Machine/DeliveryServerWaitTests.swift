// Proves that a wait requested by the server holds for all lanes, across restarts and networks, and spends no attempt.
import LarderFormat
import LarderOutbox
import LarderStore
import LarderTransport
import Testing

@Suite struct `A server that requests a wait` {
    /// Twelve lanes, four of them under way.
    private func makeLanes() -> (MachineFixture, [UUIDBytes]) {
        var fixture = MachineFixture(isOnline: false)
        let ids = (1...12).map { fixture.enqueue("\($0)") }
        fixture.handle(.network(isUsable: true))
        return (fixture, ids)
    }

    @Test(arguments: [429, 503])
    func `gets it from every lane, and then one request shows whether it accepts more`(status: Int) {
        var (fixture, ids) = makeLanes()
        #expect(fixture.sent == Array(ids[..<4]))
        for id in ids[..<4] {
            fixture.answer(id, status, retryAfter: .seconds(60))
            #expect(fixture.sent.isEmpty)
        }
        #expect(fixture.armed == 60)
        #expect(fixture.stored.values.allSatisfy { $0.delivery.attempts == 0 })
        let until = fixture.reading.now + 60_000
        let status = fixture.machine.status(at: fixture.reading)
        #expect(status.pauses == [.serverWait(until: until)] && status.nextTryAt == until)
        fixture.wait()
        #expect(fixture.sent == [ids[0]])
        fixture.answer(ids[0], 200)
        #expect(fixture.sent == Array(ids[1...4]))
    }

    /// The status named the time of the revival, at which nothing is sent.
    @Test func `delays the revival of a failed write, and the status says so`() {
        var fixture = MachineFixture()
        let (failed, other) = (fixture.enqueue("a"), fixture.enqueue("b"))
        fixture.fail(failed)
        fixture.answer(other, 429, retryAfter: .seconds(3600))
        let until = fixture.reading.now + 3_600_000
        #expect(fixture.machine.status(at: fixture.reading).nextTryAt == until)
        fixture.wait()
        #expect(fixture.sent.isEmpty && fixture.machine.status(at: fixture.reading).nextTryAt == until)
    }

    /// With jitter the first wait lasts longer in memory than the second: only the first was stored.
    @Test func `gets the longest of its waits after a restart`() throws {
        var policy = OutboxPolicy.plain
        policy.retry.jitter = 0.5
        var fixture = MachineFixture(policy: policy)
        let (first, second) = (fixture.enqueue("a"), fixture.enqueue("b"))
        fixture.answer(first, 429, retryAfter: .seconds(100))
        let lengthened = try #require(fixture.armed)
        #expect(lengthened > 101 && lengthened <= 150)
        fixture.advanceClock(.seconds(1))
        fixture.answer(second, 503, retryAfter: .seconds(100))
        #expect(fixture.serverWait?.until == fixture.reading.now + 100_000)
        fixture.restart()
        #expect(fixture.sent.isEmpty && fixture.armed.map { (100...150).contains($0) } == true)
    }

    /// The answers of two requests are handled in one step.
    @Test(arguments: [[60, 5], [5, 60]]) func `gets the longer of two waits of one step`(waits: [Int]) {
        var fixture = MachineFixture()
        let ids = [fixture.enqueue("a"), fixture.enqueue("b")]
        fixture.handle(
            zip(ids, waits).map { id, wait in
                .tryEnded(id, .whole(.head(ResponseSummary(429, retryAfter: .seconds(wait)))))
            })
        #expect(fixture.serverWait?.until == fixture.reading.now + 60_000 && fixture.armed == 60)
    }

    @Test func `gets it whatever the network and the foreground do, and over a restart`() {
        var (fixture, ids) = makeLanes()
        fixture.answer(ids[0], 429, retryAfter: .seconds(60))
        for id in ids[1..<4] { fixture.answer(id, .notSent) }
        fixture.advanceClock(.seconds(20))
        for _ in 0..<2 {
            fixture.handle(.network(isUsable: false))
            fixture.handle(.network(isUsable: true))
            fixture.handle(.foreground)
            #expect(fixture.sent.isEmpty && fixture.armed == 40)
            fixture.restart()
            #expect(fixture.sent.isEmpty && fixture.armed == 40)
        }
        fixture.enqueue("13")
        #expect(fixture.sent.isEmpty)
    }

    @Test func `may refuse for ever: no attempt is spent`() {
        var fixture = MachineFixture()
        let id = fixture.enqueue()
        var waits: [Double] = []
        for _ in 0..<8 {
            fixture.answer(id, 429)
            waits.append(fixture.armed ?? -1)
            fixture.wait()
            #expect(fixture.sent == [id])
        }
        #expect(waits == [1, 2, 4, 8, 16, 32, 60, 60])
        #expect(fixture.stored[id]?.delivery.attempts == 0)
    }

    @Test(arguments: [200, 302, 403, 429, 503, 511])
    func `is not what something else answers in its place`(_ status: Int) {
        for isForeign in status == 302 || status == 511 ? [false, true] : [true] {
            var fixture = MachineFixture()
            let (id, other) = (fixture.enqueue("a"), fixture.enqueue("b"))
            fixture.answer(id, .head(ResponseSummary(status, retryAfter: .seconds(3600), isForeign: isForeign)))
            #expect(fixture.serverWait == nil && fixture.armed == 1)
            fixture.answer(other, 200)
            fixture.wait()
            #expect(fixture.sent == [id])
        }
    }

    @Test func `spends no attempt when something else says that there are too many requests`() {
        var fixture = MachineFixture()
        let id = fixture.enqueue()
        for _ in 0..<8 {
            fixture.answer(id, .head(ResponseSummary(429, isForeign: true)))
            fixture.wait()
        }
        #expect(fixture.sent == [id] && fixture.stored[id]?.delivery.attempts == 0)
    }

    @Test func `gets a day at most`() {
        var fixture = MachineFixture()
        fixture.answer(fixture.enqueue(), 429, retryAfter: .seconds(10 * 365 * 86_400))
        #expect(fixture.armed == 86_400)
    }

    @Test func `gets one request all the same when a person wants it`() {
        var (fixture, ids) = makeLanes()
        for id in ids[..<4] { fixture.answer(id, 429, retryAfter: .seconds(600)) }
        fixture.handle(.revive(ids[2]))
        #expect(fixture.sent.count == 1 && fixture.serverWait == nil)
    }

    @Test func `gets its wait also when another part of the program received the request`() {
        var fixture = MachineFixture()
        let id = fixture.enqueue()
        fixture.answer(id, .deferred(.seconds(30)))
        #expect(fixture.state(id) == .pending && fixture.sent.isEmpty && fixture.armed == 30)
        #expect(fixture.stored[id]?.delivery.attempts == 0 && fixture.stored[id]?.delivery.isInDoubt == false)
        fixture.wait()
        #expect(fixture.sent == [id])
    }

    /// A retry of an entry that had been deferred did not end the wait.
    @Test func `of another sender ends when the deferred entry is retried manually`() {
        var fixture = MachineFixture()
        let id = fixture.enqueue()
        fixture.serverWait = ServerWait(until: fixture.reading.now + 30_000, recordedAt: fixture.reading.now)
        fixture.answer(id, .deferred(.seconds(30)))
        fixture.handle(.revive(id))
        #expect(fixture.sent == [id] && fixture.serverWait == nil)
    }
}
