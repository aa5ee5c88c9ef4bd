// Suite: one group of measurements.

/// One group of measurements.
struct Suite: Sendable {
    let name: String
    let run: @Sendable (_ isQuick: Bool) async throws -> [Measurement]

    static let all = [
        Suite(name: "get", run: PointReads.run),
        Suite(name: "scan", run: Scans.run),
        Suite(name: "load", run: BulkLoads.run),
        Suite(name: "swap", run: Swaps.run),
        Suite(name: "hold", run: WriterHolds.run),
        Suite(name: "write", run: DurableWrites.run),
        Suite(name: "overlay", run: Overlays.run),
        Suite(name: "open", run: Opening.run),
        Suite(name: "observe", run: Observers.run),
        Suite(name: "threads", run: ParallelReads.run),
        Suite(name: "outbox", run: OutboxWrites.run),
        Suite(name: "sql", run: Queries.run),
        Suite(name: "http", run: HTTPHits.run),
        Suite(name: "sync") { isQuick in
            try await SnapshotSyncs.run(isQuick: isQuick) + ChangeSyncs.run(isQuick: isQuick)
        },
        Suite(name: "index", run: Indexing.run),
        Suite(name: "search", run: Searches.run),
        Suite(name: "cachetool") { isQuick in
            try await Tools.run(isQuick: isQuick) + ServedHits.run(isQuick: isQuick)
        },
        Suite(name: "memory", run: LoadMemory.run),
        Suite(name: Growth.suite, run: Growth.run),
    ]
}
