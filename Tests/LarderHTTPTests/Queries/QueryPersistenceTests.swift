// Proves that selected query values persist, expire, are evicted and are removed by prefix.

import Larder
import LarderHTTP
import LarderStore
import LarderTesting
import Synchronization
import Testing

/// What a source system promises of what it keeps.
@Suite struct `Stored query values` {
    let world = QueryWorld()

    private func persistence(_ store: Store) -> QueryCache.Persistence {
        QueryCache.Persistence(store: store, coder: JSONPayloadCoder()) { key in
            [["outlets"], ["visits"], ["profile"]].contains { (prefix: QueryKey) in key.hasPrefix(prefix) }
        }
    }

    /// §4.1.4, §4.1.5.
    @Test func `come back after a restart: lists and profile, but no analytics`() async throws {
        let store = try world.openStore()
        let first = world.cache(persistence(store))
        for key: QueryKey in [["outlets", ["page": 1]], ["profile"], ["analytics", "today"]] {
            _ = try await world.fetch(first, key)
        }
        try store.close()
        world.online.withLock { $0 = false }
        let again = try world.openStore()
        let second = world.cache(persistence(again))
        #expect(try await world.fetch(second, ["outlets", ["page": 1]]).value == 1)
        #expect(try await world.fetch(second, ["profile"]).value == 2)
        await #expect(throws: KeyedQueryError.offline) { try await world.fetch(second, ["analytics", "today"]) }
        #expect(try again.verify { _ in }.findings == 0)
    }

    /// §4.1.5.
    @Test func `are read back for 24 hours, and longer only while the network is away`() async throws {
        let store = try world.openStore()
        _ = try await world.fetch(world.cache(persistence(store)))
        world.clock.advance(by: .seconds(86_400))
        #expect(await world.cache(persistence(store)).peek(Int.self, for: ["outlets"]) == nil)
        world.online.withLock { $0 = false }
        #expect(try await world.fetch(world.cache(persistence(store))).value == 1)
    }

    @Test func `of another shape are fetched again`() async throws {
        let store = try world.openStore()
        await world.cache(persistence(store)).set(["a", "list"], for: ["outlets"])
        #expect(try await world.fetch(world.cache(persistence(store))).value == 1)
    }

    @Test func `are removed by prefix, in memory and in the file`() async throws {
        let store = try world.openStore()
        let cache = world.cache(persistence(store))
        for page in 1...300 { await cache.set(page, for: ["outlets", .integer(Int64(page))]) }
        await cache.set(0, for: ["profile"])
        try await cache.remove(["outlets"])
        #expect(await cache.peek(Int.self, for: ["outlets", 7]) == nil)
        #expect(await world.cache(persistence(store)).peek(Int.self, for: ["outlets", 7]) == nil)
        #expect(await world.cache(persistence(store)).peek(Int.self, for: ["profile"]) == 0)
    }

    @Test func `make space for ever new ones in a store with a cap, the oldest first`() async throws {
        let store = try world.openStore(StoreOptions(sizeCap: 100_000))
        let cache = world.cache(persistence(store))
        for page in 1...120 {
            world.clock.advance(by: .seconds(1))
            await cache.set(String(repeating: "x", count: 3_000), for: ["outlets", .integer(Int64(page))])
            #expect(try store.spaceUse().stored <= 100_000)
        }
        let again = world.cache(persistence(store))
        for page in 110...120 {
            #expect(await again.peek(String.self, for: ["outlets", .integer(Int64(page))])?.count == 3_000)
        }
        #expect(await again.peek(String.self, for: ["outlets", 1]) == nil)
        #expect(try store.verify { _ in }.findings == 0)
    }

    @Test func `too old to be read back are swept away`() async throws {
        let store = try world.openStore()
        let cache = world.cache(persistence(store))
        await cache.set(1, for: ["visits"])
        world.clock.advance(by: .seconds(86_401))
        await cache.set(2, for: ["profile"])
        try await cache.sweep()
        let rows = try store.statistics().rows
        #expect(rows == 1)
    }
}
