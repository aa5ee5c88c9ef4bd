// Proves that lanes keep their order, run in parallel, and are blocked only by what they depend on.

import LarderFormat
import LarderOutbox
import LarderStore
import Testing

@Suite struct `The order of delivery` {
    @Test func `[§4.2.1] a write is sent at once when online, and waits when offline`() {
        var fixture = MachineFixture()
        let first = fixture.enqueue()
        #expect(fixture.sent == [first])

        fixture = MachineFixture(isOnline: false)
        fixture.enqueue()
        #expect(fixture.sent.isEmpty)
    }

    @Test func `[§4.2.2] when the network returns, a lane is flushed first in, first out`() {
        var fixture = MachineFixture(isOnline: false)
        let ids = [fixture.enqueue(), fixture.enqueue(), fixture.enqueue()]
        fixture.handle(.network(isUsable: true))
        for (place, id) in ids.enumerated() {
            #expect(fixture.sent == [id])
            fixture.answer(id, 200)
            #expect(fixture.outcomes.count == place + 1)
        }
        #expect(fixture.stored.isEmpty)
    }

    @Test func `answers that are in together end their writes in one step, and the next of each lane begins`() {
        var fixture = MachineFixture()
        let heads = ["a", "b", "c"].map { fixture.enqueue($0) }
        let next = ["a", "b", "c"].map { fixture.enqueue($0) }
        fixture.handle(zip(heads, [200, 422, 500]).map { .tryEnded($0, .whole(.head(ResponseSummary($1)))) })
        #expect(fixture.outcomes == [heads[0]: "accepted", heads[1]: "rejected"])
        #expect(fixture.state(heads[2]) == .waiting)
        #expect(fixture.sent == Array(next.prefix(2)))
    }

    @Test func `[§4.5] check-in goes before check-out, however often it has to be tried`() {
        var fixture = MachineFixture()
        let (checkIn, checkOut) = (fixture.enqueue(), fixture.enqueue())
        for answer in [SendResult.none, .notSent, .head(ResponseSummary(503))] {
            fixture.answer(checkIn, answer)
            #expect(!fixture.sent.contains(checkOut))
            fixture.wait()
            #expect(fixture.sent == [checkIn])
        }
        fixture.answer(checkIn, 201)
        #expect(fixture.sent == [checkOut])
    }

    @Test func `[§4.5] a head that has failed holds its entity and not the rest of its lane`() {
        var fixture = MachineFixture()
        let head = fixture.enqueue(entity: "visit/1", attempts: 1)
        let same = fixture.enqueue(entity: "visit/1")
        let other = fixture.enqueue(entity: "visit/2")
        fixture.answer(head, 500)
        #expect(fixture.state(head) == .failed)
        #expect(fixture.sent == [other])
        fixture.answer(other, 422)
        #expect(fixture.sent.isEmpty && fixture.state(same) == .pending)
        fixture.handle(.revive(head))
        #expect(fixture.sent == [head])
        fixture.answer(head, 200)
        #expect(fixture.sent == [same])
    }

    @Test func `[§4.5] an entry without entity that has failed holds all of its lane that has none`() {
        var fixture = MachineFixture()
        let head = fixture.enqueue(attempts: 1)
        let behind = fixture.enqueue()
        let about = fixture.enqueue(entity: "visit/2")
        fixture.answer(head, 500)
        #expect(fixture.sent == [about] && fixture.state(behind) == .pending)
    }

    @Test func `[§4.5] a refused head lets the lane go on`() {
        var fixture = MachineFixture()
        let (head, next) = (fixture.enqueue(), fixture.enqueue())
        fixture.answer(head, 422)
        #expect(fixture.outcomes[head] == "rejected" && fixture.sent == [next])
    }

    @Test func `lanes go in parallel, four requests at a time`() {
        var fixture = MachineFixture(isOnline: false)
        let ids = (1...6).map { fixture.enqueue("lane \($0)") }
        fixture.handle(.network(isUsable: true))
        #expect(fixture.sent == Array(ids[..<4]))
        fixture.answer(ids[2], 200)
        #expect(fixture.sent == [ids[4]])
    }

