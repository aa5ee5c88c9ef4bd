import LarderFormat
import LarderOutbox
import LarderStore
import Testing

@Suite struct `The order of delivery` {
    @Test func `[§4.2.1] a write is sent at once when online, and waits when offline`() {
        var bench = Bench()
        let first = bench.enqueue()
        #expect(bench.sent == [first])

        bench = Bench(isOnline: false)
        bench.enqueue()
        #expect(bench.sent.isEmpty)
    }

    @Test func `[§4.2.2] when the network returns, a lane is flushed first in, first out`() {
        var bench = Bench(isOnline: false)
        let ids = [bench.enqueue(), bench.enqueue(), bench.enqueue()]
        bench.take(.network(isUsable: true))
        for (place, id) in ids.enumerated() {
            #expect(bench.sent == [id])
            bench.answer(id, 200)
            #expect(bench.outcomes.count == place + 1)
        }
        #expect(bench.stored.isEmpty)
    }

    @Test func `[§4.5] check-in goes before check-out, however often it has to be tried`() {
        var bench = Bench()
        let (checkIn, checkOut) = (bench.enqueue(), bench.enqueue())
        for answer in [Answer.none, .notSent, .head(AnswerHead(503))] {
            bench.answer(checkIn, answer)
            #expect(!bench.sent.contains(checkOut))
            bench.wait()
            #expect(bench.sent == [checkIn])
        }
        bench.answer(checkIn, 201)
        #expect(bench.sent == [checkOut])
    }

    @Test func `[§4.5] a head that has failed holds its entity and not the rest of its lane`() {
        var bench = Bench()
        let head = bench.enqueue(entity: "visit/1", attempts: 1)
        let same = bench.enqueue(entity: "visit/1")
        let other = bench.enqueue(entity: "visit/2")
        bench.answer(head, 500)
        #expect(bench.state(head) == .failed)
        #expect(bench.sent == [other])
        bench.answer(other, 422)
        #expect(bench.sent.isEmpty && bench.state(same) == .pending)
        bench.take(.revive(head))
        #expect(bench.sent == [head])
        bench.answer(head, 200)
        #expect(bench.sent == [same])
    }

    @Test func `[§4.5] an entry without entity that has failed holds all of its lane that has none`() {
        var bench = Bench()
        let head = bench.enqueue(attempts: 1)
        let behind = bench.enqueue()
        let about = bench.enqueue(entity: "visit/2")
        bench.answer(head, 500)
        #expect(bench.sent == [about] && bench.state(behind) == .pending)
    }

    @Test func `[§4.5] a refused head lets the lane go on`() {
        var bench = Bench()
        let (head, next) = (bench.enqueue(), bench.enqueue())
        bench.answer(head, 422)
        #expect(bench.outcomes[head] == "rejected" && bench.sent == [next])
    }

    @Test func `lanes go in parallel, four requests at a time`() {
        var bench = Bench(isOnline: false)
        let ids = (1...6).map { bench.enqueue("lane \($0)") }
        bench.take(.network(isUsable: true))
        #expect(bench.sent == Array(ids[..<4]))
        bench.answer(ids[2], 200)
        #expect(bench.sent == [ids[4]])
    }

    @Test func `a bad entry never holds another lane`() {
        var bench = Bench()
        let bad = bench.enqueue("bad")
        for _ in 0..<20 {
            bench.answer(bad, .none)
            let good = bench.enqueue("good")
            #expect(bench.sent == [good])
            bench.answer(good, 200)
            bench.wait()
            #expect(bench.sent == [bad])
        }
    }

    @Test func `an entry waits for those that it comes after, in whatever lane they are`() {
        var bench = Bench()
        let visit = bench.enqueue("visit")
        let photo = bench.enqueue("photos", after: [visit])
        let other = bench.enqueue("notes")
        #expect(bench.sent == [other])
        bench.answer(visit, 503)
        #expect(bench.sent.isEmpty)
        bench.wait()
        bench.answer(visit, 200)
        #expect(bench.sent == [photo])
    }

    @Test func `two entries that come after each other do not stand still`() {
        var bench = Bench(isOnline: false)
        let later = UUIDBytes(high: 1, low: 2)
        let first = bench.enqueue("a", after: [later])
        #expect(bench.enqueue("a", after: [first]) == later)
        bench.take(.network(isUsable: true))
        #expect(bench.sent == [first])
        bench.answer(first, 200)
        #expect(bench.sent == [later])
    }

    @Test func `what follows a refused entry goes with it and names it, and the rest of the lane goes on`() {
        var bench = Bench()
        let visit = bench.enqueue("visit")
        let photo = bench.enqueue("photos", after: [visit])
        let caption = bench.enqueue("captions", after: [photo])
        let next = bench.enqueue("photos")
        bench.answer(visit, 403)
        #expect(bench.reasons[visit] == .status(403))
        #expect(bench.reasons[photo] == .after(visit) && bench.reasons[caption] == .after(photo))
        #expect(bench.sent == [next])
    }

    @Test func `what follows a dropped entry goes with it`() {
        var bench = Bench(isOnline: false)
        let visit = bench.enqueue("visit")
        let photo = bench.enqueue("photos", after: [visit])
        bench.take(.discard(visit, outcome: "cancelled"))
        #expect(bench.outcomes[visit] == "cancelled" && bench.reasons[photo] == .after(visit))
    }

    @Test func `a follower that is seen after the refusal goes too`() {
        var bench = Bench()
        let visit = bench.enqueue("visit")
        bench.answer(visit, 422)
        let photo = bench.enqueue("photos", after: [visit])
        #expect(bench.reasons[photo] == .after(visit) && bench.sent.isEmpty)
    }

    @Test func `what takes the place of an entry in conflict stands where it stood`() {
        var policy = OutboxPolicy.plain
        policy.resolvesConflicts = true
        var bench = Bench(policy: policy)
        let old = bench.enqueue(entity: "x")
        let behind = bench.enqueue(entity: "x")
        let photo = bench.enqueue("b", after: [old])
        bench.answer(old, 409)
        #expect(bench.state(old) == .conflicted && bench.effects.contains(.resolve(old)))
        let new = LaneEntry(id: UUIDBytes(high: 3, low: 3), lane: "a", sequence: 1, entity: "x")
        bench.stored[old] = nil
        bench.stored[new.id] = new
        bench.stored[photo]?.after = [new.id]
        bench.take(.look)
        #expect(bench.sent == [new.id])
        bench.answer(new.id, 200)
        #expect(Set(bench.sent) == [behind, photo])
    }

    @Test
    func `a request that was cancelled is over before its write is sent again, and its answer is not the next one's`() {
        var bench = Bench()
        let id = bench.enqueue()
        #expect(bench.sent == [id])
        // Another process has decided on it.
        bench.stored[id]?.delivery.state = .pending
        bench.take(.look)
        #expect(bench.effects.contains(.cancel(id)) && bench.sent.isEmpty)
        bench.answer(id, .none)
        #expect(bench.sent == [id] && bench.stored[id]?.delivery.isInDoubt == false)
        bench.answer(id, 200)
        #expect(bench.outcomes[id] == "accepted")
    }
}
