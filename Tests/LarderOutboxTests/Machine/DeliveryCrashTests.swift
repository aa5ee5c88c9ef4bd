import LarderFormat
import LarderOutbox
import LarderStore
import LarderTransport
import Testing

@Suite struct `What dies and what fails in delivery` {
    @Test func `a send is stored before it is begun`() {
        var bench = Bench()
        let id = bench.enqueue()
        #expect(bench.state(id) == .sending && bench.stored[id]?.delivery.tries == 1)
    }

    @Test func `an entry that was being sent when the process died is sent again under its key, in doubt`() {
        var bench = Bench()
        let id = bench.enqueue()
        bench.restart()
        #expect(bench.flights.map(\.key) == [id])
        #expect(bench.stored[id]?.delivery.isInDoubt == true && bench.stored[id]?.delivery.tries == 2)
    }

    @Test func `a follower of a refused entry is not sent when the process died before it was told`() {
        var bench = Bench(isOnline: false)
        let visit = bench.enqueue("visit")
        let photo = bench.enqueue("photos", after: [visit])
        // Another process, or an earlier version, has left the follower behind.
        bench.stored[visit]?.delivery.state = .rejected
        bench.restart()
        #expect(bench.sent.isEmpty && bench.reasons[photo] == .after(visit))
    }

    @Test func `while the store keeps nothing nothing is begun, and what is under way is not given up`() {
        var bench = Bench()
        let id = bench.enqueue()
        var waits: [Double] = []
        for _ in 0..<8 {
            // The answer comes, and is not kept.
            bench.takeInVain(.answered(id, .whole(.head(AnswerHead(200)))))
            #expect(bench.machine.flights == [id] && bench.state(id) == .sending)
            let other = LaneEntry(id: UUIDBytes(high: 2, low: 2), lane: "b", sequence: 99)
            bench.stored[other.id] = other
            bench.take(.look)
            #expect(bench.sent.isEmpty && bench.state(other.id) == .pending)
            bench.stored[other.id] = nil
            bench.take(.look)
            waits.append(bench.armed ?? -1)
            bench.wait()
            #expect(bench.sent.isEmpty)
        }
        #expect(waits == [1, 2, 4, 8, 16, 32, 60, 60])
        bench.answer(id, 200)
        #expect(bench.outcomes[id] == "accepted")
        // The store has room again.
        let next = bench.enqueue()
        bench.takeInVain(.answered(next, .whole(.head(AnswerHead(200)))))
        #expect(bench.armed == 1)
    }

    @Test func `what a step that was not stored had begun is begun by the next one`() {
        var bench = Bench(gate: .signedIn("ann"))
        let id = bench.enqueue(account: "ann")
        // A 401 that is not kept: nobody was asked to sign in, and no timer was armed.
        bench.takeInVain(.answered(id, .whole(.head(AnswerHead(401)))))
        #expect(bench.effects.contains(.arm(bench.elapsed + .seconds(1))) && bench.machine.gate == .signedIn("ann"))
        bench.wait()
        bench.answer(id, 401)
        #expect(bench.effects.contains(.signIn("ann")))
    }

    @Test func `a stop ends the requests, waits for them, and begins no other`() {
        var bench = Bench()
        let id = bench.enqueue()
        bench.take(.stop)
        #expect(bench.effects == [.cancel(id)])
        bench.enqueue("b")
        #expect(bench.sent.isEmpty)
        bench.answer(id, .none)
        #expect(bench.machine.flights.isEmpty && bench.state(id) == .waiting)
        bench.take(.foreground)
        #expect(bench.effects.isEmpty && bench.machine.armed == nil)
    }
}
