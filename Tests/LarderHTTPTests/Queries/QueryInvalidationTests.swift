// Proves that invalidated or removed values stay so: during a fetch, without an observer, and across a relaunch.
import Foundation
import Larder
import LarderFormat
import LarderHTTP
import LarderStore
import LarderTesting
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(5))) struct `An invalidated query` {
    let world = QueryWorld()
    /// Never stale by its age.
    private let lasting = KeyedQueryOptions(staleAfter: nil)

    private func persistence(_ store: Store) -> QueryCache.Persistence {
        QueryCache.Persistence(store: store, coder: JSONPayloadCoder(), maximumAge: nil) { _ in true }
    }

    @Test func `is stale when the fetch under way ends, and a later request gets a newer value`() async throws {
        let cache = world.cache()
        let barrier = FetchBarrier()
        let began = Flag(false)
        let first = Task {
            try await cache.value(for: ["a"]) {
                began.value = true
                await barrier.wait()
                return 1
            }.value
        }
        while !began.value { await Task.yield() }
        await cache.invalidate(["a"])
        let second = Task { try await cache.value(for: ["a"]) { 2 } }
        for _ in 0..<1000 { await Task.yield() }
        barrier.open()
        #expect(try await first.value == 1)
        let newer = try await second.value
        #expect(newer.value == 2)
        #expect(!newer.isStale)
        #expect(try await cache.value(for: ["a"], options: lasting) { 3 }.value == 2)
    }

    @Test func `is stale when the fetch under way ends without a later request`() async throws {
        let cache = world.cache()
        let barrier = FetchBarrier()
        let began = Flag(false)
        let first = Task {
            try await cache.value(for: ["a"]) {
                began.value = true
                await barrier.wait()
                return 1
            }.value
        }
        while !began.value { await Task.yield() }
        await cache.invalidate(["a"])
        barrier.open()
        #expect(try await first.value == 1)
        world.online.withLock { $0 = false }
        let shown = try await cache.value(for: ["a"], options: lasting) { 2 }
        #expect(shown.value == 1)
        #expect(shown.isStale)
    }

    @Test func `that is observed is fetched again when the fetch under way ends`() async throws {
        let cache = world.cache()
        let barrier = FetchBarrier()
        let count = Atomic(0)
        let states = cache.states(for: ["a"]) { () async -> Int in
            let number = count.add(1, ordering: .relaxed).newValue
            if number == 1 { await barrier.wait() }
            return number
        }
        let watcher = Task { await states.first { ($0.value ?? 0) > 1 }?.value }
        while count.load(ordering: .relaxed) == 0 { await Task.yield() }
        await cache.invalidate(["a"])
        barrier.open()
        #expect(await watcher.value == 2)
    }

    @Test(arguments: [true, false])
    func `is stale after a relaunch, whether or not it was in memory`(isInMemory: Bool) async throws {
        let store = try world.openStore()
        await world.cache(persistence(store)).set(1, for: ["a", 1])
        await world.cache(persistence(store)).set(9, for: ["b"])
        let cache = world.cache(persistence(store))
        if isInMemory { #expect(await cache.peek(Int.self, for: ["a", 1]) == 1) }
        await cache.invalidate(["a"])
        world.online.withLock { $0 = false }
        #expect(try await cache.value(for: ["a", 1], options: lasting) { 2 }.isStale)
        try store.close()
        let again = try world.openStore()
        let second = world.cache(persistence(again))
        let shown = try await second.value(for: ["a", 1], options: lasting) { 2 }
        #expect(shown.value == 1)
        #expect(shown.isStale)
        #expect(try await !second.value(for: ["b"], options: lasting) { 2 }.isStale)
        // A newer value ends it, for good.
        await second.set(3, for: ["a", 1])
        let third = world.cache(persistence(again))
        let fresh = try await third.value(for: ["a", 1], options: lasting) { 4 }
        #expect(fresh.value == 3)
        #expect(!fresh.isStale)
        #expect(try again.verify { _ in }.findings == 0)
    }

    @Test func `is stale after a relaunch, though the answer of an older fetch was stored after`() async throws {
        let store = try world.openStore()
        let cache = world.cache(persistence(store))
        let barrier = FetchBarrier()
        let began = Flag(false)
        let first = Task {
            try await cache.value(for: ["a"]) {
                began.value = true
                await barrier.wait()
                return 1
            }.value
        }
        while !began.value { await Task.yield() }
        await cache.invalidate(["a"])
        barrier.open()
        _ = try await first.value
        world.online.withLock { $0 = false }
        #expect(try await world.cache(persistence(store)).value(for: ["a"], options: lasting) { 2 }.isStale)
    }

    /// Runs `act` in a task that is cancelled.
    private func whenCancelled(_ act: @escaping @Sendable () async -> Void) async {
        let task = Task {
            while !Task.isCancelled { await Task.yield() }
            await act()
        }
        task.cancel()
        await task.value
    }

    @Test func `is stale after a relaunch, though the task that invalidated it was cancelled`() async throws {
        let store = try world.openStore()
        let cache = world.cache(persistence(store))
        await cache.set(1, for: ["a"])
        await whenCancelled { await cache.invalidate(["a"]) }
        world.online.withLock { $0 = false }
        #expect(try await world.cache(persistence(store)).value(for: ["a"], options: lasting) { 2 }.isStale)
        await whenCancelled { await cache.set(3, for: ["a"]) }
        let shown = try await world.cache(persistence(store)).value(for: ["a"], options: lasting) { 2 }
        #expect(shown.value == 3)
        #expect(!shown.isStale)
    }

    @Test func `is not valid after a relaunch, though the store is full`() async throws {
        let store = try world.openStore(StoreOptions(sizeCap: 100_000))
        let cache = world.cache(persistence(store))
        let text = String(repeating: "x", count: 200)
        for number in 1...500 {
            world.clock.advance(by: .seconds(1))
            await cache.set(text, for: ["a", .integer(Int64(number))])
        }
        #expect(await world.cache(persistence(store)).peek(String.self, for: ["a", 500]) == text)
        await cache.invalidate(["a"])
        let again = world.cache(persistence(store))
        for number in 1...500 {
            let key: QueryKey = ["a", .integer(Int64(number))]
            let shown = try await again.value(for: key, options: lasting) { "new" }
            #expect(shown.value == "new" || shown.isStale)
        }
        #expect(try store.verify { _ in }.findings == 0)
    }

    @Test func `leaves a value that was set after it valid when an older fetch ends`() async throws {
        let cache = world.cache()
        let barrier = FetchBarrier()
        let began = Flag(false)
        let first = Task {
            try await cache.value(for: ["a"]) {
                began.value = true
                await barrier.wait()
                return 1
            }.value
        }
        while !began.value { await Task.yield() }
        await cache.invalidate(["a"])
        await cache.set(5, for: ["a"])
        barrier.open()
        _ = try await first.value
        let shown = try await cache.value(for: ["a"], options: lasting) { 9 }
        #expect(shown.value == 5)
        #expect(!shown.isStale)
    }

    @Test func `that was set before it is fetched again for an observer when an older fetch ends`() async throws {
        let cache = world.cache()
        let barrier = FetchBarrier()
        let count = Atomic(0)
        let states = cache.states(for: ["a"], options: lasting) { () async -> Int in
            let number = count.add(1, ordering: .relaxed).newValue
            if number == 1 { await barrier.wait() }
            return number
        }
        while count.load(ordering: .relaxed) == 0 { await Task.yield() }
        await cache.set(9, for: ["a"])
        await cache.invalidate(["a"])
        barrier.open()
        #expect(await states.first { $0.value == 2 }?.value == 2)
    }

    @Test func `that is removed does not come back by a value that was being stored`() async throws {
        let store = try world.openStore()
        let cache = world.cache(persistence(store))
        let (began, mayEnd) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let blocker = Task {
            try await store.write { _ in
                began.signal()
                mayEnd.wait()
            }
        }
        await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                began.wait()
                continuation.resume()
            }
        }
        let asker = Task { try await cache.value(for: ["a"]) { 1 }.value }
        while await cache.peek(Int.self, for: ["a"]) != 1 { await Task.yield() }
        for _ in 0..<1000 { await Task.yield() }
        let removal = Task { try await cache.remove(["a"]) }
        for _ in 0..<2000 { await Task.yield() }
        mayEnd.signal()
        _ = try await (blocker.value, asker.value, removal.value)
        #expect(await world.cache(persistence(store)).peek(Int.self, for: ["a"]) == nil)
    }

    /// The coder blocks a thread of the pool, and the test needs another one.
    @Test(.enabled(if: ProcessInfo.processInfo.activeProcessorCount > 1))
    func `that is removed does not come back by a value that was to be stored`() async throws {
        let store = try world.openStore()
        let coder = SlowCoder()
        let cache = world.cache(
            QueryCache.Persistence(store: store, coder: coder, maximumAge: nil) { _ in true })
        let asker = Task { try await cache.value(for: ["a"]) { 1 }.value }
        while !coder.isEncoding.value { await Task.yield() }
        try await cache.remove(["a"])
        coder.mayEncode.signal()
        _ = try await asker.value
        #expect(await world.cache(persistence(store)).peek(Int.self, for: ["a"]) == nil)
    }

    @Test func `whose fetch fails leaves the stored value for when there is no network`() async throws {
        let store = try world.openStore()
        let cache = world.cache(persistence(store))
        await cache.set(1, for: ["a"])
        await cache.invalidate(["a"])
        world.isFailing.withLock { $0 = true }
        await #expect(throws: QueryWorld.Outage.self) { try await world.fetch(cache, ["a"], world.options(.always)) }
        world.online.withLock { $0 = false }
        #expect(try await world.fetch(world.cache(persistence(store)), ["a"]).value == 1)
    }
}

/// JSON that is written when it may be.
private struct SlowCoder: PayloadCoder {
    let isEncoding = Flag(false)
    let mayEncode = DispatchSemaphore(value: 0)

    var codec: PayloadCodec { .json }

    func encode<Value: Encodable>(_ value: Value) throws -> [UInt8] {
        isEncoding.value = true
        mayEncode.wait()
        return try JSONPayloadCoder().encode(value)
    }

    func decode<Value: Decodable>(_ type: Value.Type, from payload: RawSpan) throws -> Value {
        try JSONPayloadCoder().decode(type, from: payload)
    }
}