    @Test func `a bad entry never holds another lane`() {
        var fixture = MachineFixture()
        let bad = fixture.enqueue("bad")
        for _ in 0..<20 {
            fixture.answer(bad, .none)
            let good = fixture.enqueue("good")
            #expect(fixture.sent == [good])
            fixture.answer(good, 200)
            fixture.wait()
            #expect(fixture.sent == [bad])
        }
    }

    @Test func `an entry waits for those that it comes after, in whatever lane they are`() {
        var fixture = MachineFixture()
        let visit = fixture.enqueue("visit")
        let photo = fixture.enqueue("photos", after: [visit])
        let other = fixture.enqueue("notes")
        #expect(fixture.sent == [other])
        fixture.answer(visit, 503)
        #expect(fixture.sent.isEmpty)
        fixture.wait()
        fixture.answer(visit, 200)
        #expect(fixture.sent == [photo])
    }

    @Test func `two entries that come after each other do not deadlock`() {
        var fixture = MachineFixture(isOnline: false)
        let later = UUIDBytes(high: 1, low: 2)
        let first = fixture.enqueue("a", after: [later])
        #expect(fixture.enqueue("a", after: [first]) == later)
        fixture.handle(.network(isUsable: true))
        #expect(fixture.sent == [first])
        fixture.answer(first, 200)
        #expect(fixture.sent == [later])
    }

    @Test func `what follows a refused entry goes with it and names it, and the rest of the lane goes on`() {
        var fixture = MachineFixture()
        let visit = fixture.enqueue("visit")
        let photo = fixture.enqueue("photos", after: [visit])
        let caption = fixture.enqueue("captions", after: [photo])
        let next = fixture.enqueue("photos")
        fixture.answer(visit, 403)
        #expect(fixture.reasons[visit] == .status(403))
        #expect(fixture.reasons[photo] == .after(visit) && fixture.reasons[caption] == .after(photo))
        #expect(fixture.sent == [next])
    }

    @Test func `what follows a dropped entry goes with it`() {
        var fixture = MachineFixture(isOnline: false)
        let visit = fixture.enqueue("visit")
        let photo = fixture.enqueue("photos", after: [visit])
        fixture.handle(.discard(visit, outcome: "cancelled"))
        #expect(fixture.outcomes[visit] == "cancelled" && fixture.reasons[photo] == .after(visit))
    }

    @Test func `a follower that is seen after the refusal goes too`() {
        var fixture = MachineFixture()
        let visit = fixture.enqueue("visit")
        fixture.answer(visit, 422)
        let photo = fixture.enqueue("photos", after: [visit])
        #expect(fixture.reasons[photo] == .after(visit) && fixture.sent.isEmpty)
    }

    @Test func `what replaces an entry in conflict stands where it stood`() {
        var policy = OutboxPolicy.plain
        policy.resolvesConflicts = true
        var fixture = MachineFixture(policy: policy)
        let old = fixture.enqueue(entity: "x")
        let behind = fixture.enqueue(entity: "x")
        let photo = fixture.enqueue("b", after: [old])
        fixture.answer(old, 409)
        #expect(fixture.state(old) == .conflicted && fixture.effects.contains(.resolve(old)))
        let new = LaneEntry(id: UUIDBytes(high: 3, low: 3), lane: "a", sequence: 1, entity: "x")
        fixture.stored[old] = nil
        fixture.stored[new.id] = new
        fixture.stored[photo]?.after = [new.id]
        fixture.handle(.tableChanged)
        #expect(fixture.sent == [new.id])
        fixture.answer(new.id, 200)
        #expect(Set(fixture.sent) == [behind, photo])
    }

    @Test
    func `a request that was cancelled is over before its write is sent again, and its answer is not the next one's`() {
        var fixture = MachineFixture()
        let id = fixture.enqueue()
        #expect(fixture.sent == [id])
        // Another process has decided on it.
        fixture.stored[id]?.delivery.state = .pending
        fixture.handle(.tableChanged)
        #expect(fixture.effects.contains(.cancel(id)) && fixture.sent.isEmpty)
        fixture.answer(id, .none)
        #expect(fixture.sent == [id] && fixture.stored[id]?.delivery.isInDoubt == false)
        fixture.answer(id, 200)
        #expect(fixture.outcomes[id] == "accepted")
    }
}
