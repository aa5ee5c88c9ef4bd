// Proves that syncs, fetches, sends and commits report the metrics and spans of docs/metrics.md, and nothing of content.

import CoreMetrics
import HTTPTypes
import InMemoryTracing
import Larder
import LarderTesting
import MetricsTestKit
import Testing
import Tracing

@Suite(.timeLimit(.minutes(2))) struct `The metrics of a cache` {
    private let metrics = TestMetrics()
    private let tracer = InMemoryTracer()

    /// Runs `body` with a cache that reports here.
    private func running(_ world: World, _ body: (ContentCache) async throws -> Void) async throws {
        var services = CacheServices.scripted(world.transport, clock: world.clock, connectivity: world.network)
        services.host.metrics = metrics
        services.host.tracer = tracer
        let cache = try await world.open(services: services)
        try await world.running(cache) { try await body(cache) }
    }

    private func timings(_ label: String, _ dimensions: [(String, String)]) -> Int {
        (try? metrics.expectTimer(label, dimensions).values.count) ?? 0
    }

    @Test func `count syncs, rows, sends, fetches and commits by their outcome`() async throws {
        let world = World()
        try world.publish(10)
        world.transport.on(.put, "/notes/*").answer(503).then(200)
        world.transport.on(.get, "/articles").answer(200, "zebra", [.cacheControl: "max-age=60"])
        try await running(world) { cache in
            _ = await world.keep("translations:10", in: cache)
            let note = Note(id: "pine", text: "buy bread")
            try await cache.put(note, to: "/notes/pine")
            try await world.clock.wait(for: "the note to be sent") { !cache.isPending(note) }
            for _ in 0..<2 { #expect(try await cache.text("http://words.test/articles").value == "zebra") }
        }
        #expect(timings("larder_sync_seconds", [("outcome", "bootstrap")]) == 1)
        #expect(try metrics.expectCounter("larder_sync_rows_total").totalValue == 20)
        #expect(timings("larder_send_seconds", [("outcome", "5xx")]) == 1)
        #expect(timings("larder_send_seconds", [("outcome", "2xx")]) == 1)
        #expect(try metrics.expectGauge("larder_outbox_unsent").values.contains(1))
        #expect(try metrics.expectGauge("larder_outbox_unsent").lastValue == 0)
        #expect(timings("larder_fetch_seconds", [("origin", "network"), ("state", "fresh")]) == 1)
        #expect(timings("larder_fetch_seconds", [("origin", "cache"), ("state", "fresh")]) == 1)
        #expect(timings("larder_commit_seconds", [("kind", "write")]) > 3)
        #expect(try metrics.expectGauge("larder_store_bytes").lastValue ?? 0 > 1_000)
        let spans = tracer.finishedSpans
        #expect(Set(spans.map(\.operationName)) == ["larder.sync", "larder.send", "larder.fetch"])
        let text = spans.map { "\($0.operationName) \($0.attributes)" }.joined()
        for word in ["zebra", "pine", "bread", "river", "words.test"] { #expect(!text.contains(word)) }
    }

    @Test func `count what fails`() async throws {
        let world = World()
        world.transport.on(.get, "/content/api/v4/resources/sync").answer(500)
        try await running(world) { cache in
            cache.content?.add("translations:10")
            try await world.clock.wait(for: "the run to fail") {
                timings("larder_sync_seconds", [("outcome", "failed")]) > 0
            }
            world.network.set(.offline)
            _ = try? await cache.text("http://words.test/none", .cacheOnly)
        }
        #expect(timings("larder_fetch_seconds", [("origin", "none"), ("state", "none")]) == 1)
        #expect(try tracer.finishedSpans.contains { try #require($0.status).code == .error })
    }
}
