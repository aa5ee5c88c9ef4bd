// Proves that the delivery machine forms, resends and splits batches correctly.

import LarderFormat
import LarderOutbox
import LarderStore
import LarderTransport
import Testing

@Suite struct `Delivery in batches` {
    private func makeFixture(_ lanes: Int = 3) -> (MachineFixture, [UUIDBytes]) {
        var policy = OutboxPolicy.plain
        policy.batch = BatchPolicy(mostEntries: 50)
        var fixture = MachineFixture(policy: policy, isOnline: false)
        let ids = (0..<lanes).map { fixture.enqueue("lane \($0)") }
        fixture.handle(.network(isUsable: true))
        return (fixture, ids)
    }

    @Test func `[§4.4.7] what is due together, one of a lane, goes in one request under a key of its own`() throws {
        var (fixture, ids) = makeFixture()
        let attempt = try #require(fixture.attempts.first)
        #expect(fixture.attempts.count == 1 && attempt.isBatch && attempt.entries == ids && !ids.contains(attempt.key))
        #expect(ids.allSatisfy { fixture.stored[$0]?.delivery.batch == attempt.key })
        // What comes behind one of them waits, and one of another lane goes by itself.
        fixture.enqueue("lane 0")
        #expect(fixture.sent.isEmpty)
        let other = fixture.enqueue("lane 9")
        #expect(fixture.attempts == [DeliveryTry(key: other, entries: [other], isBatch: false)])
    }

    @Test func `a batch that got no answer is sent again as it was, also after a restart`() throws {
        var (fixture, ids) = makeFixture()
        let attempt = try #require(fixture.attempts.first)
        fixture.handle(.tryEnded(attempt.key, .whole(.none)))
        fixture.enqueue("lane 7")
        fixture.wait()
        #expect(fixture.attempts == [attempt])
        fixture.restart()
        #expect(fixture.attempts.contains(attempt))
        #expect(ids.allSatisfy { fixture.stored[$0]?.delivery.isInDoubt == true })
    }

    @Test func `an answer is split, member by member`() throws {
        var (fixture, ids) = makeFixture(4)
        let key = try #require(fixture.attempts.first).key
        fixture.handle(
            .tryEnded(
                key,
                .members([ids[0]: ResponseSummary(200), ids[1]: ResponseSummary(422), ids[2]: ResponseSummary(503)])))
        #expect(fixture.outcomes == [ids[0]: "accepted", ids[1]: "rejected"])
        #expect(fixture.state(ids[2]) == .waiting && fixture.stored[ids[2]]?.delivery.attempts == 1)
        #expect(fixture.stored[ids[3]]?.delivery.isInDoubt == true)
        fixture.wait()
        // The one without an outcome goes alone from now on.
        #expect(fixture.attempts.contains(DeliveryTry(key: ids[3], entries: [ids[3]], isBatch: false)))
    }

    @Test func `refusals of members pause nothing: it is the API that names them`() throws {
        var (fixture, ids) = makeFixture(4)
        let key = try #require(fixture.attempts.first).key
        fixture.handle(
            .tryEnded(key, .members(Dictionary(uniqueKeysWithValues: ids.map { ($0, ResponseSummary(422)) }))))
        #expect(ids.allSatisfy { fixture.outcomes[$0] == "rejected" })
        let next = fixture.enqueue("lane 9")
        #expect(fixture.sent == [next])
    }

    @Test func `a batch that is refused as such is sent one by one, and spends nothing`() throws {
        var (fixture, ids) = makeFixture()
        let key = try #require(fixture.attempts.first).key
        fixture.handle(.tryEnded(key, .whole(.head(ResponseSummary(404)))))
        #expect(fixture.attempts == ids.map { DeliveryTry(key: $0, entries: [$0], isBatch: false) })
        #expect(ids.allSatisfy { fixture.stored[$0]?.delivery.attempts == 0 })
    }

    @Test func `a batch of which a member has failed is split`() throws {
        var policy = OutboxPolicy.plain
        policy.batch = BatchPolicy(mostEntries: 50)
        var fixture = MachineFixture(policy: policy, isOnline: false)
        let (first, second) = (fixture.enqueue("a", attempts: 1), fixture.enqueue("b"))
        fixture.handle(.network(isUsable: true))
        let key = try #require(fixture.attempts.first).key
        fixture.handle(.tryEnded(key, .whole(.head(ResponseSummary(503)))))
        #expect(fixture.state(first) == .failed && fixture.state(second) == .waiting)
        fixture.wait()
        #expect(fixture.attempts == [DeliveryTry(key: second, entries: [second], isBatch: false)])
    }

    @Test func `a batch that cannot be sent is sent one by one, and only who is to blame has failed`() throws {
        var (fixture, ids) = makeFixture()
        let key = try #require(fixture.attempts.first).key
        fixture.answer(key, .unsendable("one of them is damaged"))
        #expect(fixture.attempts == ids.map { DeliveryTry(key: $0, entries: [$0], isBatch: false) })
        fixture.answer(ids[1], .unsendable("it is damaged"))
        #expect(ids.map(fixture.state) == [.sending, .failed, .sending])
        #expect(fixture.stored[ids[0]]?.delivery.lastError == nil)
        #expect(ids.allSatisfy { fixture.stored[$0]?.delivery.isInDoubt == false })
    }

    @Test func `no batch is formed after a restart while the host has not decided on an unread one`() throws {
        var (fixture, ids) = makeFixture()
        for _ in 1...2 {
            let key = try #require(fixture.attempts.first).key
            fixture.handle(.tryEnded(key, .whole(.unreadable(ResponseSummary(200)))))
            fixture.wait()
        }
        #expect(ids.allSatisfy { fixture.state($0) == .unresolved })
        fixture.restart(isOnline: false)
        let later = [fixture.enqueue("x"), fixture.enqueue("y")]
        fixture.handle(.network(isUsable: true))
        #expect(fixture.attempts == later.map { DeliveryTry(key: $0, entries: [$0], isBatch: false) })
        for id in later { fixture.answer(id, 200) }
        for id in ids { fixture.handle(.decide(id, .rejected)) }
        fixture.restart(isOnline: false)
        fixture.enqueue("x")
        fixture.enqueue("y")
        fixture.handle(.network(isUsable: true))
        #expect(fixture.attempts.map(\.isBatch) == [true])
    }

    @Test func `401 to a batch pauses, and it is sent again as it was`() throws {
        var (fixture, _) = makeFixture()
        let attempt = try #require(fixture.attempts.first)
        fixture.handle(.tryEnded(attempt.key, .whole(.head(ResponseSummary(401)))))
        #expect(fixture.effects.contains(.signIn(nil)))
        fixture.handle(.session(.signedIn(nil)))
        #expect(fixture.attempts == [attempt])
    }
}
