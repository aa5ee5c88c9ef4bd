// Proves when entries are retried, fail, are revived or are left to the host.

import LarderFormat
import LarderOutbox
import LarderStore
import LarderTransport
import Testing

@Suite struct `Trying again` {
    @Test func `[§4.2.3] waits 1, 2, 4, 8, 16, 32, 60 and then always 60 seconds`() {
        var policy = OutboxPolicy.plain
        policy.mostAttempts = 8
        var fixture = MachineFixture(policy: policy)
        let id = fixture.enqueue()
        var waits: [Double] = []
        for _ in 0..<7 {
            fixture.answer(id, 503)
            waits.append(fixture.armed ?? -1)
            fixture.wait()
            #expect(fixture.sent == [id])
        }
        fixture.answer(id, 503)
        #expect(waits == [1, 2, 4, 8, 16, 32, 60])
        #expect(fixture.state(id) == .failed)
    }

    @Test func `[§4.2.3] jitter shortens a wait and never lengthens it`() {
        for seed in 0..<200 {
            var policy = OutboxPolicy()
            policy.mostAttempts = 100
            var machine = DeliveryMachine(policy: policy, seed: UInt64(seed))
            let entry = LaneEntry(id: UUIDBytes(high: 1, low: 1), lane: "a", sequence: 1)
            let start = ClockReading(elapsed: .zero, now: 0)
            _ = machine.step(.network(isUsable: true), at: start, freshKey: entry.id)
            machine.applyTableChanges(TableChanges([entry], changed: nil), at: start)
            _ = machine.step(.tableChanged, at: start, freshKey: entry.id)
            _ = machine.step(.tryEnded(entry.id, .whole(.none)), at: start, freshKey: entry.id)
            let wait = machine.armed ?? .zero
            #expect(wait <= .seconds(1) && wait >= .milliseconds(800), "seed \(seed)")
        }
    }

    @Test func `[§4.2.4] five answers that request a retry make an entry fail, and it stays in the outbox`() {
        var fixture = MachineFixture()
        let id = fixture.enqueue()
        for attempt in 1...5 {
            #expect(fixture.sent == [id], "attempt \(attempt)")
            fixture.answer(id, 500)
            if attempt < 5 { fixture.wait() }
        }
        #expect(fixture.state(id) == .failed && fixture.stored[id]?.delivery.attempts == 5)
        fixture.advanceClock(.seconds(299))
        #expect(fixture.sent.isEmpty && fixture.stored[id] != nil)
    }

    /// A send without a response was reported with the status of the response before.
    @Test func `a wait is reported with the status of its own response`() {
        var fixture = MachineFixture()
        let id = fixture.enqueue()
        let results: [SendResult] = [.head(ResponseSummary(500)), .none, .notSent, .head(ResponseSummary(502))]
        let reported = results.map { result in
            fixture.answer(id, result)
            defer { fixture.wait() }
            return fixture.effects.compactMap { effect -> Int?? in
                if case .report(.waiting(id, _, let status)) = effect { status } else { nil }
            }
        }
        #expect(reported == [[500], [nil], [nil], [502]])
        #expect(fixture.stored[id]?.delivery.lastStatus == 502)
    }

    @Test func `the status has the reason the last try failed, until the write is accepted`() {
        var fixture = MachineFixture()
        let id = fixture.enqueue()
        var reasons: [String?] = []
        for result in [.notSent, .none, .head(ResponseSummary(502))] as [SendResult] {
            fixture.answer(id, result)
            reasons.append(fixture.machine.status(at: fixture.reading).lastError)
            fixture.wait()
        }
        let expected = ["the server could not be reached", "the server did not respond", "the server answered 502"]
        #expect(reasons == expected)
        fixture.answer(id, 200)
        #expect(fixture.machine.status(at: fixture.reading).lastError == nil)
    }

    @Test func `[§4.2.5] the bound is 500 entries, and a full outbox refuses`() {
        let policy = OutboxPolicy()
        #expect(policy.bounds.entries == 500 && policy.bounds.whenFull == .refuse)
    }

