import LarderFormat
import LarderOutbox
import LarderStore
import LarderTransport
import Testing

@Suite struct `Delivery in batches` {
    private func bench(_ lanes: Int = 3) -> (Bench, [UUIDBytes]) {
        var policy = OutboxPolicy.plain
        policy.batch = BatchPolicy(mostEntries: 50)
        var bench = Bench(policy: policy, isOnline: false)
        let ids = (0..<lanes).map { bench.enqueue("lane \($0)") }
        bench.take(.network(isUsable: true))
        return (bench, ids)
    }

    @Test func `[§4.4.7] what is due together, one of a lane, goes in one request under a key of its own`() throws {
        var (bench, ids) = bench()
        let flight = try #require(bench.flights.first)
        #expect(bench.flights.count == 1 && flight.isBatch && flight.entries == ids && !ids.contains(flight.key))
        #expect(ids.allSatisfy { bench.stored[$0]?.delivery.batch == flight.key })
        // What comes behind one of them waits, and one of another lane goes by itself.
        bench.enqueue("lane 0")
        #expect(bench.sent.isEmpty)
        let other = bench.enqueue("lane 9")
        #expect(bench.flights == [Flight(key: other, entries: [other], isBatch: false)])
    }

    @Test func `a batch that got no answer is sent again as it was, also after a restart`() throws {
        var (bench, ids) = bench()
        let flight = try #require(bench.flights.first)
        bench.take(.answered(flight.key, .whole(.none)))
        bench.enqueue("lane 7")
        bench.wait()
        #expect(bench.flights == [flight])
        bench.restart()
        #expect(bench.flights.contains(flight))
        #expect(ids.allSatisfy { bench.stored[$0]?.delivery.isInDoubt == true })
    }

    @Test func `an answer is taken apart, member by member`() throws {
        var (bench, ids) = bench(4)
        let key = try #require(bench.flights.first).key
        bench.take(
            .answered(key, .members([ids[0]: AnswerHead(200), ids[1]: AnswerHead(422), ids[2]: AnswerHead(503)])))
        #expect(bench.outcomes == [ids[0]: "accepted", ids[1]: "rejected"])
        #expect(bench.state(ids[2]) == .waiting && bench.stored[ids[2]]?.delivery.attempts == 1)
        #expect(bench.stored[ids[3]]?.delivery.isInDoubt == true)
        bench.wait()
        // The one without an outcome goes alone from now on.
        #expect(bench.flights.contains(Flight(key: ids[3], entries: [ids[3]], isBatch: false)))
    }

    @Test func `refusals of members pause nothing: it is the API that names them`() throws {
        var (bench, ids) = bench(4)
        let key = try #require(bench.flights.first).key
        bench.take(.answered(key, .members(Dictionary(uniqueKeysWithValues: ids.map { ($0, AnswerHead(422)) }))))
        #expect(ids.allSatisfy { bench.outcomes[$0] == "rejected" })
        let next = bench.enqueue("lane 9")
        #expect(bench.sent == [next])
    }

    @Test func `a batch that is refused as such is sent one by one, and spends nothing`() throws {
        var (bench, ids) = bench()
        let key = try #require(bench.flights.first).key
        bench.take(.answered(key, .whole(.head(AnswerHead(404)))))
        #expect(bench.flights == ids.map { Flight(key: $0, entries: [$0], isBatch: false) })
        #expect(ids.allSatisfy { bench.stored[$0]?.delivery.attempts == 0 })
    }

    @Test func `a batch of which a member has failed is taken apart`() throws {
        var policy = OutboxPolicy.plain
        policy.batch = BatchPolicy(mostEntries: 50)
        var bench = Bench(policy: policy, isOnline: false)
        let (first, second) = (bench.enqueue("a", attempts: 1), bench.enqueue("b"))
        bench.take(.network(isUsable: true))
        let key = try #require(bench.flights.first).key
        bench.take(.answered(key, .whole(.head(AnswerHead(503)))))
        #expect(bench.state(first) == .failed && bench.state(second) == .waiting)
        bench.wait()
        #expect(bench.flights == [Flight(key: second, entries: [second], isBatch: false)])
    }

    @Test func `a batch that cannot be sent is sent one by one, and only who is to blame has failed`() throws {
        var (bench, ids) = bench()
        let key = try #require(bench.flights.first).key
        bench.answer(key, .unsendable("one of them is damaged"))
        #expect(bench.flights == ids.map { Flight(key: $0, entries: [$0], isBatch: false) })
        bench.answer(ids[1], .unsendable("it is damaged"))
        #expect(ids.map(bench.state) == [.sending, .failed, .sending])
        #expect(bench.stored[ids[0]]?.delivery.lastError == nil)
        #expect(ids.allSatisfy { bench.stored[$0]?.delivery.isInDoubt == false })
    }

    @Test func `no batch is formed after a restart while the host has not decided on an unread one`() throws {
        var (bench, ids) = bench()
        for _ in 1...2 {
            let key = try #require(bench.flights.first).key
            bench.take(.answered(key, .whole(.unreadable(AnswerHead(200)))))
            bench.wait()
        }
        #expect(ids.allSatisfy { bench.state($0) == .unresolved })
        bench.restart(isOnline: false)
        let later = [bench.enqueue("x"), bench.enqueue("y")]
        bench.take(.network(isUsable: true))
        #expect(bench.flights == later.map { Flight(key: $0, entries: [$0], isBatch: false) })
        for id in later { bench.answer(id, 200) }
        for id in ids { bench.take(.decide(id, .rejected)) }
        bench.restart(isOnline: false)
        bench.enqueue("x")
        bench.enqueue("y")
        bench.take(.network(isUsable: true))
        #expect(bench.flights.map(\.isBatch) == [true])
    }

    @Test func `401 to a batch pauses, and it is sent again as it was`() throws {
        var (bench, _) = bench()
        let flight = try #require(bench.flights.first)
        bench.take(.answered(flight.key, .whole(.head(AnswerHead(401)))))
        #expect(bench.effects.contains(.signIn(nil)))
        bench.take(.session(.signedIn(nil)))
        #expect(bench.flights == [flight])
    }
}
