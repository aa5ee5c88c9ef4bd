// Proves that no jump of the clock has a write sent again that the server may have performed and forgotten.
import LarderFormat
import LarderOutbox
import LarderStore
import LarderTransport
import Testing

@Suite struct `A clock that jumps back` {
    private static let day: Int64 = 86_400_000

    /// An entry whose first try went out while the clock was three days ahead.
    private func makeTried() -> (MachineFixture, UUIDBytes) {
        var fixture = MachineFixture()
        fixture.wallOffset = 3 * Self.day
        let id = fixture.enqueue()
        fixture.answer(id, .none)
        return (fixture, id)
    }

    @Test func `makes nothing younger in the same process`() {
        var (fixture, id) = makeTried()
        fixture.wallOffset = 0
        fixture.wait()
        #expect(fixture.sent == [id])
        fixture.answer(id, .none)
        fixture.handle(.network(isUsable: false))
        fixture.advanceClock(.seconds(23 * 3600))
        fixture.handle(.network(isUsable: true))
        #expect(fixture.sent.isEmpty && fixture.state(id) == .unresolved)
    }

    @Test func `makes nothing younger for the next process, which begins after the clock has caught up`() {
        var (fixture, id) = makeTried()
        fixture.wallOffset = 0
        fixture.handle(.network(isUsable: false))
        fixture.advanceClock(.seconds(80 * 3600))
        fixture.restart()
        #expect(fixture.sent.isEmpty && fixture.state(id) == .unresolved)
    }

    @Test func `has the next process report what it cannot date`() {
        var (fixture, id) = makeTried()
        // As if the process had ended before it could see that the clock went backwards.
        fixture.wallOffset = 0
        fixture.elapsed += .seconds(30 * 3600)
        fixture.restart(isOnline: false)
        #expect(fixture.state(id) == .unresolved)
        #expect(fixture.effects.contains(.report(.unresolved(id))))
        fixture.handle(.network(isUsable: true))
        #expect(fixture.sent.isEmpty)
        fixture.handle(.decide(id, .sendAgain))
        #expect(fixture.attempts.map(\.key) == [id])
    }

    @Test(arguments: [1, 1000, 1_800_000])
    func `by half an hour or less does not stop a write that is in doubt from being sent`(_ jump: Int64) {
        var fixture = MachineFixture()
        fixture.wallOffset = jump
        let id = fixture.enqueue()
        fixture.answer(id, .none)
        fixture.wallOffset = 0
        fixture.restart()
        #expect(fixture.sent == [id])
        // As if all of the half hour had passed unseen.
        fixture.answer(id, .none)
        fixture.handle(.network(isUsable: false))
        fixture.advanceClock(.seconds(45 * 1800 - 10))
        fixture.restart()
        #expect(fixture.sent == [id])
        fixture.answer(id, .none)
        fixture.advanceClock(.seconds(10))
        #expect(fixture.sent.isEmpty && fixture.state(id) == .unresolved)
    }

    @Test func `by more than half an hour has the host decide`() {
        var fixture = MachineFixture()
        fixture.wallOffset = 1_800_001
        let id = fixture.enqueue()
        fixture.answer(id, .none)
        fixture.wallOffset = 0
        fixture.restart()
        #expect(fixture.sent.isEmpty && fixture.state(id) == .unresolved)
    }

    @Test func `has a write that waits tried at the next start`() {
        var fixture = MachineFixture()
        let id = fixture.enqueue()
        for _ in 1...6 {
            fixture.answer(id, .none)
            fixture.wait()
        }
        fixture.answer(id, .none)
        #expect(fixture.armed == 60)
        fixture.wallOffset = -60_000
        fixture.restart()
        #expect(fixture.sent == [id])
    }

    @Test func `ends the wait that a server requested before, for the next process`() {
        var fixture = MachineFixture()
        let id = fixture.enqueue()
        fixture.answer(id, 429, retryAfter: .seconds(3600))
        fixture.wallOffset = -Self.day
        fixture.restart()
        #expect(fixture.sent == [id])
    }

    @Test func `does not stop a write that was always answered from being sent`() {
        var fixture = MachineFixture()
        fixture.wallOffset = 3 * Self.day
        let id = fixture.enqueue()
        fixture.answer(id, 503)
        fixture.wallOffset = 0
        fixture.restart()
        #expect(fixture.sent == [id])
    }
}
