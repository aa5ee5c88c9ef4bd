// Proves that the delivery machine stores each send before it begins, and recovers from crashes and failed commits.

import LarderFormat
import LarderOutbox
import LarderStore
import LarderTransport
import Testing

@Suite struct `What dies and what fails in delivery` {
    @Test func `a send is stored before it is begun`() {
        var fixture = MachineFixture()
        let id = fixture.enqueue()
        #expect(fixture.state(id) == .sending && fixture.stored[id]?.delivery.tries == 1)
    }

    @Test func `an entry that was being sent when the process died is sent again under its key, in doubt`() {
        var fixture = MachineFixture()
        let id = fixture.enqueue()
        fixture.restart()
        #expect(fixture.attempts.map(\.key) == [id])
        #expect(fixture.stored[id]?.delivery.isInDoubt == true && fixture.stored[id]?.delivery.tries == 2)
    }

    @Test func `a follower of a refused entry is not sent when the process died before the report`() {
        var fixture = MachineFixture(isOnline: false)
        let visit = fixture.enqueue("visit")
        let photo = fixture.enqueue("photos", after: [visit])
        // Another process, or an earlier version, has left the follower behind.
        fixture.stored[visit]?.delivery.state = .rejected
        fixture.restart()
        #expect(fixture.sent.isEmpty && fixture.reasons[photo] == .after(visit))
    }

    @Test func `while the store cannot commit, nothing is begun, and what is under way is not given up`() {
        var fixture = MachineFixture()
        let id = fixture.enqueue()
        var waits: [Double] = []
        for _ in 0..<8 {
            // The answer comes, and is not kept.
            fixture.handleUnstored(.tryEnded(id, .whole(.head(ResponseSummary(200)))))
            #expect(fixture.machine.activeTries == [id] && fixture.state(id) == .sending)
            let other = LaneEntry(id: UUIDBytes(high: 2, low: 2), lane: "b", sequence: 99)
            fixture.stored[other.id] = other
            fixture.handle(.tableChanged)
            #expect(fixture.sent.isEmpty && fixture.state(other.id) == .pending)
            fixture.stored[other.id] = nil
            fixture.handle(.tableChanged)
            waits.append(fixture.armed ?? -1)
            fixture.wait()
            #expect(fixture.sent.isEmpty)
        }
        #expect(waits == [1, 2, 4, 8, 16, 32, 60, 60])
        fixture.answer(id, 200)
        #expect(fixture.outcomes[id] == "accepted")
        // The store has space again.
        let next = fixture.enqueue()
        fixture.handleUnstored(.tryEnded(next, .whole(.head(ResponseSummary(200)))))
        #expect(fixture.armed == 1)
    }

    @Test func `what a step that was not stored had begun is begun by the next one`() {
        var fixture = MachineFixture(gate: .signedIn("ann"))
        let id = fixture.enqueue(account: "ann")
        // A 401 that is not kept: nobody was asked to sign in, and no timer was armed.
        fixture.handleUnstored(.tryEnded(id, .whole(.head(ResponseSummary(401)))))
        #expect(
            fixture.effects.contains(.arm(fixture.elapsed + .seconds(1)))
                && fixture.machine.authentication == .signedIn("ann"))
        fixture.wait()
        fixture.answer(id, 401)
        #expect(fixture.effects.contains(.signIn("ann")))
    }

    @Test func `a stop ends the requests, waits for them, and begins no other`() {
        var fixture = MachineFixture()
        let id = fixture.enqueue()
        fixture.handle(.stop)
        #expect(fixture.effects == [.cancel(id)])
        fixture.enqueue("b")
        #expect(fixture.sent.isEmpty)
        fixture.answer(id, .none)
        #expect(fixture.machine.activeTries.isEmpty && fixture.state(id) == .waiting)
        fixture.handle(.foreground)
        #expect(fixture.effects.isEmpty && fixture.machine.armed == nil)
    }
}
