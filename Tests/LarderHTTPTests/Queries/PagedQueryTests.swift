// Proves what a query of pages shows while its list grows, moves and fails.
import Larder
import LarderHTTP
import LarderTesting
import LarderTransport
import Synchronization
import Testing

/// A server's list of numbers, in pages of two: a page is asked for by the number that it comes after.
private final class List: Sendable {
    struct Outage: Error {}

    let rows = Mutex(Array(1...5))
    /// What was asked for.
    let requested = Mutex<[Int]>([])
    /// The page that fails.
    let failing = Mutex<Int?>(nil)
    let barrier = FetchBarrier()
    /// The page that waits at the barrier.
    let held = Mutex<Int?>(nil)

    func page(after number: Int) async throws -> [Int] {
        requested.withLock { $0.append(number) }
        if held.withLock({ $0 == number }) { await barrier.wait() }
        if failing.withLock({ $0 == number }) { throw Outage() }
        return rows.withLock { Array($0.filter { $0 > number }.prefix(2)) }
    }

    func reset() -> [Int] {
        requested.withLock { asked in
            defer { asked = [] }
            return asked
        }
    }
}

@Suite(.timeLimit(.minutes(5))) struct `A query of pages` {
    private let world = QueryWorld()
    private let list = List()

    private func query(_ cache: QueryCache, _ options: KeyedQueryOptions = KeyedQueryOptions()) -> PagedQuery<
        [Int], Int
    > {
        PagedQuery(
            cache, ["list"], options: options, first: 0, next: { $0.count == 2 ? $0.last : nil },
            fetch: { [list] in try await list.page(after: $0) })
    }

    @Test func `loads one page after another, each from the one before, until the list ends`() async throws {
        let query = query(world.cache())
        #expect(try await query.value().value == [[1, 2]])
        #expect(try await query.loadNext().value == [[1, 2], [3, 4]])
        let all = try await query.loadNext().value
        #expect(all == [[1, 2], [3, 4], [5]])
        #expect(!query.hasNext(after: all))
        #expect(try await query.loadNext().value == all)
        #expect(list.reset() == [0, 2, 4])
    }

    @Test func `begins with the first page, also when the next one is requested first`() async throws {
        #expect(try await query(world.cache()).loadNext().value == [[1, 2]])
    }

    @Test func `is one state for its observers`() async throws {
        let query = query(world.cache())
        let states = query.states()
        #expect(await states.first { $0.value?.count == 1 } != nil)
        _ = try await query.loadNext()
        let state = await states.first { $0.value?.count == 2 }
        #expect(state?.value == [[1, 2], [3, 4]])
    }

    @Test func `is fetched again with as many pages as are loaded, none missing or doubled where the list moved`()
        async throws
    {
        let cache = world.cache()
        let query = query(cache)
        _ = try await query.value()
        _ = try await query.loadNext()
        list.rows.withLock { $0 = [1, 3, 4, 5, 6] }
        _ = list.reset()
        await cache.invalidate(["list"])
        _ = try await query.value()
        let states = query.states()
        #expect(await states.first { $0.value == [[1, 3], [4, 5]] } != nil)
        #expect(list.reset() == [0, 3])
        list.rows.withLock { $0 = [1] }
        await cache.invalidate(["list"])
        #expect(await states.first { $0.value == [[1]] } != nil)
    }

    @Test func `loads one page for calls at the same time`() async throws {
        let query = query(world.cache())
        _ = try await query.value()
        list.held.withLock { $0 = 2 }
        let calls = (0..<4).map { _ in Task { try await query.loadNext().value } }
        while list.requested.withLock({ $0.count }) < 2 { await Task.yield() }
        for _ in 0..<1000 { await Task.yield() }
        list.barrier.open()
        for call in calls { #expect(try await call.value == [[1, 2], [3, 4]]) }
        #expect(list.reset() == [0, 2])
    }

    @Test func `loads the next page after a fetch under way, from what that brings`() async throws {
        let cache = world.cache()
        let query = query(cache)
        _ = try await query.value()
        list.rows.withLock { $0 = [10, 11, 12, 13] }
        list.held.withLock { $0 = 0 }
        await cache.invalidate(["list"])
        _ = try await query.value()
        let next = Task { try await query.loadNext().value }
        for _ in 0..<1000 { await Task.yield() }
        list.barrier.open()
        #expect(try await next.value == [[10, 11], [12, 13]])
    }

    @Test func `keeps its pages when one fails, and tries only that one again`() async throws {
        let cache = world.cache()
        let waits = RetryPolicy(first: .seconds(1), limit: .seconds(1), jitter: 0)
        let query = query(cache, KeyedQueryOptions(mode: .online, retry: QueryRetry(limit: 1, waits: waits)))
        _ = try await query.value()
        list.failing.withLock { $0 = 2 }
        let failed = Task { try await query.loadNext() }
        await world.clock.sleepers(atLeast: 1)
        world.clock.advanceToNextSleeper()
        await #expect(throws: List.Outage.self) { try await failed.value }
        #expect(list.reset() == [0, 2, 2])
        #expect(await cache.peek([[Int]].self, for: ["list"]) == [[1, 2]])
        list.failing.withLock { $0 = nil }
        _ = try await query.loadNext()
        list.failing.withLock { $0 = 2 }
        _ = list.reset()
        await cache.invalidate(["list"])
        let again = Task { try await query.value().value }
        await world.clock.sleepers(atLeast: 1)
        list.failing.withLock { $0 = nil }
        world.clock.advanceToNextSleeper()
        #expect(try await again.value == [[1, 2], [3, 4]])
        #expect(list.reset() == [0, 2, 2])
    }

    @Test func `is no newer for a page more`() async throws {
        let cache = world.cache()
        let query = query(cache)
        let first = try await query.value().updatedAt
        world.clock.advance(by: .seconds(301))
        let more = try await query.loadNext()
        #expect(more.value.count == 2)
        #expect(more.updatedAt == first)
        #expect(more.isStale)
    }

    @Test func `comes back after a relaunch, and goes on where it ended`() async throws {
        let store = try world.openStore()
        let persistence = QueryCache.Persistence(store: store, coder: JSONPayloadCoder()) { _ in true }
        let before = query(world.cache(persistence))
        _ = try await before.value()
        _ = try await before.loadNext()
        world.online.withLock { $0 = false }
        let after = query(world.cache(persistence))
        await #expect(throws: KeyedQueryError.offline) { try await after.loadNext() }
        #expect(try await after.value().value == [[1, 2], [3, 4]])
        world.online.withLock { $0 = true }
        #expect(try await after.loadNext().value == [[1, 2], [3, 4], [5]])
    }
}
