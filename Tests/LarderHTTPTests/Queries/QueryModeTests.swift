// Proves what the modes of a keyed query return, fetch and expire.

import LarderTesting
import Synchronization
import Testing

@testable import LarderHTTP

/// What a source system promises of its reads.
@Suite struct `A keyed query` {
    let world = QueryWorld()

    /// §4.1.1, §4.1.6.
    @Test func `offline first returns what is cached and refreshes behind it`() async throws {
        let cache = world.cache()
        #expect(try await world.fetch(cache).value == 1)
        world.clock.advance(by: .seconds(301))
        var states = cache.states(for: ["outlets"], options: KeyedQueryOptions(isEnabled: { false })) { 0 }
            .makeAsyncIterator()
        _ = try await states.next()
        let stale = try await world.fetch(cache)
        #expect(stale.value == 1)
        #expect(stale.isStale && stale.isFetching)
        var value = 1
        while value == 1 { value = try #require(try await states.next()?.value) }
        #expect(value == 2)
        let fresh = try await world.fetch(cache)
        #expect(fresh.value == 2)
        #expect(!fresh.isStale && !fresh.isFetching)
    }

    /// §4.1.1.
    @Test func `in mode online fails offline, and sends nothing`() async throws {
        let cache = world.cache()
        world.online.withLock { $0 = false }
        await #expect(throws: KeyedQueryError.offline) {
            try await world.fetch(cache, ["outlets"], world.options(.online))
        }
        #expect(world.count == 0)
        world.online.withLock { $0 = true }
        #expect(try await world.fetch(cache, ["outlets"], world.options(.online)).value == 1)
    }

    /// §4.1.1.
    @Test func `in mode always fetches whatever the network is said to be`() async throws {
        let cache = world.cache()
        world.online.withLock { $0 = false }
        #expect(try await world.fetch(cache, ["outlets"], world.options(.always)).value == 1)
    }

    /// §4.1.2.
    @Test func `is fresh for five minutes and not a millisecond longer`() async throws {
        let cache = world.cache()
        _ = try await world.fetch(cache, ["outlets"], world.options(.online))
        world.clock.advance(by: .milliseconds(299_999))
        #expect(try await world.fetch(cache, ["outlets"], world.options(.online)).value == 1)
        world.clock.advance(by: .milliseconds(1))
        #expect(try await world.fetch(cache, ["outlets"], world.options(.online)).value == 2)
    }

    /// §4.1.2.
    @Test func `that is not used is forgotten after 24 hours, or never`() async throws {
        let cache = world.cache()
        var forEver = world.options()
        forEver.keepFor = nil
        _ = try await world.fetch(cache, ["visits"])
        _ = try await world.fetch(cache, ["outlets"], forEver)
        world.clock.advance(by: .seconds(86_401))
        _ = try await world.fetch(cache, ["other"])
        #expect(await cache.peek(Int.self, for: ["visits"]) == nil)
        #expect(await cache.peek(Int.self, for: ["outlets"]) == 2)
    }

    @Test func `is stored beyond its time as long as there is no network`() async throws {
        let cache = world.cache()
        _ = try await world.fetch(cache)
        world.online.withLock { $0 = false }
        world.clock.advance(by: .seconds(10 * 86_400))
        #expect(try await world.fetch(cache).value == 1)
    }

    /// §4.1.3.
    @Test func `does not fetch before it is enabled`() async throws {
        let cache = world.cache()
        world.enabled.withLock { $0 = false }
        await #expect(throws: KeyedQueryError.disabled) { try await world.fetch(cache) }
        #expect(world.count == 0)
        world.enabled.withLock { $0 = true }
        #expect(try await world.fetch(cache).value == 1)
        world.enabled.withLock { $0 = false }
        world.clock.advance(by: .seconds(301))
        #expect(try await world.fetch(cache).value == 1)
        #expect(world.count == 1)
    }

    /// §4.1.6.
    @Test func `shows that it is loading, then the value`() async throws {
        let cache = world.cache()
        var states = cache.states(for: ["outlets"]) { [world] in try world.answer() }.makeAsyncIterator()
        var seen: [Int?] = []
        while let state = try await states.next() {
            seen.append(state.value)
            if state.value != nil { break }
            #expect(state.isStale)
        }
        #expect(seen.first == .some(nil) || seen == [1])
        #expect(seen.last == 1)
    }

    /// §4.1.7.
    @Test func `offline with cached data gives the data and is not fetching`() async throws {
        let cache = world.cache()
        _ = try await world.fetch(cache)
        world.online.withLock { $0 = false }
        world.clock.advance(by: .seconds(3600))
        let answer = try await world.fetch(cache)
        #expect(answer.value == 1)
        #expect(answer.isStale)
        #expect(!answer.isFetching)
        #expect(world.count == 1)
    }

    /// §4.1.8.
    @Test func `assumes a network until the host says otherwise`() async throws {
        let cache = QueryCache(host: .virtual(world.clock))
        #expect(try await cache.value(for: ["a"], fetch: { 7 }).value == 7)
    }

    @Test func `decides by one table`() {
        for mode in KeyedQueryOptions.Mode.allCases {
            for hasValue in [false, true] {
                for isStale in [false, true] {
                    for isOnline in [false, true] {
                        let off = QueryStep.next(
                            mode: mode, hasValue: hasValue, isStale: isStale, isOnline: isOnline, isEnabled: false)
                        #expect(off == (hasValue ? .answer : .fail(.disabled)))
                        let on = QueryStep.next(
                            mode: mode, hasValue: hasValue, isStale: isStale, isOnline: isOnline, isEnabled: true)
                        if hasValue, !isStale { #expect(on == .answer) }
                        if !isOnline, mode != .always { #expect(on != .fetch && on != .answerAndFetch) }
                        if !hasValue { #expect(on == .fetch || on == .fail(.offline)) }
                    }
                }
            }
        }
    }
}
