// Proves that each client that listens gets its place, signs of life and changes, whatever the origin and other clients do.

import LarderServer
import Synchronization
import Testing

@testable import LarderServer

/// An origin whose numbers a test sets, and which may not answer.
private final class SteeredOrigin: SyncOrigin {
    let secret = TokenSecret(1, 2)
    let now: @Sendable () -> Int64 = { 0 }
    private let state = Mutex((sequence: Int64(10), resources: Set<Origin.ResourceID>?.some([]), hangs: false))

    func set(_ sequence: Int64, _ resources: Set<Origin.ResourceID>?) {
        state.withLock { ($0.sequence, $0.resources) = (sequence, resources) }
    }

    func hang() { state.withLock { $0.hangs = true } }

    func changedResources(after sequence: Int64) async throws(OriginProblem) -> ChangedResources {
        let (known, resources, hangs) = state.withLock { $0 }
        if hangs {
            let (never, continuation) = AsyncStream<Void>.makeStream()
            for await _ in never {}
            _ = continuation
        }
        return ChangedResources(sequence: known, resources: sequence < known ? resources : [])
    }

    func page(_ query: OriginQuery) async throws(OriginProblem) -> OriginPage { throw .notFound }
    func snapshot(
        of resource: Origin.ResourceID, version: String?
    ) async throws(OriginProblem) -> OriginSnapshot { throw .notFound }
    func list(of resource: Origin.ResourceID, _ query: ListQuery) async throws(OriginProblem) -> [UInt8] {
        throw .notFound
    }
}

@Suite(.timeLimit(.minutes(2))) struct `A feed of changes` {
    private let origin = SteeredOrigin()
    private let thing = Origin.ResourceID("a", 1)

    /// A feed whose intervals pass as fast as they can.
    private func feed(listeners: Int = 10) -> ChangeFeed {
        ChangeFeed(origin, EventSettings(listeners: listeners)) { _ in
            try Task.checkCancellation()
            await Task.yield()
        }
    }

    private func query(after sequence: Int64) throws -> EventQuery {
        try EventQuery(parsing: "resources=a:1&resources=b:*&after=\(sequence)", lastEventID: nil)
    }

    @Test func `frees the place of a client whose response was never begun`() async throws {
        let feed = feed(listeners: 1)
        for _ in 1...3 { _ = try await feed.listen(query(after: 10)) }
        #expect(feed.count == 0)
        let held = try await feed.listen(query(after: 10))
        await #expect(throws: OriginProblem.self) { _ = try await feed.listen(query(after: 10)) }
        held.end()
        _ = try await feed.listen(query(after: 10))
    }

    @Test func `gives signs of life, and ends a connection, while the origin does not answer`() async throws {
        let feed = feed()
        let client = try await feed.listen(query(after: 10))
        origin.hang()
        var wakes = 0
        for await _ in client.wakes {
            wakes += 1
            #expect(client.events().filters.isEmpty)
        }
        // One at once; those of every 15 s of ten minutes may fall together, since nothing reads them in between.
        #expect(wakes > 1)
        #expect(feed.count == 0)
    }

    @Test func `reports all filters without a number after an older state was restored`() async throws {
        let feed = feed()
        let client = try await feed.listen(query(after: 10))
        var wakes = client.wakes.makeAsyncIterator()
        await wakes.next()
        #expect(client.events().filters.isEmpty)
        origin.set(5, [])
        while await wakes.next() != nil {
            let events = client.events()
            if events.filters.isEmpty { continue }
            #expect(events.sequence == nil && events.filters == ["a:1", "b:*"])
            break
        }
        origin.set(6, [thing])
        while await wakes.next() != nil {
            let events = client.events()
            if events.filters.isEmpty { continue }
            #expect(events.sequence == 6 && events.filters == ["a:1"])
            break
        }
    }

    @Test func `reports all filters to a client whose number the origin does not reach`() async throws {
        let client = try await feed().listen(query(after: 99))
        for await _ in client.wakes {
            let events = client.events()
            if events.filters.isEmpty { continue }
            #expect(events.sequence == nil && events.filters == ["a:1", "b:*"])
            return
        }
        Issue.record("the client was not woken")
    }

    @Test func `finds the same changes as a look at each of them`() throws {
        let seed = UInt64.random(in: 0...UInt64.max)
        var random = SplitMix64(state: seed)
        let filters = try ["a:*", "a:1,2", "b:3;a:5", "c:*"].map { try #require(ContentFilter($0)) }
        for _ in 1...50 {
            var recent = RecentChanges(after: 0)
            var log: [(sequence: Int64, resource: Origin.ResourceID)] = []
            for sequence in Int64(1)...20 {
                let group = ["a", "b"].randomElement(using: &random) ?? "a"
                let resource = Origin.ResourceID(group, Int64.random(in: 1...6, using: &random))
                log.append((sequence, resource))
                recent.add(ChangedResources(sequence: sequence, resources: [resource]))
            }
            for filter in filters {
                for position in Int64(0)...20 {
                    let expected = log.contains { $0.sequence > position && filter.matches($0.resource) }
                    #expect(recent.mayMatch(filter, after: position) == expected, "seed \(seed)")
                }
            }
        }
    }
}
