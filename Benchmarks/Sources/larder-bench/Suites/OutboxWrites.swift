// OutboxWrites: writes that enter a full outbox, and the delivery of a long queue to a server that accepts at once.

import LarderFormat
import LarderOutbox
import LarderStore

/// Writes that enter a full outbox, and the delivery of a long queue to a server that accepts at once.
enum OutboxWrites {
    private static let pending = 5_000
    private static let batch = 100

    static func run(isQuick: Bool) async throws -> [Measurement] {
        let full = try OutboxFixture()
        try await full.enqueue(pending)
        let empty = try OutboxFixture()
        let enqueues = try await Measurement.compare(
            "outbox", "enqueue with a key, 5,000 pending", unit: "µs", rounds: 9,
            [
                Contender(name: "Larder") { try await enqueue(into: full, isKeyed: true) },
                Contender(name: "without a key") { try await enqueue(into: full, isKeyed: false) },
                Contender(name: "nothing pending") { try await enqueue(into: empty, isKeyed: true) },
            ])
        let copies = try await full.outbox.enqueue(OutboxFixture.write(0))
        guard case .alreadyQueued = copies else { throw PeerError.wrongResult("a duplicate was queued") }
        try full.store.close()
        try empty.store.close()
        let count = isQuick ? 1_000 : 5_000
        var commits = 0.0
        let delivery = try await Measurement.compare(
            "outbox", "deliver a long queue", size: "\(count) entries", unit: "ms/entry", warmUp: false,
            [
                Contender(name: "Larder") { try await deliver(count, &commits) },
                Contender(name: "a tenth of it") { try await deliver(count / 10, &commits) },
            ])
        let perEntry = Measurement(
            suite: "outbox", name: "commits of a delivery", unit: "per entry", larder: commits)
        return [enqueues, delivery, perEntry]
    }

    /// Thrown to leave the outbox as it was.
    private struct Measured: Error {
        let duration: Double
    }

    private static func enqueue(into fixture: OutboxFixture, isKeyed: Bool) async throws -> Double {
        let writes = try (0..<batch).map {
            try fixture.outbox.prepare(OutboxFixture.write(pending + $0, isKeyed: isKeyed))
        }
        do {
            try await fixture.store.write { transaction in
                var results: [Enqueued] = []
                let duration = try timed(batch) { results = try writes.map { try transaction.enqueue($0) } }
                try expect(results, writes.map { .queued($0.id) }, "the results of enqueues")
                throw Measured(duration: duration)
            }
        } catch let measured as Measured {
            return measured.duration / 1e3
        }
        throw PeerError.wrongResult("an aborted write was stored")
    }

    /// Milliseconds per entry of a delivery. Sets `commits` to the number of its commits per entry.
    private static func deliver(_ count: Int, _ commits: inout Double) async throws -> Double {
        let fixture = try OutboxFixture()
        try await fixture.enqueue(count)
        let earlier = fixture.store.writerStatistics.commits
        let duration = await timedAsync(count) { await fixture.outbox.drain(within: .seconds(3_600)) }
        try expect(fixture.server.requestCount, count, "requests")
        try expect(fixture.outbox.status.unsent, 0, "writes that are left")
        commits = Double(fixture.store.writerStatistics.commits - earlier) / Double(count)
        try fixture.store.close()
        return duration / 1e6
    }
}
