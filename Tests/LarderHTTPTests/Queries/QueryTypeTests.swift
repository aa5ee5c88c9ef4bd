// Proves that a key used with two types gives each caller and observer its own value, and that observing holds no old values.
import LarderHTTP
import LarderTesting
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(5))) struct `A query of two types` {
    let world = QueryWorld()

    @Test func `gives each caller its own`() async throws {
        let cache = world.cache()
        let barrier = FetchBarrier()
        let began = Flag(false)
        let number = Task {
            try await cache.value(for: ["a"]) {
                began.value = true
                await barrier.wait()
                return 1
            }.value
        }
        while !began.value { await Task.yield() }
        let text = Task { try await cache.value(for: ["a"]) { "one" }.value }
        for _ in 0..<1000 { await Task.yield() }
        barrier.open()
        #expect(try await number.value == 1)
        #expect(try await text.value == "one")
        #expect(await cache.peek(Int.self, for: ["a"]) == nil)
    }

    @Test func `is fetched for an observer of the other type, once`() async throws {
        let cache = world.cache()
        let barrier = FetchBarrier()
        let numbers = Atomic(0)
        let texts = Atomic(0)
        let ofNumbers = cache.states(for: ["a"]) { () async -> Int in
            numbers.add(1, ordering: .relaxed)
            await barrier.wait()
            return 1
        }
        while numbers.load(ordering: .relaxed) == 0 { await Task.yield() }
        let ofTexts = cache.states(for: ["a"]) { () async -> String in
            texts.add(1, ordering: .relaxed)
            return "one"
        }
        // It has joined once it sees the fetch under way.
        _ = await ofTexts.first { $0.isFetching }
        for _ in 0..<1000 { await Task.yield() }
        barrier.open()
        for _ in 0..<100_000 where texts.load(ordering: .relaxed) == 0 { await Task.yield() }
        for _ in 0..<1000 { await Task.yield() }
        #expect(texts.load(ordering: .relaxed) == 1)
        #expect(numbers.load(ordering: .relaxed) == 1)
        #expect(await cache.peek(String.self, for: ["a"]) == "one")
        withExtendedLifetime((ofNumbers, ofTexts)) {}
    }

    @Test func `shows a watcher no value of the other as its own`() async throws {
        let cache = world.cache()
        await cache.set(1, for: ["a"])
        let states = cache.states(for: ["a"]) { "one" }
        let first = try #require(await states.first { _ in true })
        #expect(first.value != nil || first.isStale)
        #expect(await states.first { $0.value != nil }?.value == "one")
    }
}

@Suite(.timeLimit(.minutes(5))) struct `A program that only observes` {
    @Test func `holds no value that nobody has used for long`() async throws {
        let world = QueryWorld()
        let cache = world.cache()
        let options = KeyedQueryOptions(keepFor: .seconds(60))
        _ = try await cache.value(for: ["old"], options: options) { 1 }
        world.clock.advance(by: .seconds(3600))
        _ = await cache.states(for: ["new"]) { 2 }.first { $0.value != nil }
        #expect(await cache.peek(Int.self, for: ["old"]) == nil)
    }
}
