// Proves that a reader never sees an older value of its own edits again, however far the server lags and the process is killed.
#if Server
import CrashWorld
import Foundation
import LarderStore
import Testing

/// How often the editor is killed: enough for a look. `LARDER_EDIT_KILLS` says otherwise; the promise is 300.
private let kills = ProcessInfo.processInfo.environment["LARDER_EDIT_KILLS"].flatMap { Int($0) } ?? 30
/// What the kills follow from, as far as the machine's timing allows; `LARDER_CRASH_SEED` repeats it.
private let seed =
    ProcessInfo.processInfo.environment["LARDER_CRASH_SEED"].flatMap { UInt64($0) }
    ?? UInt64.random(in: 0..<1 << 48)

@Suite(.serialized, .timeLimit(.minutes(20))) struct `CrashTests: edits of rows that are synced, killed at any time` {
    @Test func `are never seen older than before`() async throws {
        print("edit crash tests: LARDER_CRASH_SEED=\(seed), \(kills) kills")
        let tally = try await runEditors()
        print(tally.table)
        #expect(tally.older == [])
        #expect(tally.findings == [])
        #expect(tally.seen > kills, "too few edits were seen to say anything")
        #expect(tally.rejected > kills / 20 && tally.lagged > kills / 20, "the server was too well to say anything")
    }

    @concurrent private func runEditors() async throws -> EditTally {
        var killLoop = try EditKills()
        return try killLoop.run()
    }
}

/// Editors killed one after the other over one store.
private struct EditKills {
    private let folder: TemporaryFolder
    private let server: ChildProcess
    private let port: String
    private var random = SplitMix64(seed: seed)
    private var tally = EditTally()
    /// The newest number of each row that was seen.
    private var newest: [Substring: Int] = [:]
    /// The newest number of each row that was written in this life. A reader beside the writer may still show an older one.
    private var written: [Substring: Int] = [:]

    init() throws {
        folder = try TemporaryFolder()
        server = try ChildProcess(["serve-edits", folder.path, "0", "\(seed >> 1)"])
        let words = (try server.nextLine(until: .now + .seconds(30)) ?? "nothing").split(separator: " ")
        guard words.count == 2, words[0] == "listening" else { throw UnknownLine(line: "the server does not listen") }
        port = String(words[1])
    }

    mutating func run() throws -> EditTally {
        for _ in 0..<kills { try killEditor() }
        server.kill()
        let (lines, _) = try server.finishLines()
        tally.rejected = lines.count { $0 == "rejected" }
        tally.lagged = lines.count { $0 == "lagged" }
        let store = try Store.openQuietly(at: folder.store)
        defer { try? store.close() }
        _ = try store.verify { tally.findings.append($0.description) }
        return tally
    }

    private mutating func killEditor() throws {
        let editor = try ChildProcess(["edit", folder.store, port, "\(random.next() >> 1)"])
        let deadline = ContinuousClock.now + .seconds(60)
        var isReady = false
        while !isReady, let line = try editor.nextLine(until: deadline) {
            isReady = line == "ready"
            try read(line)
        }
        let end = ContinuousClock.now + .milliseconds(Int.random(in: 0...200, using: &random))
        while let line = try editor.nextLine(until: end) { try read(line) }
        editor.kill()
        let (rest, wasKilled) = try editor.finishLines()
        #expect(isReady && wasKilled, "an editor never showed all rows, or ended by itself")
        for line in rest { try read(line) }
        newest.merge(written) { max($0, $1) }
        written = [:]
    }

    private mutating func read(_ line: String) throws {
        if line == "ready" { return }
        let words = line.split(separator: " ")
        guard words.count == 3 else { throw UnknownLine(line: line) }
        let (row, number) = (words[1], Int(words[2]) ?? -1)
        switch words[0] {
        case "saw":
            if let known = newest[row], number < known { tally.older.append("\(line), after \(known)") }
            newest[row] = max(number, newest[row] ?? 0)
            tally.seen += 1
        case "wrote":
            written[row] = max(number, written[row] ?? 0)
            tally.written += 1
        default: throw UnknownLine(line: line)
        }
    }
}

/// What was seen of the edits.
private struct EditTally {
    var written = 0
    var seen = 0
    /// What was seen to be older than before.
    var older: [String] = []
    /// How often the server refused all tokens, and sent an older snapshot.
    var rejected = 0
    var lagged = 0
    var findings: [String] = []

    var table: String {
        """
        edits: \(written), values seen: \(seen), older than before: \(older.count)
        tokens refused: \(rejected) times, older snapshots: \(lagged)
        """
    }
}
#endif
