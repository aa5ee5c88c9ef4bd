// Proves that a sign-out loses no unsent write unless the host selects that.

import LarderFormat
import LarderStore
import LarderTesting
import LarderTransport
import Testing

@testable import LarderOutbox

// Pains 7 and 20 of offline clients: writes replayed under an expired login, or sent as somebody else.
@Suite struct `Signing out` {
    private let fixture = SessionFixture()

    @Test func `is refused while anything is unsent [§4.4.5]`() async throws {
        let store = try fixture.open()
        let session = try fixture.session(store)
        try await session.signIn(as: "ada", values: [.secret("token", "x")])
        try await fixture.enqueue(1, "ada", in: store)
        var unsent = UnsentContent()
        unsent.pending = 1
        await #expect(throws: SessionError.unsent(unsent)) { try await session.signOut() }
        #expect(session.authentication == .signedIn("ada"))
        #expect(fixture.secrets.secrets.count == 1)
        try await store.write { try $0.completeEntry(UUIDBytes(high: 7, low: 1), at: 5) }
        try await store.write { try $0.appendPoint([], to: BufferName("locations", account: "ada"), at: 1) }
        unsent.pending = 0
        unsent.points = 1
        await #expect(throws: SessionError.unsent(unsent)) { try await session.signOut() }
        try await store.write { try $0.removeBuffer(BufferName("locations", account: "ada")) }
        try await session.signOut()
        #expect(session.authentication == .signedOut)
        try store.close()
    }

    @Test func `counts a write whose attempts are used up as unsent, and a refused one not`() async throws {
        let store = try fixture.open()
        let session = try fixture.session(store)
        try await session.signIn(as: "ada")
        let id = try await fixture.enqueue(1, "ada", in: store)
        var failed = OutboxDelivery()
        failed.state = .failed
        _ = try await store.write { [failed] in try $0.updateDelivery(of: id, from: OutboxDelivery(), to: failed) }
        var unsent = UnsentContent()
        unsent.failed = 1
        await #expect(throws: SessionError.unsent(unsent)) { try await session.signOut() }
        try await store.write { [failed] in try $0.rejectEntry(id, failed, detail: nil, at: 5) }
        try await session.signOut()
        #expect(try store.read { view in try view.outboxEntries() }.count == 1)
        try store.close()
    }

    @Test func `is not held up by what another account has sealed`() async throws {
        let store = try fixture.open()
        let session = try fixture.session(store)
        try await session.signIn(as: "ada")
        try await fixture.enqueue(1, "bob", in: store)
        try await session.signOut()
        #expect(session.authentication == .signedOut)
        try store.close()
    }

    @Test func `is refused offline with an expired login, unless the host selects otherwise [§4.4.5]`() async throws {
        let store = try fixture.open()
        let session = try fixture.session(store)
        try await session.signIn(as: "ada")
        await session.setNetworkState(.offline)
        try await session.markExpired("ada")
        await #expect(throws: SessionError.offlineAndExpired(UnsentContent())) { try await session.signOut() }
        #expect(session.authentication == .expired("ada"))
        try await session.signOut(.seal)
        #expect(session.authentication == .signedOut)
        try store.close()
    }

    @Test func `seals what was not sent until the same account returns`() async throws {
        let store = try fixture.open()
        let session = try fixture.session(store)
        try await session.signIn(as: "ada", values: [.plain("a", "1"), .secret("token", "x")])
        let id = try await fixture.enqueue(1, "ada", in: store)
        try await session.signOut(.seal)
        #expect(await session.value(named: "a") == nil)
        #expect(fixture.secrets.secrets == [:])
        var machine = DeliveryMachine(policy: OutboxPolicy(), authentication: session.authentication, seed: 1)
        func sent(_ event: DeliveryEvent) -> [DeliveryEffect] {
            machine.step(event, at: ClockReading(elapsed: .zero, now: 0), freshKey: UUIDBytes(high: 0, low: 0)).effects
                .filter { if case .send = $0 { true } else { false } }
        }
        let entries = try store.read { view in try view.outboxEntries() }.map { LaneEntry($0) }
        machine.applyTableChanges(TableChanges(entries, changed: nil), at: ClockReading(elapsed: .zero, now: 0))
        #expect(sent(.tableChanged) == [])
        #expect(sent(.network(isUsable: true)) == [])
        #expect(sent(.session(.signedIn("bob"))) == [])
        #expect(try store.read { view in try view.outboxEntry(id) } != nil)
        try await session.signIn(as: "ada")
        #expect(
            sent(.session(session.authentication)) == [.send(DeliveryTry(key: id, entries: [id], isBatch: false))])
        try store.close()
    }

    @Test func `discards by the exact name only, and journals every write`() async throws {
        let store = try fixture.open()
        let session = try fixture.session(store)
        try await session.signIn(as: "Ada")
        try await fixture.enqueue(1, "Ada", in: store)
        let other = try await fixture.enqueue(2, "bob", in: store)
        for name in ["ada", "Ada ", "bob", ""] {
            await #expect(throws: SessionError.wrongAccountName) {
                try await session.signOut(.discard(named: name))
            }
        }
        #expect(try store.read { view in try view.outboxEntries() }.count == 2)
        try await session.signOut(.discard(named: "Ada"))
        #expect(session.authentication == .signedOut)
        #expect(try store.read { view in try view.outboxEntries() }.map(\.id) == [other])
        #expect(try store.read { view in try view.outboxOutcomes() }.map(\.outcome) == ["dropped"])
        try store.close()
    }

    @Test func `removes secrets at the next start where it could not`() async throws {
        let first = try fixture.open()
        let session = try fixture.session(first)
        try await session.signIn(as: "ada", values: [.secret("token", "x")])
        fixture.secrets.isFailing = true
        try await session.signOut()
        #expect(session.authentication == .signedOut)
        try first.close()
        fixture.secrets.isFailing = false
        #expect(fixture.secrets.secrets.count == 1)
        let store = try fixture.open()
        let next = try fixture.session(store)
        #expect(await next.account == nil)
        let running = Task { await next.run(SteadyConnectivity(.online)) }
        try await next.signIn(as: "bob")
        #expect(fixture.secrets.secrets == [:])
        running.cancel()
        await running.value
        try store.close()
    }

    @Test func `of nobody does nothing`() async throws {
        let store = try fixture.open()
        let session = try fixture.session(store)
        try await session.signOut()
        #expect(try store.read { view in try view.session() } == nil)
        try store.close()
    }
}
