// Proves that an invalidation by tag reaches every value with the tag, and lasts: over fetches, and over relaunches.
import Larder
import LarderHTTP
import LarderStore
import LarderTesting
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(5))) struct `A query with tags` {
    let world = QueryWorld()

    private func lasting(_ tags: Set<String>) -> KeyedQueryOptions { KeyedQueryOptions(staleAfter: nil, tags: tags) }

    private func persistence(_ store: Store) -> QueryCache.Persistence {
        QueryCache.Persistence(store: store, coder: JSONPayloadCoder(), maximumAge: nil) { _ in true }
    }

    @Test func `is stale once one of them is invalidated, whatever its key, and no other is`() async throws {
        let cache = world.cache()
        _ = try await cache.value(for: ["visits"], options: lasting(["outlet 7", "visits"])) { 1 }
        _ = try await cache.value(for: ["outlets", 7], options: lasting(["outlet 7"])) { 2 }
        _ = try await cache.value(for: ["outlets", 8], options: lasting(["outlet 8"])) { 3 }
        await cache.set(4, for: ["visits", 9], tags: ["outlet 7"])
        await cache.invalidate(tag: "outlet 7")
        world.online.withLock { $0 = false }
        for (key, isStale) in [
            (["visits"], true), (["outlets", 7], true), (["outlets", 8], false), (["visits", 9], true),
        ]
            as [(QueryKey, Bool)]
        {
            #expect(try await cache.value(for: key, options: lasting([])) { 0 }.isStale == isStale)
        }
    }

    @Test func `is stale when the fetch under way ends`() async throws {
        let cache = world.cache()
        let barrier = FetchBarrier()
        let began = Flag(false)
        let first = Task { [options = lasting(["t"])] in
            try await cache.value(for: ["a"], options: options) {
                began.value = true
                await barrier.wait()
                return 1
            }.value
        }
        while !began.value { await Task.yield() }
        await cache.invalidate(tag: "t")
        barrier.open()
        #expect(try await first.value == 1)
        world.online.withLock { $0 = false }
        #expect(try await cache.value(for: ["a"], options: lasting(["t"])) { 2 }.isStale)
    }

    @Test func `is fetched again where it is observed`() async throws {
        let cache = world.cache()
        let states = cache.states(for: ["a"], options: lasting(["t"])) { [world] in try world.answer() }
        #expect(await states.first { $0.value == 1 } != nil)
        await cache.invalidate(tag: "t")
        #expect(await states.first { $0.value == 2 } != nil)
    }

    @Test(arguments: [true, false])
    func `is stale after a relaunch, whether or not it was in memory`(isInMemory: Bool) async throws {
        let store = try world.openStore()
        let before = world.cache(persistence(store))
        _ = try await before.value(for: ["a"], options: lasting(["t"])) { 1 }
        _ = try await before.value(for: ["b"], options: lasting(["u"])) { 2 }
        let cache = world.cache(persistence(store))
        if isInMemory { #expect(await cache.peek(Int.self, for: ["a"]) == 1) }
        await cache.invalidate(tag: "t")
        try store.close()
        world.online.withLock { $0 = false }
        let again = try world.openStore()
        let after = world.cache(persistence(again))
        #expect(try await after.value(for: ["a"], options: lasting([])) { 0 }.isStale)
        #expect(try await !after.value(for: ["b"], options: lasting([])) { 0 }.isStale)
        #expect(try again.verify { _ in }.findings == 0)
    }

    @Test func `that was stored before it had the tag is stale after a relaunch, too`() async throws {
        let store = try world.openStore()
        let cache = world.cache(persistence(store))
        await cache.set(1, for: ["a"])
        _ = try await cache.value(for: ["a"], options: lasting(["t"])) { 0 }
        await cache.invalidate(tag: "t")
        world.online.withLock { $0 = false }
        #expect(try await world.cache(persistence(store)).value(for: ["a"], options: lasting(["t"])) { 0 }.isStale)
    }

    @Test func `leaves nothing in the store when it is removed`() async throws {
        let store = try world.openStore()
        let cache = world.cache(persistence(store))
        _ = try await cache.value(for: ["a"], options: lasting(["t"])) { 1 }
        await cache.invalidate(tag: "t")
        #expect(try store.statistics().rows == 3)
        try await cache.remove(["a"])
        #expect(try store.statistics().rows == 0)
    }
}
