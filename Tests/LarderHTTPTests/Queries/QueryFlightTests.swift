// Proves that concurrent fetches of a query key share one request and end correctly when cancelled or overtaken.

import LarderHTTP
import LarderTesting
import Synchronization
import Testing

/// A fetch that waits until it is let go.
private final class HeldFetch: Sendable {
    private let stream: AsyncStream<Void>
    private let continuation: AsyncStream<Void>.Continuation
    let knocks = Atomic(0)

    init() { (stream, continuation) = AsyncStream.makeStream() }

    func open() { continuation.finish() }

    func wait(_ value: Int) async throws -> Int {
        knocks.add(1, ordering: .relaxed)
        for await _ in stream {}
        try Task.checkCancellation()
        return value
    }

    func waitUntilCalled() async {
        while knocks.load(ordering: .relaxed) == 0 { await Task.yield() }
    }
}

@Suite struct `Fetches of a key` {
    let world = QueryWorld()

    @Test func `are one, whoever requests them`() async throws {
        let cache = world.cache()
        let heldFetch = HeldFetch()
        let askers = (0..<8).map { _ in Task { try await cache.value(for: ["a"]) { try await heldFetch.wait(5) }.value }
        }
        await heldFetch.waitUntilCalled()
        heldFetch.open()
        for asker in askers { #expect(try await asker.value == 5) }
        #expect(heldFetch.knocks.load(ordering: .relaxed) == 1)
    }

    @Test func `go on for the others when one caller is cancelled`() async throws {
        let cache = world.cache()
        let heldFetch = HeldFetch()
        let patient = Task { try await cache.value(for: ["a"]) { try await heldFetch.wait(5) }.value }
        await heldFetch.waitUntilCalled()
        let hasty = Task { try await cache.value(for: ["a"]) { try await heldFetch.wait(6) }.value }
        hasty.cancel()
        await #expect(throws: CancellationError.self) { try await hasty.value }
        heldFetch.open()
        #expect(try await patient.value == 5)
    }

    @Test func `that are cancelled by prefix end for all who wait, and leave the value`() async throws {
        let cache = world.cache()
        await cache.set(1, for: ["a", 1])
        await cache.invalidate(["a"])
        let heldFetch = HeldFetch()
        let asker = Task {
            try await cache.value(for: ["a", 1], options: KeyedQueryOptions(mode: .online)) {
                try await heldFetch.wait(2)
            }
            .value
        }
        await heldFetch.waitUntilCalled()
        cache.cancel(["a"])
        await #expect(throws: CancellationError.self) { try await asker.value }
        #expect(await cache.peek(Int.self, for: ["a", 1]) == 1)
        heldFetch.open()
    }

    @Test func `come too late for a value set meanwhile`() async throws {
        let cache = world.cache()
        let heldFetch = HeldFetch()
        let asker = Task { try await cache.value(for: ["a"]) { try await heldFetch.wait(1) }.value }
        await heldFetch.waitUntilCalled()
        await cache.set(2, for: ["a"])
        heldFetch.open()
        _ = try await asker.value
        #expect(await cache.peek(Int.self, for: ["a"]) == 2)
    }

    @Test func `that fail leave the value and are reported`() async throws {
        let cache = world.cache()
        _ = try await world.fetch(cache)
        world.isFailing.withLock { $0 = true }
        await cache.invalidate([])
        await #expect(throws: QueryWorld.Outage.self) {
            try await world.fetch(cache, ["outlets"], world.options(.online))
        }
        #expect(await cache.peek(Int.self, for: ["outlets"]) == 1)
    }

    @Test func `begin again for what is watched: invalidated, or the network is back`() async throws {
        let cache = world.cache()
        let states = cache.states(for: ["outlets"]) { [world] in try world.answer() }
        #expect(await states.first { ($0.value ?? 0) > 0 }?.value == 1)
        await cache.invalidate(["outlets"])
        #expect(await states.first { ($0.value ?? 0) > 1 }?.value == 2)
        world.online.withLock { $0 = false }
        world.clock.advance(by: .seconds(301))
        cache.reconnected()
        #expect(world.count == 2)
        world.online.withLock { $0 = true }
        cache.reconnected()
        #expect(await states.first { ($0.value ?? 0) > 2 }?.value == 3)
    }
}
