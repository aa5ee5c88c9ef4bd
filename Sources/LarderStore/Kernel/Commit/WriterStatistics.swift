internal import CoreMetrics
internal import Synchronization

/// The holds of the one writer since the store was opened, each commit measured with its sync.
///
/// A write waits at most for the longest hold and for the writes before it.
public struct WriterStatistics: Hashable, Sendable {
    /// The number of commits, failed ones included.
    public internal(set) var commits = 0
    /// The number of those commits that were batches of bulk work: snapshots and reclaiming.
    public internal(set) var bulkCommits = 0
    /// The longest time that one write, or group of writes, held the writer.
    public internal(set) var longestHold = Duration.zero
    /// The longest time that one batch of bulk work held the writer.
    public internal(set) var longestBulkHold = Duration.zero
}

/// Measures the writer's holds by the host's clock.
final class WriterMeter: Sendable {
    private let elapsed: @Sendable () -> Duration
    private let measured = Mutex(WriterStatistics())
    private let (writes, bulk): (Timer, Timer)

    init(_ host: HostServices) {
        elapsed = host.elapsed
        func timer(_ kind: String) -> Timer {
            Timer(label: "larder_commit_seconds", dimensions: [("kind", kind)], factory: host.metrics)
        }
        (writes, bulk) = (timer("write"), timer("bulk"))
    }

    var statistics: WriterStatistics { measured.withLock { $0 } }

    /// Runs one commit and counts it.
    func measure<Result>(isBulk: Bool, _ commit: () throws -> Result) rethrows -> Result {
        let start = elapsed()
        defer { record(elapsed() - start, isBulk: isBulk) }
        return try commit()
    }

    private func record(_ hold: Duration, isBulk: Bool) {
        (isBulk ? bulk : writes).record(hold)
        measured.withLock { statistics in
            statistics.commits += 1
            if isBulk {
                statistics.bulkCommits += 1
                statistics.longestBulkHold = max(statistics.longestBulkHold, hold)
            } else {
                statistics.longestHold = max(statistics.longestHold, hold)
            }
        }
    }
}

extension Store {
    /// The statistics of the writer so far, for writes and for bulk work.
    public var writerStatistics: WriterStatistics { shared.meter.statistics }
}