    @Test func `[§4.2.6] entries and their counts survive a restart`() {
        var fixture = MachineFixture()
        let (first, second) = (fixture.enqueue(), fixture.enqueue())
        fixture.answer(first, 503)
        fixture.restart()
        #expect(fixture.stored[first]?.delivery.attempts == 1 && fixture.stored[second] != nil)
        #expect(fixture.sent.isEmpty && fixture.armed == 1)
        fixture.wait()
        #expect(fixture.sent == [first])
        for _ in 0..<3 {
            fixture.answer(first, 503)
            fixture.wait()
        }
        fixture.answer(first, 503)
        #expect(fixture.state(first) == .failed)
    }

    @Test func `[§4.2.10] [§4.2.11] no failure of the network ever gives an entry up`() {
        var fixture = MachineFixture()
        let id = fixture.enqueue()
        for _ in 0..<100 {
            fixture.answer(id, .notSent)
            fixture.wait()
        }
        #expect(fixture.state(id) == .sending && fixture.stored[id]?.delivery.attempts == 0)
        #expect(fixture.stored[id]?.delivery.isInDoubt == false)
    }

    @Test func `[§4.3.1] [§4.3.4] every try of an entry bears its own key`() {
        var fixture = MachineFixture()
        let id = fixture.enqueue()
        for answer in [SendResult.none, .notSent, .head(ResponseSummary(503)), .head(ResponseSummary(429))] {
            #expect(fixture.attempts.map(\.key) == [id])
            fixture.answer(id, answer)
            fixture.wait()
        }
        fixture.restart()
        #expect(fixture.attempts.map(\.key) == [id])
    }

    @Test func `[§4.3.2] what is in doubt is sent again for 23 hours, and then left to the host`() {
        var fixture = MachineFixture()
        let id = fixture.enqueue()
        fixture.answer(id, .none)
        fixture.handle(.network(isUsable: false))
        fixture.advanceClock(.seconds(23 * 3600 - 60))
        fixture.handle(.network(isUsable: true))
        #expect(fixture.sent == [id])
        fixture.answer(id, .none)
        fixture.advanceClock(.seconds(61))
        #expect(fixture.sent.isEmpty && fixture.state(id) == .unresolved)
        fixture.handle(.decide(id, .sendAgain))
        #expect(fixture.attempts.map(\.key) == [id])
    }

    @Test func `[§4.3.2] tries that never left, or were answered, do not count towards the 23 hours`() {
        for answer in [SendResult.notSent, .head(ResponseSummary(503))] {
            var fixture = MachineFixture()
            let id = fixture.enqueue()
            fixture.answer(id, answer)
            fixture.handle(.network(isUsable: false))
            fixture.advanceClock(.seconds(48 * 3600))
            fixture.handle(.network(isUsable: true))
            fixture.answer(id, .none)
            fixture.wait()
            #expect(fixture.sent == [id], "after \(answer)")
        }
    }

    @Test func `[§4.3.2] an entry whose turn comes because another is parked is not sent unseen`() {
        var fixture = MachineFixture()
        let first = fixture.enqueue(entity: "x", attempts: 1)
        let second = fixture.enqueue(entity: "y")
        fixture.answer(first, 504)
        fixture.answer(second, .none)
        fixture.handle(.network(isUsable: false))
        fixture.handle(.revive(first))
        fixture.advanceClock(.seconds(25 * 3600))
        fixture.handle(.network(isUsable: true))
        #expect(fixture.sent.isEmpty)
        #expect(fixture.state(first) == .unresolved && fixture.state(second) == .unresolved)
    }

    @Test func `a gateway that answers for the server leaves a write in doubt`() {
        var fixture = MachineFixture()
        let id = fixture.enqueue()
        fixture.answer(id, 504)
        #expect(fixture.stored[id]?.delivery.isInDoubt == true && fixture.stored[id]?.delivery.attempts == 1)
    }

