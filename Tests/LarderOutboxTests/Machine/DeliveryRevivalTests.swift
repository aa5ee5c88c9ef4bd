// Proves that entries that failed through the server's fault are revived automatically, and no others.
import LarderFormat
import LarderOutbox
import LarderStore
import LarderTransport
import Testing

@Suite struct `What failed through the server's fault` {
    @Test func `is tried once more after 5, 10, 20, 40 and then always 60 minutes`() {
        var fixture = MachineFixture()
        let id = fixture.enqueue()
        fixture.fail(id)
        var waits: [Double] = []
        for _ in 0..<6 {
            waits.append((fixture.armed ?? -1) / 60)
            fixture.wait()
            #expect(fixture.sent == [id])
            fixture.answer(id, 503)
            #expect(fixture.state(id) == .failed)
        }
        #expect(waits == [5, 10, 20, 40, 60, 60])
        fixture.wait()
        fixture.answer(id, 200)
        #expect(fixture.outcomes[id] == "accepted")
    }

    @Test func `is tried once more at every start, by what is stored alone`() {
        var fixture = MachineFixture()
        let id = fixture.enqueue()
        fixture.fail(id)
        fixture.restart(isOnline: false)
        #expect(fixture.sent.isEmpty && fixture.state(id) == .failed)
        fixture.restart()
        #expect(fixture.sent == [id])
        fixture.answer(id, 503)
        #expect(fixture.state(id) == .failed && fixture.armed == 600)
        // The same process reads the table again: that is no start.
        fixture.handle(.tableChanged)
        #expect(fixture.sent.isEmpty && fixture.armed == 600)
    }

    @Test func `comes back when the server accepts something, and what it cannot perform does so after minutes`() {
        var fixture = MachineFixture()
        let (bad, second) = (fixture.enqueue("a"), fixture.enqueue("b"))
        fixture.fail(bad)
        fixture.answer(second, 200)
        #expect(fixture.sent == [bad])
        fixture.answer(bad, 500)
        #expect(fixture.armed == 600)
        let third = fixture.enqueue("c")
        fixture.answer(third, 200)
        #expect(fixture.sent.isEmpty && fixture.armed == 300)
        fixture.advanceClock(.seconds(200))
        let fourth = fixture.enqueue("d")
        fixture.answer(fourth, 200)
        #expect(fixture.sent.isEmpty && fixture.armed == 100)
    }

    @Test func `holds no other entity while it waits, nor an account that is not signed in`() {
        var fixture = MachineFixture(gate: .signedIn("ann"))
        let first = fixture.enqueue("a", entity: "x", account: "ann")
        fixture.fail(first)
        let second = fixture.enqueue("a", entity: "y", account: "ann")
        #expect(fixture.sent == [second])
        fixture.handle(.session(.signedIn("ben")))
        fixture.answer(second, .notSent)
        #expect(fixture.armed == nil)
        fixture.handle(.session(.signedIn("ann")))
        #expect(fixture.armed != nil)
    }

    @Test func `is not what made space, or cannot be sent as it is`() {
        var fixture = MachineFixture()
        let (first, second) = (fixture.enqueue("a"), fixture.enqueue("b"))
        fixture.answer(first, .unsendable("its file is gone"))
        fixture.answer(second, 200)
        fixture.handle(.foreground)
        fixture.restart()
        #expect(fixture.sent.isEmpty && fixture.armed == nil && fixture.state(first) == .failed)
    }

    @Test func `is not a write that the server is still performing, however long that takes`() {
        var fixture = MachineFixture()
        let id = fixture.enqueue()
        fixture.answer(id, .none)
        for _ in 0..<10 {
            fixture.wait()
            #expect(fixture.sent == [id])
            fixture.answer(id, .head(ResponseSummary(409, isInProgress: true)))
        }
        #expect(fixture.state(id) == .waiting && fixture.stored[id]?.delivery.attempts == 0)
        fixture.wait()
        fixture.answer(id, .head(ResponseSummary(409, isReplay: true)))
        #expect(fixture.outcomes[id] == "accepted")
    }

    @Test func `a write that the server says it is performing may be there`() {
        var fixture = MachineFixture()
        let id = fixture.enqueue()
        fixture.answer(id, .head(ResponseSummary(409, isInProgress: true)))
        #expect(fixture.stored[id]?.delivery.isInDoubt == true)
    }

    @Test func `refusals of writes about three things in a row pause all, and one at a time shows when it is over`() {
        var fixture = MachineFixture(isOnline: false)
        let ids = (1...12).map { fixture.enqueue("\($0)") }
        fixture.handle(.network(isUsable: true))
        fixture.answer(ids[0], 404)
        fixture.answer(ids[1], 404)
        #expect(fixture.machine.status(at: fixture.reading).pauses == [] && fixture.sent == [ids[5]])
        fixture.answer(ids[2], 404)
        #expect(fixture.sent.isEmpty && fixture.armed == 300)
        let status = fixture.machine.status(at: fixture.reading)
        #expect(status.pauses == [.refusals(3)] && status.nextTryAt == fixture.reading.now + 300_000)
        // What was under way is refused as well.
        for id in ids[3...5] { fixture.answer(id, 404) }
        for (id, wait) in zip(ids[6...7], [2400.0, 3600]) {
            #expect(fixture.sent.isEmpty && fixture.armed == wait)
            fixture.wait()
            #expect(fixture.sent == [id])
            fixture.answer(id, 404)
        }
        fixture.wait()
        fixture.answer(ids[8], 200)
        #expect(fixture.sent == Array(ids[9...]) && fixture.machine.status(at: fixture.reading).pauses == [])
    }

    @Test(arguments: [DeliveryEvent.foreground, .reviveAll, .network(isUsable: true)])
    func `a pause after refusals ends by hand, in the foreground and with the network, for one write`(
        _ event: DeliveryEvent
    ) {
        var fixture = MachineFixture()
        let ids = (1...3).map { fixture.enqueue("\($0)") }
        for id in ids { fixture.answer(id, 422) }
        let held = (4...6).map { fixture.enqueue("\($0)") }
        #expect(fixture.sent.isEmpty)
        if event == .network(isUsable: true) { fixture.handle(.network(isUsable: false)) }
        fixture.handle(event)
        #expect(fixture.sent == [held[0]])
        fixture.answer(held[0], 422)
        #expect(fixture.sent.isEmpty && fixture.armed == 600)
    }

    @Test func `a redirect spends no attempt and rejects nothing, and the status says why nothing is sent`() {
        var fixture = MachineFixture()
        let id = fixture.enqueue()
        for _ in 0..<10 {
            fixture.answer(id, 302)
            fixture.wait()
            #expect(fixture.sent == [id])
        }
        fixture.answer(id, 302)
        #expect(fixture.state(id) == .waiting && fixture.stored[id]?.delivery.attempts == 0)
        #expect(fixture.machine.status(at: fixture.reading).pauses == [.intercepted])
        fixture.wait()
        fixture.answer(id, 503)
        #expect(fixture.machine.status(at: fixture.reading).pauses == [])
    }
}
