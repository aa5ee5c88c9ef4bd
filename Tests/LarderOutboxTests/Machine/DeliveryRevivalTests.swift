// Proves that what fails through the server's fault comes back by itself, and that nothing else does.
import LarderFormat
import LarderOutbox
import LarderStore
import LarderTransport
import Testing

@Suite struct `What failed through the server's fault` {
    @Test func `is tried once more after 5, 10, 20, 40 and then always 60 minutes`() {
        var bench = Bench()
        let id = bench.enqueue()
        bench.fail(id)
        var waits: [Double] = []
        for _ in 0..<6 {
            waits.append((bench.armed ?? -1) / 60)
            bench.wait()
            #expect(bench.sent == [id])
            bench.answer(id, 503)
            #expect(bench.state(id) == .failed)
        }
        #expect(waits == [5, 10, 20, 40, 60, 60])
        bench.wait()
        bench.answer(id, 200)
        #expect(bench.outcomes[id] == "accepted")
    }

    @Test func `is tried once more at every start, by what is stored alone`() {
        var bench = Bench()
        let id = bench.enqueue()
        bench.fail(id)
        bench.restart(isOnline: false)
        #expect(bench.sent.isEmpty && bench.state(id) == .failed)
        bench.restart()
        #expect(bench.sent == [id])
        bench.answer(id, 503)
        #expect(bench.state(id) == .failed && bench.armed == 600)
        // The same process reads the table again: that is no start.
        bench.take(.look)
        #expect(bench.sent.isEmpty && bench.armed == 600)
    }

    @Test func `comes back when the server accepts something, and what it cannot perform does so after minutes`() {
        var bench = Bench()
        let (bad, second) = (bench.enqueue("a"), bench.enqueue("b"))
        bench.fail(bad)
        bench.answer(second, 200)
        #expect(bench.sent == [bad])
        bench.answer(bad, 500)
        #expect(bench.armed == 600)
        let third = bench.enqueue("c")
        bench.answer(third, 200)
        #expect(bench.sent.isEmpty && bench.armed == 300)
        bench.pass(.seconds(200))
        let fourth = bench.enqueue("d")
        bench.answer(fourth, 200)
        #expect(bench.sent.isEmpty && bench.armed == 100)
    }

    @Test func `holds no other entity while it waits, nor an account that is not signed in`() {
        var bench = Bench(gate: .signedIn("ann"))
        let first = bench.enqueue("a", entity: "x", account: "ann")
        bench.fail(first)
        let second = bench.enqueue("a", entity: "y", account: "ann")
        #expect(bench.sent == [second])
        bench.take(.session(.signedIn("ben")))
        bench.answer(second, .notSent)
        #expect(bench.armed == nil)
        bench.take(.session(.signedIn("ann")))
        #expect(bench.armed != nil)
    }

    @Test func `is not what made room, or cannot be sent as it is`() {
        var bench = Bench()
        let (first, second) = (bench.enqueue("a"), bench.enqueue("b"))
        bench.answer(first, .unsendable("its file is gone"))
        bench.answer(second, 200)
        bench.take(.foreground)
        bench.restart()
        #expect(bench.sent.isEmpty && bench.armed == nil && bench.state(first) == .failed)
    }

    @Test func `is not a write that the server is still performing, however long that takes`() {
        var bench = Bench()
        let id = bench.enqueue()
        bench.answer(id, .none)
        for _ in 0..<10 {
            bench.wait()
            #expect(bench.sent == [id])
            bench.answer(id, .head(AnswerHead(409, isInProgress: true)))
        }
        #expect(bench.state(id) == .waiting && bench.stored[id]?.delivery.attempts == 0)
        bench.wait()
        bench.answer(id, .head(AnswerHead(409, isReplay: true)))
        #expect(bench.outcomes[id] == "accepted")
    }

    @Test func `a write that the server says it is performing may be there`() {
        var bench = Bench()
        let id = bench.enqueue()
        bench.answer(id, .head(AnswerHead(409, isInProgress: true)))
        #expect(bench.stored[id]?.delivery.isInDoubt == true)
    }

    @Test func `refusals of writes about three things in a row pause all, and one at a time shows when it is over`() {
        var bench = Bench(isOnline: false)
        let ids = (1...12).map { bench.enqueue("\($0)") }
        bench.take(.network(isUsable: true))
        bench.answer(ids[0], 404)
        bench.answer(ids[1], 404)
        #expect(bench.machine.status(at: bench.moment).pauses == [] && bench.sent == [ids[5]])
        bench.answer(ids[2], 404)
        #expect(bench.sent.isEmpty && bench.armed == 300)
        let status = bench.machine.status(at: bench.moment)
        #expect(status.pauses == [.refusals(3)] && status.nextAttemptAt == bench.moment.now + 300_000)
        // What was under way is refused as well.
        for id in ids[3...5] { bench.answer(id, 404) }
        for (id, wait) in zip(ids[6...7], [2400.0, 3600]) {
            #expect(bench.sent.isEmpty && bench.armed == wait)
            bench.wait()
            #expect(bench.sent == [id])
            bench.answer(id, 404)
        }
        bench.wait()
        bench.answer(ids[8], 200)
        #expect(bench.sent == Array(ids[9...]) && bench.machine.status(at: bench.moment).pauses == [])
    }

    @Test(arguments: [DeliveryEvent.foreground, .reviveAll, .network(isUsable: true)])
    func `a pause after refusals ends by hand, in the foreground and with the network, for one write`(
        _ event: DeliveryEvent
    ) {
        var bench = Bench()
        let ids = (1...3).map { bench.enqueue("\($0)") }
        for id in ids { bench.answer(id, 422) }
        let held = (4...6).map { bench.enqueue("\($0)") }
        #expect(bench.sent.isEmpty)
        if event == .network(isUsable: true) { bench.take(.network(isUsable: false)) }
        bench.take(event)
        #expect(bench.sent == [held[0]])
        bench.answer(held[0], 422)
        #expect(bench.sent.isEmpty && bench.armed == 600)
    }

    @Test func `a redirect spends no attempt and rejects nothing, and the status says why nothing is sent`() {
        var bench = Bench()
        let id = bench.enqueue()
        for _ in 0..<10 {
            bench.answer(id, 302)
            bench.wait()
            #expect(bench.sent == [id])
        }
        bench.answer(id, 302)
        #expect(bench.state(id) == .waiting && bench.stored[id]?.delivery.attempts == 0)
        #expect(bench.machine.status(at: bench.moment).pauses == [.intercepted])
        bench.wait()
        bench.answer(id, 503)
        #expect(bench.machine.status(at: bench.moment).pauses == [])
    }
}
