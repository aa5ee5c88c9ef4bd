import LarderFormat
import LarderOutbox
import LarderStore
import LarderTransport
import Testing

@Suite struct `Trying again` {
    @Test func `[§4.2.3] waits 1, 2, 4, 8, 16, 32, 60 and then always 60 seconds`() {
        var policy = OutboxPolicy.plain
        policy.mostAttempts = 8
        var bench = Bench(policy: policy)
        let id = bench.enqueue()
        var waits: [Double] = []
        for _ in 0..<7 {
            bench.answer(id, 503)
            waits.append(bench.armed ?? -1)
            bench.wait()
            #expect(bench.sent == [id])
        }
        bench.answer(id, 503)
        #expect(waits == [1, 2, 4, 8, 16, 32, 60])
        #expect(bench.state(id) == .failed)
    }

    @Test func `[§4.2.3] jitter takes away from a wait and never adds to it`() {
        for seed in 0..<200 {
            var policy = OutboxPolicy()
            policy.mostAttempts = 100
            var machine = DeliveryMachine(policy: policy, seed: UInt64(seed))
            let entry = LaneEntry(id: UUIDBytes(high: 1, low: 1), lane: "a", sequence: 1)
            let start = Moment(elapsed: .zero, now: 0)
            _ = machine.step(.network(isUsable: true), at: start, freshKey: entry.id)
            machine.see(TableNews([entry], changed: nil), at: start)
            _ = machine.step(.look, at: start, freshKey: entry.id)
            _ = machine.step(.answered(entry.id, .whole(.none)), at: start, freshKey: entry.id)
            let wait = machine.armed ?? .zero
            #expect(wait <= .seconds(1) && wait >= .milliseconds(800), "seed \(seed)")
        }
    }

    @Test func `[§4.2.4] five answers that ask for another try make an entry fail, and it stays in the outbox`() {
        var bench = Bench()
        let id = bench.enqueue()
        for attempt in 1...5 {
            #expect(bench.sent == [id], "attempt \(attempt)")
            bench.answer(id, 500)
            if attempt < 5 { bench.wait() }
        }
        #expect(bench.state(id) == .failed && bench.stored[id]?.delivery.attempts == 5)
        bench.pass(.seconds(299))
        #expect(bench.sent.isEmpty && bench.stored[id] != nil)
    }

    @Test func `[§4.2.5] the bound is 500 entries, and a full outbox refuses`() {
        let policy = OutboxPolicy()
        #expect(policy.bounds.entries == 500 && policy.bounds.whenFull == .refuse)
    }

    @Test func `[§4.2.6] entries and their counts survive a restart`() {
        var bench = Bench()
        let (first, second) = (bench.enqueue(), bench.enqueue())
        bench.answer(first, 503)
        bench.restart()
        #expect(bench.stored[first]?.delivery.attempts == 1 && bench.stored[second] != nil)
        #expect(bench.sent.isEmpty && bench.armed == 1)
        bench.wait()
        #expect(bench.sent == [first])
        for _ in 0..<3 {
            bench.answer(first, 503)
            bench.wait()
        }
        bench.answer(first, 503)
        #expect(bench.state(first) == .failed)
    }

    @Test func `[§4.2.10] [§4.2.11] no failure of the network ever gives an entry up`() {
        var bench = Bench()
        let id = bench.enqueue()
        for _ in 0..<100 {
            bench.answer(id, .notSent)
            bench.wait()
        }
        #expect(bench.state(id) == .sending && bench.stored[id]?.delivery.attempts == 0)
        #expect(bench.stored[id]?.delivery.isInDoubt == false)
    }

    @Test func `[§4.3.1] [§4.3.4] every try of an entry bears its own key`() {
        var bench = Bench()
        let id = bench.enqueue()
        for answer in [Answer.none, .notSent, .head(AnswerHead(503)), .head(AnswerHead(429))] {
            #expect(bench.flights.map(\.key) == [id])
            bench.answer(id, answer)
            bench.wait()
        }
        bench.restart()
        #expect(bench.flights.map(\.key) == [id])
    }

    @Test func `[§4.3.2] what is in doubt is sent again for 23 hours, and then the host is asked`() {
        var bench = Bench()
        let id = bench.enqueue()
        bench.answer(id, .none)
        bench.take(.network(isUsable: false))
        bench.pass(.seconds(23 * 3600 - 60))
        bench.take(.network(isUsable: true))
        #expect(bench.sent == [id])
        bench.answer(id, .none)
        bench.pass(.seconds(61))
        #expect(bench.sent.isEmpty && bench.state(id) == .unresolved)
        bench.take(.decide(id, .sendAgain))
        #expect(bench.flights.map(\.key) == [id])
    }

