// Proves that no jump of the clock has a write sent again that the server may have performed and forgotten.
import LarderFormat
import LarderOutbox
import LarderStore
import LarderTransport
import Testing

@Suite struct `A clock that is set back` {
    private static let day: Int64 = 86_400_000

    /// An entry whose first try went out while the clock was three days ahead.
    private func tried() -> (Bench, UUIDBytes) {
        var bench = Bench()
        bench.wallOffset = 3 * Self.day
        let id = bench.enqueue()
        bench.answer(id, .none)
        return (bench, id)
    }

    @Test func `makes nothing younger in the same process`() {
        var (bench, id) = tried()
        bench.wallOffset = 0
        bench.wait()
        #expect(bench.sent == [id])
        bench.answer(id, .none)
        bench.take(.network(isUsable: false))
        bench.pass(.seconds(23 * 3600))
        bench.take(.network(isUsable: true))
        #expect(bench.sent.isEmpty && bench.state(id) == .unresolved)
    }

    @Test func `makes nothing younger for the next process, which begins after the clock has caught up`() {
        var (bench, id) = tried()
        bench.wallOffset = 0
        bench.take(.network(isUsable: false))
        bench.pass(.seconds(80 * 3600))
        bench.restart()
        #expect(bench.sent.isEmpty && bench.state(id) == .unresolved)
    }

    @Test func `has the next process ask about what it cannot date`() {
        var (bench, id) = tried()
        // As if the process had ended before it could see the clock set back.
        bench.wallOffset = 0
        bench.elapsed += .seconds(30 * 3600)
        bench.restart(isOnline: false)
        #expect(bench.state(id) == .unresolved)
        #expect(bench.effects.contains(.report(.unresolved(id))))
        bench.take(.network(isUsable: true))
        #expect(bench.sent.isEmpty)
        bench.take(.decide(id, .sendAgain))
        #expect(bench.flights.map(\.key) == [id])
    }

    @Test(arguments: [1, 1000, 1_800_000])
    func `by half an hour or less keeps no write that is in doubt from being sent`(_ jump: Int64) {
        var bench = Bench()
        bench.wallOffset = jump
        let id = bench.enqueue()
        bench.answer(id, .none)
        bench.wallOffset = 0
        bench.restart()
        #expect(bench.sent == [id])
        // As if all of the half hour had passed unseen.
        bench.answer(id, .none)
        bench.take(.network(isUsable: false))
        bench.pass(.seconds(45 * 1800 - 10))
        bench.restart()
        #expect(bench.sent == [id])
        bench.answer(id, .none)
        bench.pass(.seconds(10))
        #expect(bench.sent.isEmpty && bench.state(id) == .unresolved)
    }

    @Test func `by more than half an hour has the host asked`() {
        var bench = Bench()
        bench.wallOffset = 1_800_001
        let id = bench.enqueue()
        bench.answer(id, .none)
        bench.wallOffset = 0
        bench.restart()
        #expect(bench.sent.isEmpty && bench.state(id) == .unresolved)
    }

    @Test func `has a write that waits tried at the next start`() {
        var bench = Bench()
        let id = bench.enqueue()
        for _ in 1...6 {
            bench.answer(id, .none)
            bench.wait()
        }
        bench.answer(id, .none)
        #expect(bench.armed == 60)
        bench.wallOffset = -60_000
        bench.restart()
        #expect(bench.sent == [id])
    }

    @Test func `ends the wait that a server asked for before, for the next process`() {
        var bench = Bench()
        let id = bench.enqueue()
        bench.answer(id, 429, retryAfter: .seconds(3600))
        bench.wallOffset = -Self.day
        bench.restart()
        #expect(bench.sent == [id])
    }

    @Test func `keeps no write that was always answered from being sent`() {
        var bench = Bench()
        bench.wallOffset = 3 * Self.day
        let id = bench.enqueue()
        bench.answer(id, 503)
        bench.wallOffset = 0
        bench.restart()
        #expect(bench.sent == [id])
    }
}
