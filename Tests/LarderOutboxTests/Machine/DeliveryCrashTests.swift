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
        bench.stored[visit]?.delivery.state = .rejected
        bench.restart()
        #expect(bench.sent.isEmpty && bench.reasons[photo] == .after(visit))
    }

    @Test func `while the store keeps nothing nothing is begun, and nothing is written in a circle`() {
        var bench = Bench()
        let id = bench.enqueue()
        var waits: [Double] = []
        for _ in 0..<8 {
            // The answer comes, and is not kept.
            _ = bench.machine.step(
                .answered(id, .whole(.head(AnswerHead(200)))), at: bench.moment, freshKey: id)
            bench.take(.storageFailed)
            #expect(bench.machine.armed != nil)
            let before = bench.stored
            bench.take(.loaded(Array(bench.stored.values)))
            #expect(bench.stored == before && bench.sent.isEmpty)
            waits.append(bench.armed ?? -1)
            bench.wait()
            #expect(bench.sent == [id])
        }
        #expect(waits == [1, 2, 4, 8, 16, 32, 60, 60])
        bench.answer(id, 200)
        #expect(bench.outcomes[id] == "accepted")
    }

    @Test func `what a step that was not stored had begun is begun anew`() {
        var bench = Bench(gate: .signedIn("ann"))
        let id = bench.enqueue(account: "ann")
        // A 401 that is not kept: nobody was asked to sign in, and no timer was armed.
        _ = bench.machine.step(.answered(id, .whole(.head(AnswerHead(401)))), at: bench.moment, freshKey: id)
        bench.take(.storageFailed)
        #expect(bench.effects.contains(.arm(bench.elapsed + .seconds(1))))
        bench.take(.loaded(Array(bench.stored.values)))
        bench.wait()
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
        #expect(bench.effects.last == .stopped && bench.state(id) == .waiting)
        bench.take(.foreground)
        #expect(!bench.effects.contains(.stopped))
    }
}
