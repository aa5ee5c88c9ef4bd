// Proves that 401 pauses one account, and that entries are sent as their own account only.

import LarderFormat
import LarderOutbox
import LarderStore
import LarderTransport
import Testing

@Suite struct `Accounts and delivery` {
    @Test func `401 pauses the account, requests one sign-in, and spends no attempt`() {
        var fixture = MachineFixture(gate: .signedIn("ann"))
        let ids = [fixture.enqueue("a", account: "ann"), fixture.enqueue("b", account: "ann")]
        fixture.answer(ids[0], 401)
        #expect(fixture.effects.contains(.signIn("ann")))
        fixture.answer(ids[1], 401)
        #expect(!fixture.effects.contains(.signIn("ann")))
        fixture.handle(.session(.expired("ann")))
        #expect(!fixture.effects.contains(.signIn("ann")))
        #expect(fixture.stored.values.allSatisfy { $0.delivery.attempts == 0 && $0.delivery.state == .pending })
        fixture.handle(.session(.signedIn("ann")))
        #expect(fixture.sent == ids)
    }

    /// They are the same text, and two accounts.
    @Test func `accounts that only normalization makes equal are counted apart`() {
        for order in [["\u{E9}", "e\u{301}"], ["e\u{301}", "\u{E9}"]] {
            var fixture = MachineFixture(gate: .signedIn("e\u{301}"), isOnline: false)
            for (lane, account) in zip(["a", "b"], order) { _ = fixture.enqueue(lane, account: account) }
            #expect(fixture.machine.status(at: fixture.reading).pauses == [.offline, .otherAccounts(1)])
        }
    }

    @Test func `a 401 to what was sent before the sign-in requests no other`() {
        var fixture = MachineFixture(gate: .signedIn("ann"))
        let (first, second) = (fixture.enqueue("a", account: "ann"), fixture.enqueue("b", account: "ann"))
        fixture.answer(first, 401)
        fixture.handle(.session(.signedIn("ann")))
        fixture.answer(second, 401)
        #expect(fixture.sent == [second] && fixture.machine.authentication == .signedIn("ann"))
        fixture.answer(second, 401)
        #expect(fixture.machine.authentication == .expired("ann"))
    }

    @Test func `who signs in and is refused again waits longer every time`() {
        var fixture = MachineFixture(gate: .signedIn("ann"))
        let id = fixture.enqueue(account: "ann")
        var waits: [Double?] = []
        for _ in 0..<4 {
            fixture.answer(id, 401)
            waits.append(fixture.armed)
            if fixture.armed != nil { fixture.wait() }
            #expect(fixture.effects.contains(.signIn("ann")))
            fixture.handle(.session(.signedIn("ann")))
            #expect(fixture.sent == [id])
        }
        #expect(waits == [nil, 1, 2, 4])
    }

    @Test func `no sign-in is requested while offline`() {
        var fixture = MachineFixture(gate: .expired("ann"), isOnline: false)
        fixture.enqueue(account: "ann")
        #expect(!fixture.effects.contains(.signIn("ann")))
        fixture.handle(.network(isUsable: true))
        #expect(fixture.effects.contains(.signIn("ann")))
        fixture.handle(.signInFailed)
        #expect(fixture.armed == 1)
        fixture.wait()
        #expect(fixture.effects.contains(.signIn("ann")))
    }

    @Test func `an entry is sent as no other account, and holds none of another's`() {
        var fixture = MachineFixture(gate: .signedIn("ann"), isOnline: false)
        let hers = fixture.enqueue(entity: "x", account: "ann")
        let his = fixture.enqueue(entity: "x", account: "ben")
        fixture.handle(.session(.signedIn("ben")))
        fixture.handle(.network(isUsable: true))
        #expect(fixture.sent == [his])
        fixture.answer(his, 200)
        #expect(fixture.sent.isEmpty)
        fixture.handle(.session(.signedIn("ann")))
        #expect(fixture.sent == [hers])
    }

    @Test func `two names that only look the same are two accounts`() {
        var fixture = MachineFixture(gate: .signedIn("jos\u{e9}"))
        let id = fixture.enqueue(account: "jose\u{301}")
        #expect(fixture.sent.isEmpty)
        #expect(fixture.machine.status(at: fixture.reading).pauses == [.otherAccounts(1)])
        fixture.handle(.session(.expired("jose\u{301}")))
        fixture.handle(.session(.signedIn("jose\u{301}")))
        #expect(fixture.sent == [id])
        fixture.handle(.unauthorized("jos\u{e9}"))
        #expect(fixture.machine.authentication == .signedIn("jose\u{301}"))
    }

    @Test func `nothing is sent while signed out`() {
        var fixture = MachineFixture(gate: .signedOut)
        let id = fixture.enqueue(account: "ann")
        #expect(fixture.sent.isEmpty)
        fixture.handle(.session(.signedIn("ann")))
        #expect(fixture.sent == [id])
    }
}
