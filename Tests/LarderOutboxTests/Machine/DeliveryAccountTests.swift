import LarderFormat
import LarderOutbox
import LarderStore
import LarderTransport
import Testing

@Suite struct `Accounts and delivery` {
    @Test func `401 pauses the account, asks once to sign in, and spends no attempt`() {
        var bench = Bench(gate: .signedIn("ann"))
        let ids = [bench.enqueue("a", account: "ann"), bench.enqueue("b", account: "ann")]
        bench.answer(ids[0], 401)
        #expect(bench.effects.contains(.signIn("ann")))
        bench.answer(ids[1], 401)
        #expect(!bench.effects.contains(.signIn("ann")))
        bench.take(.session(.expired("ann")))
        #expect(!bench.effects.contains(.signIn("ann")))
        #expect(bench.stored.values.allSatisfy { $0.delivery.attempts == 0 && $0.delivery.state == .pending })
        bench.take(.session(.signedIn("ann")))
        #expect(bench.sent == ids)
    }

    @Test func `a 401 to what was sent before the sign-in does not ask again`() {
        var bench = Bench(gate: .signedIn("ann"))
        let (first, second) = (bench.enqueue("a", account: "ann"), bench.enqueue("b", account: "ann"))
        bench.answer(first, 401)
        bench.take(.session(.signedIn("ann")))
        bench.answer(second, 401)
        #expect(bench.sent == [second] && bench.machine.gate == .signedIn("ann"))
        bench.answer(second, 401)
        #expect(bench.machine.gate == .expired("ann"))
    }

    @Test func `who signs in and is refused again waits longer every time`() {
        var bench = Bench(gate: .signedIn("ann"))
        let id = bench.enqueue(account: "ann")
        var waits: [Double?] = []
        for _ in 0..<4 {
            bench.answer(id, 401)
            waits.append(bench.armed)
            if bench.armed != nil { bench.wait() }
            #expect(bench.effects.contains(.signIn("ann")))
            bench.take(.session(.signedIn("ann")))
            #expect(bench.sent == [id])
        }
        #expect(waits == [nil, 1, 2, 4])
    }

    @Test func `nobody is asked to sign in while offline`() {
        var bench = Bench(gate: .expired("ann"), isOnline: false)
        bench.enqueue(account: "ann")
        #expect(!bench.effects.contains(.signIn("ann")))
        bench.take(.network(isUsable: true))
        #expect(bench.effects.contains(.signIn("ann")))
        bench.take(.signInFailed)
        #expect(bench.armed == 1)
        bench.wait()
        #expect(bench.effects.contains(.signIn("ann")))
    }

    @Test func `an entry is sent as no other account, and holds none of another's`() {
        var bench = Bench(gate: .signedIn("ann"), isOnline: false)
        let hers = bench.enqueue(entity: "x", account: "ann")
        let his = bench.enqueue(entity: "x", account: "ben")
        bench.take(.session(.signedIn("ben")))
        bench.take(.network(isUsable: true))
        #expect(bench.sent == [his])
        bench.answer(his, 200)
        #expect(bench.sent.isEmpty)
        bench.take(.session(.signedIn("ann")))
        #expect(bench.sent == [hers])
    }

    @Test func `two names that only look the same are two accounts`() {
        var bench = Bench(gate: .signedIn("jos\u{e9}"))
        let id = bench.enqueue(account: "jose\u{301}")
        #expect(bench.sent.isEmpty)
        #expect(bench.machine.status(at: bench.moment).pauses == [.otherAccounts(1)])
        bench.take(.session(.expired("jose\u{301}")))
        bench.take(.session(.signedIn("jose\u{301}")))
        #expect(bench.sent == [id])
        bench.take(.unauthorized("jos\u{e9}"))
        #expect(bench.machine.gate == .signedIn("jose\u{301}"))
    }

    @Test func `nothing is sent while signed out`() {
        var bench = Bench(gate: .signedOut)
        let id = bench.enqueue(account: "ann")
        #expect(bench.sent.isEmpty)
        bench.take(.session(.signedIn("ann")))
        #expect(bench.sent == [id])
    }
}
