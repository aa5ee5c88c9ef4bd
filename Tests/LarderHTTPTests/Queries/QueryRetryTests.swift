// Proves when a failed fetch is tried again, and when it is not.
import HTTPTypes
import LarderHTTP
import LarderTesting
import LarderTransport
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(5))) struct `A fetch that fails` {
    let world = QueryWorld()

    private func options(
        _ mode: KeyedQueryOptions.Mode = .offlineFirst,
        isFinal: @escaping @Sendable (any Error) -> Bool = { _ in false }
    ) -> KeyedQueryOptions {
        let waits = RetryPolicy(first: .seconds(1), limit: .seconds(3), jitter: 0)
        return KeyedQueryOptions(mode: mode, retry: QueryRetry(limit: 3, waits: waits, isFinal: isFinal))
    }

    @Test func `is tried again after waits that grow, as often as its options say, and then throws`() async throws {
        let cache = world.cache()
        world.isFailing.withLock { $0 = true }
        let asker = Task { try await world.fetch(cache, ["a"], options()) }
        for second in [1, 3, 6] {
            await world.clock.sleepers(atLeast: 1)
            #expect(world.clock.nextDeadline?.offset == .seconds(second))
            world.clock.advanceToNextSleeper()
        }
        await #expect(throws: QueryWorld.Outage.self) { try await asker.value }
        #expect(world.count == 4)
    }

    @Test func `gives the value of a later try, and its observers see no error`() async throws {
        let cache = world.cache()
        world.isFailing.withLock { $0 = true }
        let errors = Atomic(0)
        let states = cache.states(for: ["a"], options: options()) { [world] in try world.answer() }
        let reader = Task {
            for await state in states {
                if state.error != nil { errors.add(1, ordering: .relaxed) }
                if let value = state.value { return value }
            }
            return 0
        }
        await world.clock.sleepers(atLeast: 1)
        world.isFailing.withLock { $0 = false }
        world.clock.advanceToNextSleeper()
        #expect(await reader.value == 2)
        #expect(errors.load(ordering: .relaxed) == 0)
    }

    @Test func `is not tried again by default, nor after an error that is final`() async throws {
        let cache = world.cache()
        world.isFailing.withLock { $0 = true }
        await #expect(throws: QueryWorld.Outage.self) { try await world.fetch(cache, ["a"]) }
        await #expect(throws: QueryWorld.Outage.self) {
            try await world.fetch(cache, ["a"], options { $0 is QueryWorld.Outage })
        }
        #expect(world.count == 2)
    }

    @Test func `ends its tries when the network goes, and begins anew for observers when it is back`() async throws {
        let cache = world.cache()
        world.isFailing.withLock { $0 = true }
        let states = cache.states(for: ["a"], options: options()) { [world] in try world.answer() }
        await world.clock.sleepers(atLeast: 1)
        world.online.withLock { $0 = false }
        world.clock.advanceToNextSleeper()
        #expect(await states.first { $0.error != nil }?.error is QueryWorld.Outage)
        #expect(world.count == 1)
        world.isFailing.withLock { $0 = false }
        world.online.withLock { $0 = true }
        cache.reconnected()
        #expect(await states.first { $0.value != nil }?.value == 2)
    }

    @Test func `ends its tries when it is given up`() async throws {
        let cache = world.cache()
        world.isFailing.withLock { $0 = true }
        let asker = Task { try await world.fetch(cache, ["a"], options()) }
        await world.clock.sleepers(atLeast: 1)
        cache.cancel(["a"])
        await #expect(throws: CancellationError.self) { try await asker.value }
        while world.clock.sleeperCount > 0 { await Task.yield() }
        #expect(world.count == 1)
    }

    @Test func `of the HTTP cache is tried again only where another try may mend it`() {
        let isFinal = QueryRetry().isFinal
        for status in [400, 401, 404, 410, 422] {
            #expect(isFinal(HTTPCacheError.server(HTTPResponse(status: .init(code: status)))))
        }
        for status in [408, 425, 429, 500, 502, 503] {
            #expect(!isFinal(HTTPCacheError.server(HTTPResponse(status: .init(code: status)))))
        }
        #expect(isFinal(HTTPCacheError.parse(QueryWorld.Outage())))
        #expect(!isFinal(HTTPCacheError.transport(.connectionRefused)))
        #expect(!isFinal(QueryWorld.Outage()))
    }
}
