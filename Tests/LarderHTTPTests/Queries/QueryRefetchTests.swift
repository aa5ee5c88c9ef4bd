// Proves when an observed query is fetched automatically: by its interval, in the foreground, and when the network returns.
import Larder
import LarderTesting
import LarderTransport
import Synchronization
import Testing

@testable import LarderHTTP

@Suite(.timeLimit(.minutes(5))) struct `An observed query` {
    let world = QueryWorld()
    private let everyMinute = KeyedQueryOptions(staleAfter: nil, refetchInterval: .seconds(60))

    /// Reads states until it is cancelled.
    private func observe(_ cache: QueryCache, _ options: KeyedQueryOptions) -> Task<Void, Never> {
        let states = cache.states(for: ["a"], options: options) { [world] in try world.answer() }
        return Task { for await _ in states {} }
    }

    private func waitForFetches(_ count: Int) async { while world.count < count { await Task.yield() } }

    /// Waits until a fetch has ended, too.
    private func waitForValue(_ count: Int, by cache: QueryCache) async {
        while await cache.peek(Int.self, for: ["a"]) != count { await Task.yield() }
    }

    private func yieldRepeatedly() async { for _ in 0..<1000 { await Task.yield() } }

    @Test func `is fetched again whenever its value is as old as its interval, until nobody observes it`() async throws
    {
        let cache = world.cache()
        let reader = observe(cache, everyMinute)
        for count in 1...3 {
            await waitForValue(count, by: cache)
            await world.clock.sleepers(atLeast: 1)
            world.clock.advance(by: .milliseconds(59_999))
            await yieldRepeatedly()
            #expect(world.count == count)
            world.clock.advance(by: .milliseconds(1))
        }
        await waitForFetches(4)
        reader.cancel()
        await reader.value
        while world.clock.sleeperCount > 0 { await Task.yield() }
        world.clock.advance(by: .seconds(3600))
        await yieldRepeatedly()
        #expect(world.count == 4)
    }

    @Test func `is fetched once an interval, though two observe it`() async throws {
        let cache = world.cache()
        let first = observe(cache, everyMinute)
        await waitForValue(1, by: cache)
        await world.clock.sleepers(atLeast: 1)
        world.clock.advance(by: .seconds(20))
        let second = observe(cache, everyMinute)
        await world.clock.sleepers(atLeast: 2)
        world.clock.advance(by: .seconds(40))
        await waitForValue(2, by: cache)
        await world.clock.sleepers(atLeast: 2)
        await yieldRepeatedly()
        #expect(world.count == 2)
        first.cancel()
        second.cancel()
    }

    @Test func `is not fetched by its interval without a network`() async throws {
        let cache = world.cache()
        let reader = observe(cache, everyMinute)
        await waitForFetches(1)
        await world.clock.sleepers(atLeast: 1)
        world.online.withLock { $0 = false }
        world.clock.advance(by: .seconds(60))
        await world.clock.sleepers(atLeast: 1)
        #expect(world.count == 1)
        reader.cancel()
    }

    @Test func `is fetched again in the foreground when it is stale, and only then`() async throws {
        let cache = world.cache()
        let reader = observe(cache, KeyedQueryOptions(staleAfter: .seconds(60)))
        await waitForValue(1, by: cache)
        cache.focused()
        await yieldRepeatedly()
        #expect(world.count == 1)
        world.clock.advance(by: .seconds(60))
        cache.focused()
        await waitForFetches(2)
        reader.cancel()
    }

    @Test func `of the system's cache is fetched when the system's network is back`() async throws {
        let connectivity = ScriptedConnectivity(.offline)
        let cache = QueryCache.system(store: nil, connectivity: connectivity)
        while cache.isOnline() { await Task.yield() }
        let states = cache.states(for: ["a"]) { [world] in try world.answer() }
        #expect(await states.first { _ in true }?.value == nil)
        connectivity.set(.online)
        #expect(await states.first { $0.value != nil }?.value == 1)
    }

    @Test func `of the system's cache is stored where its key is selected`() async throws {
        let store = try world.openStore()
        let cache = QueryCache.system(store: store) { $0.hasPrefix(["kept"]) }
        await cache.set(1, for: ["kept", 1])
        await cache.set(2, for: ["other"])
        let again = QueryCache.system(store: store)
        #expect(await again.peek(Int.self, for: ["kept", 1]) == 1)
        #expect(await again.peek(Int.self, for: ["other"]) == nil)
    }
}
