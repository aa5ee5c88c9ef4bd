// ProcessCommand: four processes over one store, killed now and then, and what is left in the end.

import Glibc
import LarderEngine
import LarderFormat
import LarderServer
import LarderStore

/// `processes ROOT --seconds N --seed N --break 0|1`.
struct ProcessCommand {
    private struct Child {
        var process: pid_t
        var seed: UInt64
        /// The length of its log, and when that was seen to grow.
        var size = 0
        var seenAt: Int
    }

    private let root: String
    private let seconds: Int
    private let losesWrite: Bool
    private var random: SplitMix64
    private var nextSeed: UInt64
    private var children: [Child] = []
    private var kills = 0
    private var ended = 0
    private var stalls = 0
    private var findings = 0

    init(_ arguments: Arguments) throws {
        root = try arguments.word(0)
        seconds = try arguments.number("seconds", 20)
        losesWrite = try arguments.number("break") == 1
        let seed = UInt64(try arguments.number("seed", 1))
        random = SplitMix64(seed: seed)
        nextSeed = seed &* 1_000_000
    }

    mutating func run() throws -> Int32 {
        try Store.open(at: root + "/store", host: .running(0)).close()
        let end = time(nil) + seconds
        for _ in 0..<4 { children.append(try start()) }
        while time(nil) < end {
            usleep(.random(in: 20_000...1_500_000, using: &random))
            try look()
            try replace(Int.random(in: 0..<children.count, using: &random))
        }
        for child in children { kill(child) }
        let log = try ProcessLog(root)
        for line in log.wrong { find(line) }
        try compare(log)
        print(
            "processes: seconds=\(seconds) kills=\(kills) operations=\(log.operations) enqueued=\(log.enqueued.count)"
                + " errors=\(log.errors.values.reduce(0, +)) ended=\(ended) stalls=\(stalls) findings=\(findings)")
        return findings == 0 ? 0 : 1
    }

    private mutating func find(_ text: String) {
        findings += 1
        if findings <= 20 { print("finding: \(text)") }
    }

    private mutating func start() throws -> Child {
        nextSeed += 1
        let process = try ChildProcess.start(
            [CommandLine.arguments[0], "share", root, "\(nextSeed)"], environment: ["SWIFT_BACKTRACE": "enable=no"],
            output: "\(root)/out-\(nextSeed)")
        return Child(process: process, seed: nextSeed, seenAt: time(nil))
    }

    private mutating func kill(_ child: Child) {
        kills += 1
        if !ChildProcess.kill(child.process) { return }
        ended += 1
        let output = (try? Files.text("\(root)/out-\(child.seed)")) ?? ""
        find("a process ended by itself: \(output.suffix(300))")
    }

    private mutating func replace(_ place: Int) throws {
        kill(children[place])
        children[place] = try start()
    }

    /// Notices processes that do nothing for half a minute.
    private mutating func look() throws {
        for place in children.indices {
            let size = (try? Files.read("\(root)/log-\(children[place].seed)").count) ?? 0
            if size != children[place].size {
                children[place].size = size
                children[place].seenAt = time(nil)
            } else if time(nil) - children[place].seenAt > 30 {
                stalls += 1
                find("process \(children[place].process) stalled")
                try replace(place)
            }
        }
    }

    /// Compares the store with what the processes have acknowledged, and with the server.
    private mutating func compare(_ log: ProcessLog) throws {
        let path = root + "/store"
        let store = try Store.open(at: path, host: .running(1))
        try StoreState.verify(store)
        let left = try store.read { view in try view.outboxEntries() }
        let kept = log.enqueued.subtracting(log.completing)
        if losesWrite, let entry = left.first(where: { kept.contains("\($0.id)") }) {
            try store.writeBlocking { try $0.removeEntry(entry.id, outcome: "rejected", at: 1) }
        }
        let now = Set(try store.read { view in try view.outboxEntries() }.map { "\($0.id)" })
        for id in kept.subtracting(now) { find("the write \(id) is lost") }
        for id in now.subtracting(log.enqueueing) { find("nothing has made the write \(id)") }
        for entry in left where now.contains("\(entry.id)") {
            try store.writeBlocking { try $0.removeEntry(entry.id, outcome: "rejected", at: 1) }
        }
        var shared = try SharedServer(path: root + "/changes")
        let server = try shared.current()
        try blocking {
            for _ in 0..<2 { try await server.sync(store) }
            try await store.reclaim()
        }
        try StoreState.verify(store)
        for resource in server.shownResources {
            let rows = try store.read { view in
                try view.rows(in: .all(of: ResourceKey(resource.group, resource.id)))
            }
            let found = Dictionary(rows.map { ($0.key.key, $0.payload) }, uniquingKeysWith: { first, _ in first })
            let wanted = Dictionary(
                (server.origin.rows(of: resource) ?? []).map { ($0.key.key, $0.body) },
                uniquingKeysWith: { first, _ in first })
            if found != wanted {
                find("\(resource) has \(found.count) rows, and others than the server's \(wanted.count)")
            }
        }
        try store.close()
    }
}
