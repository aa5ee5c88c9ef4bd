// Swaps: the commit that points a resource at its new generation, by the number of rows it replaces.

import Foundation
import LarderStore
import Synchronization

/// The commit that points a resource at its new generation, by the number of rows it replaces.
enum Swaps {
    static func run(isQuick: Bool) async throws -> [Measurement] {
        let small = try await swap(rows: 1_000)
        let size = isQuick ? 50_000 : 1_000_000
        let large = try await swap(rows: size)
        let name = isQuick ? "50 k rows" : "1 M rows"
        func line(_ what: String, _ unit: String, _ large: Double, _ small: Double) -> Measurement {
            Measurement(
                suite: "swap", name: what, size: name, unit: unit, larder: large,
                peers: [.init(name: "1 k rows", value: small)])
        }
        return [
            line("time", "ms", large.milliseconds, small.milliseconds),
            line("pages written", "pages", large.pages, small.pages),
        ]
    }

    /// Replaces a resource twice and measures the second swap.
    private static func swap(rows: Int) async throws -> (milliseconds: Double, pages: Double) {
        let directory = try ScratchDirectory()
        let recorder = CommitRecorder()
        let store = try openStore(at: directory.path("store"), elapsed: { recorder.readClock() })
        let resource = TranslationRows.resource(1)
        try await store.load(TranslationRows(count: rows), into: resource)
        try await store.reclaim()
        var swaps: [(milliseconds: Double, pages: Double)] = []
        for version in 1...(rows > 1_000 ? 1 : 5) {
            let rows = TranslationRows(count: rows, version: version)
            try await store.replace(resource, appliedSequence: 0) { writer in
                for row in 0..<rows.count {
                    try await writer.append(
                        rows.payload(row), type: TranslationRows.type, key: String(row + 1),
                        updatedAt: TranslationRows.updatedAt)
                }
                try await writer.flush()
                // Nothing is left to stage: the next commit is the swap.
                recorder.arm()
            }
            try await store.reclaim()
            swaps.append(recorder.firstCommit())
        }
        try store.close()
        swaps.sort { $0.milliseconds < $1.milliseconds }
        return swaps[swaps.count / 2]
    }
}

/// Notes what the process has written, each time the store looks at the clock: at the start and the end of a commit.
private final class CommitRecorder: Sendable {
    private struct ClockRead {
        var time: Duration
        var bytesWritten: Int
    }

    private let looks = Mutex<[ClockRead]?>(nil)

    func readClock() -> Duration {
        let time = sinceStart()
        looks.withLock { looks in
            guard let count = looks?.count, count < 2 else { return }
            looks?.append(ClockRead(time: time, bytesWritten: Self.bytesWritten()))
        }
        return time
    }

    func arm() { looks.withLock { $0 = [] } }

    func firstCommit() -> (milliseconds: Double, pages: Double) {
        let looks = looks.withLock { $0 ?? [] }
        guard looks.count == 2 else { return (0, 0) }
        let pages = Double(looks[1].bytesWritten - looks[0].bytesWritten) / 4_096
        return ((looks[1].time - looks[0].time).milliseconds, pages.rounded(.up))
    }

    /// Bytes this process has handed to write calls. proc(5): `wchar`.
    private static func bytesWritten() -> Int {
        ProcessStatus.field("wchar:", in: "/proc/self/io")
    }
}
