// Proves that a server that asks for time gets it from all lanes, over restarts and networks, at no attempt.
import LarderFormat
import LarderOutbox
import LarderStore
import LarderTransport
import Testing

@Suite struct `A server that asks for time` {
    /// Twelve lanes, four of them under way.
    private func lanes() -> (Bench, [UUIDBytes]) {
        var bench = Bench(isOnline: false)
        let ids = (1...12).map { bench.enqueue("\($0)") }
        bench.take(.network(isUsable: true))
        return (bench, ids)
    }

    @Test(arguments: [429, 503])
    func `gets it from every lane, and then one request shows whether it takes more`(status: Int) {
        var (bench, ids) = lanes()
        #expect(bench.sent == Array(ids[..<4]))
        for id in ids[..<4] {
            bench.answer(id, status, retryAfter: .seconds(60))
            #expect(bench.sent.isEmpty)
        }
        #expect(bench.armed == 60)
        #expect(bench.stored.values.allSatisfy { $0.delivery.attempts == 0 })
        let until = bench.moment.now + 60_000
        let status = bench.machine.status(at: bench.moment)
        #expect(status.pauses == [.askedToWait(until: until)] && status.nextAttemptAt == until)
        bench.wait()
        #expect(bench.sent == [ids[0]])
        bench.answer(ids[0], 200)
        #expect(bench.sent == Array(ids[1...4]))
    }

    @Test func `gets it whatever the network and the foreground do, and over a restart`() {
        var (bench, ids) = lanes()
        bench.answer(ids[0], 429, retryAfter: .seconds(60))
        for id in ids[1..<4] { bench.answer(id, .notSent) }
        bench.pass(.seconds(20))
        for _ in 0..<2 {
            bench.take(.network(isUsable: false))
            bench.take(.network(isUsable: true))
            bench.take(.foreground)
            #expect(bench.sent.isEmpty && bench.armed == 40)
            bench.restart()
            #expect(bench.sent.isEmpty && bench.armed == 40)
        }
        bench.enqueue("13")
        #expect(bench.sent.isEmpty)
    }

    @Test func `may refuse for ever: no attempt is spent`() {
        var bench = Bench()
        let id = bench.enqueue()
        var waits: [Double] = []
        for _ in 0..<8 {
            bench.answer(id, 429)
            waits.append(bench.armed ?? -1)
            bench.wait()
            #expect(bench.sent == [id])
        }
        #expect(waits == [1, 2, 4, 8, 16, 32, 60, 60])
        #expect(bench.stored[id]?.delivery.attempts == 0)
    }

    @Test(arguments: [200, 302, 403, 429, 503, 511])
    func `is not what something else answers in its place`(_ status: Int) {
        for isForeign in status == 302 || status == 511 ? [false, true] : [true] {
            var bench = Bench()
            let (id, other) = (bench.enqueue("a"), bench.enqueue("b"))
            bench.answer(id, .head(AnswerHead(status, retryAfter: .seconds(3600), isForeign: isForeign)))
            #expect(bench.serverWait == nil && bench.armed == 1)
            bench.answer(other, 200)
            bench.wait()
            #expect(bench.sent == [id])
        }
    }

    @Test func `spends no attempt when something else says that there are too many requests`() {
        var bench = Bench()
        let id = bench.enqueue()
        for _ in 0..<8 {
            bench.answer(id, .head(AnswerHead(429, isForeign: true)))
            bench.wait()
        }
        #expect(bench.sent == [id] && bench.stored[id]?.delivery.attempts == 0)
    }

    @Test func `gets a day at most`() {
        var bench = Bench()
        bench.answer(bench.enqueue(), 429, retryAfter: .seconds(10 * 365 * 86_400))
        #expect(bench.armed == 86_400)
    }

    @Test func `is asked all the same when a person wants it, with one request`() {
        var (bench, ids) = lanes()
        for id in ids[..<4] { bench.answer(id, 429, retryAfter: .seconds(600)) }
        bench.take(.revive(ids[2]))
        #expect(bench.sent.count == 1 && bench.serverWait == nil)
    }

    @Test func `is left alone also when it asked something else here`() {
        var bench = Bench()
        let id = bench.enqueue()
        bench.answer(id, .heldBack(.seconds(30)))
        #expect(bench.state(id) == .pending && bench.sent.isEmpty && bench.armed == 30)
        #expect(bench.stored[id]?.delivery.attempts == 0 && bench.stored[id]?.delivery.isInDoubt == false)
        bench.wait()
        #expect(bench.sent == [id])
    }
}
