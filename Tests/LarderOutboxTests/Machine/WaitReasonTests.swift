// Proves that the reason named for each write is the one that the delivery goes by.
import LarderFormat
import LarderOutbox
import LarderStore
import LarderTransport
import Testing

@Suite struct `The reason why a write is not accepted yet` {
    private typealias State = OutboxDelivery.State

    private func entry(
        _ number: UInt64, _ lane: String = "a", entity: String? = nil, after: [UInt64] = [], account: String? = "ada",
        state: State = .pending, due: Int64? = nil
    ) -> OutboxEntry {
        var draft = OutboxDraft(
            id: UUIDBytes(high: 0, low: number), lane: lane, createdAt: 0, mutationType: "m", method: "POST",
            endpoint: "/", payload: [])
        draft.entity = entity
        draft.account = account
        draft.after = after.map { UUIDBytes(high: 0, low: $0) }
        var delivery = OutboxDelivery()
        delivery.state = state
        delivery.dueAt = due
        return OutboxEntry(draft: draft, sequence: Int64(number), delivery: delivery)
    }

    private func reasons(
        _ entries: [OutboxEntry], _ gate: AuthenticationState = .signedIn("ada"), wait: Int64? = nil
    ) -> [WaitReason?] {
        let reasons = DeliveryMachine.waitReasons(of: entries, authentication: gate, serverWait: wait)
        return entries.map { reasons[$0.id] }
    }

    private func id(_ number: UInt64) -> UUIDBytes { UUIDBytes(high: 0, low: number) }

    @Test func `names the earlier write of its lane, and the one it comes after`() {
        let entries = [entry(1), entry(2), entry(3), entry(4, "b", after: [3])]
        #expect(reasons(entries) == [.turn, .earlier(id(1)), .earlier(id(1)), .earlier(id(3))])
    }

    @Test func `names the parked write that holds what is behind it, and no other`() {
        let entries = [
            entry(1, entity: "x", state: .failed, due: 9), entry(2, entity: "x"), entry(3, entity: "y"),
            entry(4, "b", after: [2]), entry(5, "c", state: .unresolved), entry(6, "d", state: .conflicted),
            entry(7, "c"),
        ]
        #expect(
            reasons(entries) == [
                .failed(retryAt: 9), .behind(id(1)), .turn, .behind(id(1)), .unresolved, .conflict, .behind(id(5)),
            ])
    }

    @Test func `lets nothing wait for a rejected write`() {
        #expect(reasons([entry(1, state: .rejected), entry(2)]) == [.rejected, .turn])
    }

    @Test func `names the later of its own time and its server's`() {
        let entries = [entry(1, state: .waiting, due: 5), entry(2, "b"), entry(3, "c", state: .sending)]
        #expect(reasons(entries) == [.time(5), .turn, .response])
        #expect(reasons(entries, wait: 8) == [.time(8), .time(8), .response])
        #expect(reasons(entries, wait: 3) == [.time(5), .time(3), .response])
    }

    @Test func `names the account it is for, and an expired sign-in`() {
        let entries = [entry(1, account: "bob"), entry(2)]
        #expect(reasons(entries) == [.account("bob"), .turn])
        #expect(reasons(entries, .expired("ada")) == [.account("bob"), .signIn("ada")])
        #expect(reasons(entries, .signedOut) == [.account("bob"), .account("ada")])
    }
}