    @Test func `[§4.3.2] tries that never left, or were answered, do not count towards the 23 hours`() {
        for answer in [Answer.notSent, .head(AnswerHead(503))] {
            var bench = Bench()
            let id = bench.enqueue()
            bench.answer(id, answer)
            bench.take(.network(isUsable: false))
            bench.pass(.seconds(48 * 3600))
            bench.take(.network(isUsable: true))
            bench.answer(id, .none)
            bench.wait()
            #expect(bench.sent == [id], "after \(answer)")
        }
    }

    @Test func `[§4.3.2] an entry whose turn comes because another is parked is not sent unseen`() {
        var bench = Bench()
        let first = bench.enqueue(entity: "x", attempts: 1)
        let second = bench.enqueue(entity: "y")
        bench.answer(first, 504)
        bench.answer(second, .none)
        bench.take(.network(isUsable: false))
        bench.take(.revive(first))
        bench.pass(.seconds(25 * 3600))
        bench.take(.network(isUsable: true))
        #expect(bench.sent.isEmpty)
        #expect(bench.state(first) == .unresolved && bench.state(second) == .unresolved)
    }

    @Test func `a gateway that answers for the server leaves a write in doubt`() {
        var bench = Bench()
        let id = bench.enqueue()
        bench.answer(id, 504)
        #expect(bench.stored[id]?.delivery.isInDoubt == true && bench.stored[id]?.delivery.attempts == 1)
    }

    @Test func `a server that asks for time gets it, whatever the network does`() {
        var bench = Bench()
        let id = bench.enqueue()
        bench.answer(id, 429, retryAfter: .seconds(120))
        #expect(bench.armed == 120)
        bench.take(.network(isUsable: false))
        bench.take(.network(isUsable: true))
        bench.take(.foreground)
        #expect(bench.sent.isEmpty && bench.armed == 120)
        bench.restart()
        bench.take(.foreground)
        #expect(bench.sent.isEmpty && bench.armed == 120)
        bench.take(.revive(id))
        #expect(bench.sent == [id])
    }

    @Test func `a network that returns and the foreground try at once and spend nothing`() {
        for event in [DeliveryEvent.network(isUsable: true), .foreground] {
            var bench = Bench()
            let id = bench.enqueue()
            for _ in 0..<3 {
                bench.answer(id, 503)
                bench.wait()
            }
            bench.answer(id, 503)
            if event != .foreground { bench.take(.network(isUsable: false)) }
            bench.take(event)
            #expect(bench.sent == [id] && bench.stored[id]?.delivery.attempts == 4)
        }
    }

    @Test func `a failed entry is revived by hand, by the network or in the foreground, with all its attempts`() {
        for event in [DeliveryEvent.network(isUsable: true), .reviveAll, .foreground] {
            var bench = Bench()
            let id = bench.enqueue(attempts: 2)
            bench.answer(id, 500)
            bench.wait()
            bench.answer(id, 500)
            #expect(bench.sent.isEmpty)
            if event == .network(isUsable: true) { bench.take(.network(isUsable: false)) }
            bench.take(event)
            #expect(bench.sent == [id] && bench.stored[id]?.delivery.attempts == 0)
        }
    }

    @Test func `what cannot be sent as it is has failed at once, is not tried again, and holds only its entity`() {
        var bench = Bench()
        let (first, second) = (bench.enqueue(entity: "x"), bench.enqueue(entity: "x"))
        let other = bench.enqueue(entity: "y")
        bench.answer(first, .unsendable("its file is gone"))
        let delivery = bench.stored[first]?.delivery
        #expect(delivery?.state == .failed && delivery?.lastError == "its file is gone")
        #expect(delivery?.attempts == 0 && delivery?.isInDoubt == false && bench.armed == nil)
        #expect(bench.effects.contains(.report(.failed(first, status: nil))))
        #expect(bench.sent == [other] && bench.state(second) == .pending)
        bench.answer(other, 200)
        bench.take(.foreground)
        bench.restart()
        #expect(bench.sent.isEmpty && bench.armed == nil)
    }

    @Test func `a hand and the network's return have what could not be sent tried once more, and no more`() {
        for isByHand in [true, false] {
            var bench = Bench()
            let id = bench.enqueue()
            bench.answer(id, .none)
            bench.wait()
            bench.answer(id, .unsendable("its file is gone"))
            // It may have arrived when it could be sent.
            #expect(bench.stored[id]?.delivery.isInDoubt == true)
            if !isByHand { bench.take(.network(isUsable: false)) }
            bench.take(isByHand ? .revive(id) : .network(isUsable: true))
            #expect(bench.sent == [id])
            bench.answer(id, .unsendable("its file is gone"))
            #expect(bench.sent.isEmpty && bench.armed == nil && bench.state(id) == .failed)
        }
    }

    @Test func `a clock that is set back keeps no entry waiting`() {
        var bench = Bench()
        let id = bench.enqueue()
        bench.answer(id, 503)
        bench.elapsed -= .seconds(24 * 3600)
        bench.restart()
        #expect(bench.sent == [id])
    }
}
