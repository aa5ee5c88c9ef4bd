// WriterHolds: how long the writer is held, and others wait, while three resources are replaced at once.

import Foundation
import LarderEngine
import LarderFormat
import LarderStore

/// How long the writer is held, and others wait, while three resources are replaced at once.
enum WriterHolds {
    static func run(isQuick: Bool) async throws -> [Measurement] {
        let rows = isQuick ? 20_000 : 333_334
        let wall = try await replaceBesideWrites(rows: rows, elapsed: { sinceStart() })
        // The writer looks at the clock on its own thread, so this one counts its work and not who else runs.
        let work = try await replaceBesideWrites(rows: rows, elapsed: { processorTimeOfThread() })
        let disk = try DiskSync.measure(bytes: 512 << 10, count: isQuick ? 30 : 200)
        func line(_ name: String, _ value: Double, _ peers: [Series] = []) -> Measurement {
            Measurement(
                suite: "hold", name: name, size: "replacing 3 × \(rows) rows", unit: "ms", larder: value, peers: peers)
        }
        return [
            line(
                "longest batch", wall.statistics.longestBulkHold.milliseconds,
                [Series(name: "fdatasync of 512 KiB", values: disk)]),
            line("longest batch, processor time", work.statistics.longestBulkHold.milliseconds),
            line("one-row write beside it, median", percentile(wall.waits, 0.5)),
            line("one-row write beside it, 99 %", percentile(wall.waits, 0.99)),
            line(
                "one-row write beside it, longest", wall.waits.max() ?? 0,
                [.init(name: "longest one-row commit itself", value: wall.statistics.longestHold.milliseconds)]),
        ]
    }

    private static func replaceBesideWrites(
        rows: Int, elapsed: @escaping @Sendable () -> Duration
    ) async throws -> (statistics: WriterStatistics, waits: [Double]) {
        let directory = try ScratchDirectory()
        var store = try openStore(at: directory.path("store"))
        try await replaceAll(store, rows: rows, version: 0)
        try await store.reclaim()
        try store.close()
        // Opened again, so that the statistics begin at zero.
        store = try openStore(at: directory.path("store"), elapsed: elapsed)
        let replacing = Task { [store] in
            try await replaceAll(store, rows: rows, version: 1)
            try await store.reclaim()
        }
        let waits = try await measureForegroundWrites(store, until: replacing)
        let statistics = store.writerStatistics
        try store.close()
        return (statistics, waits)
    }

    private static func replaceAll(_ store: Store, rows: Int, version: Int) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 1...3 {
                group.addTask {
                    try await store.load(
                        TranslationRows(count: rows, version: version), into: TranslationRows.resource(number))
                }
            }
            try await group.waitForAll()
        }
    }

    /// Writes one row every few milliseconds until `work` has ended. Returns how long each took, in milliseconds.
    private static func measureForegroundWrites(_ store: Store, until work: Task<Void, any Error>) async throws
        -> [Double]
    {
        let isDone = DoneFlag()
        let watcher = Task {
            defer { isDone.set() }
            try await work.value
        }
        var waits: [Double] = []
        var number = 0
        while !isDone.isSet {
            number += 1
            let key = RowKey(resource: ResourceKey("notes", 1), type: "note", key: String(number % 500))
            let duration = try await timedAsync(1) {
                try await store.write(durability: .relaxed) { transaction in
                    try transaction.put(Array("{\"text\":\"note\"}".utf8), at: key, updatedAt: 0)
                }
            }
            waits.append(duration / 1e6)
            try await Task.sleep(for: .milliseconds(3))
        }
        try await watcher.value
        return waits
    }
}
