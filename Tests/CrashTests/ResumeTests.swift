// Proves that a bootstrap that is killed repeatedly continues with what is missing and repeats little.

import CrashWorld
import Foundation
import LarderFormat
import LarderStore
import Testing

private let environment = ProcessInfo.processInfo.environment
/// The rows of the bootstrap, in 200 resources. `LARDER_RESUME_ROWS` says otherwise; a million took 40 seconds.
private let rows = environment["LARDER_RESUME_ROWS"].flatMap { Int($0) } ?? 100_000
/// What the kills follow from, as far as the machine's timing allows; `LARDER_CRASH_SEED` repeats it.
private let seed =
    environment["LARDER_CRASH_SEED"].flatMap { UInt64($0) } ?? UInt64.random(in: 0..<1 << 48)

@Suite(.serialized) struct `CrashTests: a bootstrap of 200 resources killed on its way` {
    private static let resources = 200
    /// At most three snapshots are being fetched at each kill.
    private static let kills = 3

    /// What the processes of one bootstrap reported.
    private struct RunSummary {
        var fetched = 0
        var kills: [Int] = []
    }

    @Test func `continues with what is missing, and fetches less than a twentieth again`() async throws {
        let start = ContinuousClock.now
        print("crash tests: LARDER_CRASH_SEED=\(seed), LARDER_RESUME_ROWS=\(rows)")
        let content = BulkContent(resources: Self.resources, rowsPerResource: rows / Self.resources)
        let folder = try TemporaryFolder()
        let summary = try runWithKills(content, folder.store)
        let again = summary.fetched - content.rowCount
        let percent = Double(again) / Double(content.rowCount) * 100
        print(
            "crash tests: a bootstrap of \(content.rowCount) rows killed after \(summary.kills) rows fetched "
                + "\(again) rows again, \(String(format: "%.2f", percent)) %, in \(ContinuousClock.now - start)")
        // On a busy machine a child may come to its end before the last kill.
        #expect(summary.kills.count >= Self.kills - 1, "the bootstrap ended before it was killed")
        #expect(again >= 0 && again * 20 < content.rowCount)
        try check(content, folder.store)
        print("crash tests: compared \(content.rowCount) rows after \(ContinuousClock.now - start)")
    }

    /// Starts child after child, and kills all but the last when so many rows have been fetched.
    private func runWithKills(_ content: BulkContent, _ path: String) throws -> RunSummary {
        var random = SplitMix64(seed: seed)
        let latest = content.rowCount * 9 / 10
        let killPoints = (0..<Self.kills).map { _ in Int.random(in: 1...latest, using: &random) }.sorted()
        var summary = RunSummary()
        for life in 0...Self.kills {
            // An update of the app may ask for pages of another size.
            let perPage = Int.random(in: 7...100, using: &random)
            let child = try ChildProcess(
                ["bulk", path, "\(content.resources)", "\(content.rowsPerResource)", "\(perPage)"])
            let killPoint = life < Self.kills ? killPoints[life] : .max
            let pause = Int.random(in: 0...30, using: &random)
            var deadline = ContinuousClock.now + .seconds(600)
            var isSet = false
            var rest: [Acknowledgement] = []
            while let acknowledgement = try child.next(until: deadline) {
                rest = [acknowledgement]
                if case .fetching(_, let count) = acknowledgement { summary.fetched += count }
                if summary.fetched >= killPoint, !isSet {
                    deadline = .now + .milliseconds(pause)
                    isSet = true
                }
            }
            if life < Self.kills { child.kill() }
            let (last, wasKilled) = try child.finish()
            for case .fetching(_, let count) in last { summary.fetched += count }
            if wasKilled { summary.kills.append(summary.fetched) } else { #expect((rest + last).last == .done) }
        }
        return summary
    }

    /// The store has every row that the server has, and no other.
    private func check(_ content: BulkContent, _ path: String) throws {
        let store = try Store.openQuietly(at: path)
        defer { try? store.close() }
        var findings: [Finding] = []
        _ = try store.verify { findings.append($0) }
        #expect(findings.isEmpty, "\(findings.count) findings, first \(findings.first?.description ?? "")")
        try store.read { view in
            let filter = try #require(try view.readiness(of: BulkContent.filter))
            #expect(filter.isComplete && !filter.isBootstrapping && filter.remainingResourceCount == 0)
            #expect(filter.members.map(\.key) == (1...content.resources).map { content.key($0) })
            for resource in 1...content.resources {
                var digest = BulkContent.Digest()
                try view.forEachRow(in: .all(of: content.key(resource)), verified: false) { entry in
                    let (type, key) = try entry.key()
                    #expect(type == BulkContent.rowType)
                    digest.add(key: key, payload: [UInt8](copying: entry.row.payload))
                }
                #expect(digest == content.digest(of: resource), "resource \(resource)")
            }
        }
    }
}