    @Test func `a server that requests a wait gets it, whatever the network does`() {
        var fixture = MachineFixture()
        let id = fixture.enqueue()
        fixture.answer(id, 429, retryAfter: .seconds(120))
        #expect(fixture.armed == 120)
        fixture.handle(.network(isUsable: false))
        fixture.handle(.network(isUsable: true))
        fixture.handle(.foreground)
        #expect(fixture.sent.isEmpty && fixture.armed == 120)
        fixture.restart()
        fixture.handle(.foreground)
        #expect(fixture.sent.isEmpty && fixture.armed == 120)
        fixture.handle(.revive(id))
        #expect(fixture.sent == [id])
    }

    @Test func `a network that returns and the foreground try at once and spend nothing`() {
        for event in [DeliveryEvent.network(isUsable: true), .foreground] {
            var fixture = MachineFixture()
            let id = fixture.enqueue()
            for _ in 0..<3 {
                fixture.answer(id, 503)
                fixture.wait()
            }
            fixture.answer(id, 503)
            if event != .foreground { fixture.handle(.network(isUsable: false)) }
            fixture.handle(event)
            #expect(fixture.sent == [id] && fixture.stored[id]?.delivery.attempts == 4)
        }
    }

    @Test func `a failed entry is revived by hand, by the network or in the foreground, with all its attempts`() {
        for event in [DeliveryEvent.network(isUsable: true), .reviveAll, .foreground] {
            var fixture = MachineFixture()
            let id = fixture.enqueue(attempts: 2)
            fixture.answer(id, 500)
            fixture.wait()
            fixture.answer(id, 500)
            #expect(fixture.sent.isEmpty)
            if event == .network(isUsable: true) { fixture.handle(.network(isUsable: false)) }
            fixture.handle(event)
            #expect(fixture.sent == [id] && fixture.stored[id]?.delivery.attempts == 0)
        }
    }

    @Test func `what cannot be sent as it is has failed at once, is not tried again, and holds only its entity`() {
        var fixture = MachineFixture()
        let (first, second) = (fixture.enqueue(entity: "x"), fixture.enqueue(entity: "x"))
        let other = fixture.enqueue(entity: "y")
        fixture.answer(first, .unsendable("its file is gone"))
        let delivery = fixture.stored[first]?.delivery
        #expect(delivery?.state == .failed && delivery?.lastError == "its file is gone")
        #expect(delivery?.attempts == 0 && delivery?.isInDoubt == false && fixture.armed == nil)
        #expect(fixture.effects.contains(.report(.failed(first, status: nil))))
        #expect(fixture.sent == [other] && fixture.state(second) == .pending)
        fixture.answer(other, 200)
        fixture.handle(.foreground)
        fixture.restart()
        #expect(fixture.sent.isEmpty && fixture.armed == nil)
    }

    @Test func `a manual retry and the network's return have what could not be sent tried once more, and no more`() {
        for isByHand in [true, false] {
            var fixture = MachineFixture()
            let id = fixture.enqueue()
            fixture.answer(id, .none)
            fixture.wait()
            fixture.answer(id, .unsendable("its file is gone"))
            // It may have arrived when it could be sent.
            #expect(fixture.stored[id]?.delivery.isInDoubt == true)
            if !isByHand { fixture.handle(.network(isUsable: false)) }
            fixture.handle(isByHand ? .revive(id) : .network(isUsable: true))
            #expect(fixture.sent == [id])
            fixture.answer(id, .unsendable("its file is gone"))
            #expect(fixture.sent.isEmpty && fixture.armed == nil && fixture.state(id) == .failed)
        }
    }

    @Test func `a clock that jumps back keeps no entry waiting`() {
        var fixture = MachineFixture()
        let id = fixture.enqueue()
        fixture.answer(id, 503)
        fixture.elapsed -= .seconds(24 * 3600)
        fixture.restart()
        #expect(fixture.sent == [id])
    }
}
