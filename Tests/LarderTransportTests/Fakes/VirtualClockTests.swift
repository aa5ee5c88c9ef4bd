// Proves that a virtual clock wakes sleepers in order, only when it is advanced.

import LarderStore
import LarderTesting
import Testing

@Suite(.timeLimit(.minutes(5))) struct `A virtual clock` {
    @Test func `stands still until it is advanced`() {
        let clock = VirtualClock(wallMilliseconds: 1000)
        #expect(clock.now.offset == .zero)
        clock.advance(by: .milliseconds(2500))
        #expect(clock.now.offset == .milliseconds(2500))
        #expect(clock.wallMilliseconds == 3500)
    }

    @Test func `has a wall clock that can go back without waking or delaying anybody`() {
        let clock = VirtualClock(wallMilliseconds: 1_000_000)
        clock.advance(by: .seconds(1))
        clock.setWallClock(toMilliseconds: 5)
        #expect(clock.wallMilliseconds == 5)
        #expect(clock.now.offset == .seconds(1))
        clock.advance(by: .seconds(1))
        #expect(clock.wallMilliseconds == 1005)
    }

    @Test func `wakes sleepers by deadline, and those of one deadline in the order they came`() async throws {
        let clock = VirtualClock()
        let woken = Shared<[Int]>([])
        let done = Signal()
        try await withThrowingTaskGroup { group in
            for (number, seconds) in [3, 1, 2, 1].enumerated() {
                group.addTask {
                    try await clock.sleep(for: .seconds(seconds))
                    woken.withLock { $0.append(number) }
                    done.fire()
                }
                await clock.sleepers(atLeast: number + 1)
            }
            for count in 1...4 {
                #expect(clock.advanceToNextSleeper())
                await done.wait(for: count)
            }
            try await group.waitForAll()
        }
        #expect(woken.withLock { $0 } == [1, 3, 2, 0])
        #expect(clock.now.offset == .seconds(3))
        #expect(!clock.advanceToNextSleeper())
    }

    @Test func `lets sleep whoever is not due`() async throws {
        let clock = VirtualClock()
        async let early: Void = clock.sleep(for: .seconds(1))
        async let late: Void = clock.sleep(for: .seconds(2))
        await clock.sleepers(atLeast: 2)
        clock.advance(by: .seconds(1))
        try await early
        #expect(clock.sleeperCount == 1)
        #expect(clock.nextDeadline?.offset == .seconds(2))
        clock.advance(by: .seconds(1))
        try await late
    }

    @Test func `does not let anybody sleep for a time that is over`() async throws {
        let clock = VirtualClock()
        try await clock.sleep(for: .zero)
        clock.advance(by: .seconds(5))
        try await clock.sleep(until: VirtualClock.Instant(offset: .seconds(5)))
    }

    @Test func `ends a host's wait at its deadline, however late the wait begins`() async throws {
        let clock = VirtualClock()
        clock.advance(by: .seconds(60))
        let host = HostServices.virtual(clock)
        let deadline = host.elapsed() + .seconds(5)
        clock.advance(by: .seconds(3))
        async let wait: Void = host.sleepUntil(deadline)
        await clock.sleepers(atLeast: 1)
        #expect(clock.nextDeadline?.offset == .seconds(65))
        clock.advance(by: .seconds(2))
        try await wait
        try await host.sleepUntil(deadline)
    }

    @Test func `wakes a cancelled sleeper at once`() async throws {
        let clock = VirtualClock()
        let sleeper = Task { try await clock.sleep(for: .seconds(1)) }
        await clock.sleepers(atLeast: 1)
        sleeper.cancel()
        await #expect(throws: CancellationError.self) { try await sleeper.value }
        #expect(clock.sleeperCount == 0)
        let early = Task {
            unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
            try await clock.sleep(for: .seconds(1))
        }
        await #expect(throws: CancellationError.self) { try await early.value }
    }
}
