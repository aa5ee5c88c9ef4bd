import Larder
import LarderHTTP
import LarderTesting
import Synchronization
import Testing

/// A fetch that waits until it is let go.
private final class Turnstile: Sendable {
    private let stream: AsyncStream<Void>
    private let continuation: AsyncStream<Void>.Continuation
    let knocks = Atomic(0)

    init() { (stream, continuation) = AsyncStream.makeStream() }

    func open() { continuation.finish() }

    func pass(_ value: Int) async throws -> Int {
        knocks.add(1, ordering: .relaxed)
        for await _ in stream {}
        try Task.checkCancellation()
        return value
    }

    func knocked() async {
        while knocks.load(ordering: .relaxed) == 0 { await Task.yield() }
    }
}

@Suite struct `Fetches of a key` {
    let world = QueryWorld()

    @Test func `are one, whoever asks`() async throws {
        let cache = world.cache()
        let door = Turnstile()
        let askers = (0..<8).map { _ in Task { try await cache.value(for: ["a"]) { try await door.pass(5) }.value } }
        await door.knocked()
        door.open()
        for asker in askers { #expect(try await asker.value == 5) }
        #expect(door.knocks.load(ordering: .relaxed) == 1)
    }

    @Test func `go on for the others when one asker is cancelled`() async throws {
        let cache = world.cache()
        let door = Turnstile()
        let patient = Task { try await cache.value(for: ["a"]) { try await door.pass(5) }.value }
        await door.knocked()
        let hasty = Task { try await cache.value(for: ["a"]) { try await door.pass(6) }.value }
        hasty.cancel()
        await #expect(throws: CancellationError.self) { try await hasty.value }
        door.open()
        #expect(try await patient.value == 5)
    }

    @Test func `that are cancelled by prefix end for all who wait, and leave the value`() async throws {
        let cache = world.cache()
        await cache.set(1, for: ["a", 1])
        await cache.invalidate(["a"])
        let door = Turnstile()
        let asker = Task {
            try await cache.value(for: ["a", 1], options: KeyedQueryOptions(mode: .online)) { try await door.pass(2) }
                .value
        }
        await door.knocked()
        cache.cancel(["a"])
        await #expect(throws: CancellationError.self) { try await asker.value }
        #expect(await cache.peek(Int.self, for: ["a", 1]) == 1)
        door.open()
    }

    @Test func `come too late for a value set meanwhile`() async throws {
        let cache = world.cache()
        let door = Turnstile()
        let asker = Task { try await cache.value(for: ["a"]) { try await door.pass(1) }.value }
        await door.knocked()
        await cache.set(2, for: ["a"])
        door.open()
        _ = try await asker.value
        #expect(await cache.peek(Int.self, for: ["a"]) == 2)
    }

    @Test func `that fail leave the value and are told`() async throws {
        let cache = world.cache()
        _ = try await world.ask(cache)
        world.isFailing.withLock { $0 = true }
        await cache.invalidate([])
        await #expect(throws: QueryWorld.Outage.self) {
            try await world.ask(cache, ["outlets"], world.options(.online))
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
