// ParallelReads: reads on two threads beside a writer.

import Foundation
import LarderFormat
import LarderStore
import Synchronization

/// Reads on two threads beside a writer.
enum ParallelReads {
    static func run(isQuick: Bool) async throws -> [Measurement] {
        let directory = try ScratchDirectory()
        let rows = TranslationRows(count: 100_000)
        let loaded = try openStore(at: directory.path("store"))
        try await loaded.load(rows, into: TranslationRows.resource(1))
        try loaded.close()
        let store = try openStore(at: directory.path("store"))
        let reads = isQuick ? 30_000 : 200_000
        let measurement = try await Measurement.compare(
            "threads", "a view each, a writer active", unit: "ns/read", rounds: isQuick ? 5 : 9,
            [
                Contender(name: "Larder") {
                    try await besideWriter(store) { try read(store, rows, reads, threads: 2) }
                },
                Contender(name: "one thread") {
                    try await besideWriter(store) { try read(store, rows, reads, threads: 1) }
                },
                Contender(name: "two threads, no writer") { try read(store, rows, reads, threads: 2) },
                Contender(name: "one thread, no writer") { try read(store, rows, reads, threads: 1) },
            ])
        try store.close()
        return [measurement]
    }

    /// Runs `body` while a task stores a durable row, waits for a millisecond, and stores the next.
    private static func besideWriter(_ store: Store, _ body: @escaping @Sendable () throws -> Double) async throws
        -> Double
    {
        let isDone = DoneFlag()
        let writer = Task {
            var commits = 0
            while !isDone.isSet {
                let key = RowKey(resource: ResourceKey("notes", 1), type: "note", key: String(commits % 100))
                try await store.write { try $0.put(Array("{\"text\":\"note\"}".utf8), at: key, updatedAt: 0) }
                commits += 1
                try await Task.sleep(for: .milliseconds(1))
            }
            return commits
        }
        let reading = Result { try body() }
        isDone.set()
        let commits = try await writer.value
        try expect(commits > 0, true, "commits beside the reads")
        return try reading.get()
    }

    /// Reads random rows on so many threads, each in a view of its own. Nanoseconds per read of all threads.
    private static func read(_ store: Store, _ rows: TranslationRows, _ reads: Int, threads: Int) throws -> Double {
        let threadKeys = (0..<threads).map { thread in keys(rows, reads / threads, seed: UInt64(thread)) }
        let sums = Mutex<[UInt64]>([])
        let duration = timed(reads) {
            DispatchQueue.concurrentPerform(iterations: threads) { thread in
                var sum: UInt64 = 0
                for key in threadKeys[thread].keys {
                    let payload = try? store.read { view in try view.row(at: key)?.payload.withUnsafeBytes { use($0) } }
                    sum &+= payload ?? 0
                }
                sums.withLock { $0.append(sum) }
            }
        }
        try expect(sums.withLock { $0.sorted() }, threadKeys.map(\.sum).sorted(), "what the threads read")
        return duration
    }

    private static func keys(_ rows: TranslationRows, _ count: Int, seed: UInt64) -> (keys: [RowKey], sum: UInt64) {
        var generator = SeededRandom(seed)
        var sum: UInt64 = 0
        let keys = (0..<count).map { _ in
            let row = Int.random(in: 0..<rows.count, using: &generator)
            sum &+= rows.payload(row).withUnsafeBytes { use($0) }
            return RowKey(resource: TranslationRows.resource(1), type: TranslationRows.type, key: String(row + 1))
        }
        return (keys, sum)
    }
}
