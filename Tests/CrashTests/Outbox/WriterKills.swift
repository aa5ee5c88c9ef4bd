// WriterKills: writers killed one after the other over one store, while the server they write to is killed too.

#if Server
import CrashWorld
import struct CrashWorld.SplitMix64
import Foundation
import LarderFormat
import LarderStore
import LarderServer
import Testing

/// Writers killed one after the other over one store, while the server they write to is killed too.
struct WriterKills {
    private let folder: TemporaryFolder
    private let writes: Int
    private let kills: Int
    private let server: ServerProcess
    private var random: SplitMix64
    private var tally = WriterTally()

    init(seed: UInt64, kills: Int, writes: Int) throws {
        folder = try TemporaryFolder()
        self.kills = kills
        self.writes = writes
        random = SplitMix64(seed: seed)
        server = try ServerProcess(at: folder.path + "/server", seed: seed)
    }

    mutating func run() throws -> WriterTally {
        for number in 0..<kills { try killWriter(until: (number + 1) * writes / kills) }
        try finish()
        try server.kill()
        tally.serverKills = server.kills - 1
        tally.replays = server.replays
        let store = try AppliedWrites.open(at: folder.path + "/server")
        tally.applied = try AppliedWrites.read(from: store)
        try store.close()
        return tally
    }

    /// One life of a writer that enqueues what is missing up to a number, and goes on sending until it is killed.
    private mutating func killWriter(until quota: Int) throws {
        let writer = try ChildProcess(["write", folder.store, "\(server.port)", "\(quota)", "\(random.next() >> 1)"])
        try wait(for: "ready", of: writer)
        let lifetime = Int.random(in: 0...160, using: &random)
        let serverDiesAt =
            Int.random(in: 0..<3, using: &random) == 0 ? Int.random(in: 0...lifetime, using: &random) : nil
        let begin = ContinuousClock.now
        if let serverDiesAt {
            try handleNextLine(of: writer, until: begin + .milliseconds(serverDiesAt))
            try server.kill()
            let gap = Int.random(in: 0...40, using: &random)
            try handleNextLine(of: writer, until: .now + .milliseconds(gap))
            // Half of the time the writer dies while there is no server.
            if Bool.random(using: &random) { try server.start() }
        }
        try handleNextLine(of: writer, until: begin + .milliseconds(lifetime))
        writer.kill()
        let (rest, wasKilled) = try writer.finishLines()
        for line in rest { try handle(line) }
        #expect(wasKilled, "the writer ended by itself")
        tally.writerKills += 1
        if !server.isRunning { try server.start() }
    }

    /// The last life: nobody is killed any more, and the outbox becomes empty.
    private mutating func finish() throws {
        let writer = try ChildProcess(["write", folder.store, "\(server.port)", "\(writes)", "0"])
        try wait(for: "empty", of: writer)
        writer.kill()
        _ = try writer.finishLines()
        let store = try Store.openQuietly(at: folder.store)
        var findings: [Finding] = []
        _ = try store.verify { findings.append($0) }
        #expect(findings.isEmpty, "\(findings.count) findings, first \(findings.first?.description ?? "")")
        try store.read { view in
            let left = try view.outboxEntries()
            #expect(left.isEmpty, "\(left.count) entries are left")
            for number in 0..<writes {
                var shown: [UInt8] = []
                if let row = try view.row(at: Entries.row(number)) { shown = Array(copying: row.payload) }
                #expect(shown == NumberedWrite(number).body, "the writer does not see its write \(number)")
            }
        }
        try store.close()
    }

    private mutating func wait(for word: String, of writer: ChildProcess) throws {
        let deadline = ContinuousClock.now + .seconds(60)
        while let line = try writer.nextLine(until: deadline) {
            if line == word { return }
            try handle(line)
        }
        writer.kill()
        _ = try writer.finishLines()
        throw UnknownLine(line: "a writer never said \(word)")
    }

    private mutating func handleNextLine(of writer: ChildProcess, until deadline: ContinuousClock.Instant) throws {
        while let line = try writer.nextLine(until: deadline) { try handle(line) }
    }

    private mutating func handle(_ line: String) throws {
        let words = line.split(separator: " ")
        switch (words.first, words.count) {
        case ("ready", 1), ("empty", 1): return
        case ("enqueued", 2):
            guard let number = Int(words[1]) else { throw UnknownLine(line: line) }
            tally.acknowledged.insert(number)
        default: throw UnknownLine(line: line)
        }
    }
}

/// What became of the writes.
struct WriterTally {
    var writerKills = 0
    var serverKills = 0
    /// Answers that were lost with a process, and given again to the next.
    var replays = 0
    /// The numbers that a writer reported as enqueued before it was killed.
    var acknowledged: Set<Int> = []
    /// What the server applied, in its order.
    var applied: [NumberedWrite] = []

    /// How many were applied a second time.
    var doubled: Int { applied.count - Set(applied).count }

    /// How many were applied after a later one of their lane.
    var disordered: Int {
        var last: [Int: Int] = [:]
        return applied.count { write in
            defer { last[write.lane] = max(last[write.lane] ?? -1, write.number) }
            return (last[write.lane] ?? -1) > write.number
        }
    }

    func table(_ time: Duration) -> String {
        """
        writers killed: \(writerKills), servers killed: \(serverKills), in \(time)
        enqueueings acknowledged: \(acknowledged.count), answers given again: \(replays)
        applied: \(Set(applied).count), doubled: \(doubled), out of order: \(disordered)
        """
    }
}
#endif
