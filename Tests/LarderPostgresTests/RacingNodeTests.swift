// Proves that three servers with one database execute each key exactly once, while they and the database are killed.

#if Postgres
import Foundation
import LarderPostgres
import PostgresCluster
import Synchronization
import Testing

@Suite struct `Servers that are killed` {
    /// Acknowledged answers, by key.
    private final class Answers: Sendable {
        private let found = Mutex<[String: Set<String>]>([:])

        var all: [String: Set<String>] { found.withLock { $0 } }

        func add(_ output: Data) {
            for line in output.split(separator: UInt8(ascii: "\n")) {
                let words = String(decoding: line, as: UTF8.self).split(separator: " ").map(String.init)
                if words.count == 2 { found.withLock { _ = $0[words[0], default: []].insert(words[1]) } }
            }
        }
    }

    /// Counts what was killed while it worked.
    private final class Deaths: Sendable {
        private let number = Atomic<Int>(0)

        var count: Int { number.load(ordering: .relaxed) }

        func add() { number.wrappingAdd(1, ordering: .relaxed) }
    }

    private static let keys = 200
    private static let requests = [11, 11, 10]

    private let cluster: PostgresCluster
    private let database: String

    init() async throws {
        cluster = try await PostgresCluster.start()
        database = try await cluster.makeDatabase()
        try await cluster.psql("CREATE TABLE visits (key text NOT NULL, run text NOT NULL)", database: database)
    }

    /// Runs a server until it has all answers, or is killed after a while. Returns whether it has ended by itself.
    private func run(_ index: Int, killedAfter limit: Duration?, _ answers: Answers) async throws -> Bool {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
            .deletingLastPathComponent().appending(path: "keyed-node")
        process.arguments = [
            cluster.connection(database), "n\(index)-\(UUID().uuidString.prefix(4))", "\(Self.keys)",
            "\(Self.requests[index])",
        ]
        let output = Pipe()
        process.standardOutput = output
        process.standardInput = FileHandle.nullDevice
        try process.run()
        let reading = Task { await Self.read(output.fileHandleForReading) }
        if let limit {
            try? await Task.sleep(for: limit)
            kill(process.processIdentifier, SIGKILL)
        }
        answers.add(await reading.value)
        process.waitUntilExit()
        return process.terminationReason == .exit && process.terminationStatus == 0
    }

    /// Reads to the end, on a thread that may block.
    private static func read(_ file: FileHandle) async -> Data {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread { continuation.resume(returning: file.readDataToEndOfFile()) }
        }
    }

    @Test func `execute each of 200 keys once, with 32 requests for each`() async throws {
        let answers = Answers()
        var random = SystemRandomNumberGenerator()
        let seed = UInt64.random(in: 0...UInt64.max, using: &random)
        print("seed \(seed)")
        let deaths = Deaths()
        for round in 0..<12 {
            // Servers and the database die at times that the seed determines.
            let times = (0..<3).map { Int((seed >> UInt64($0 * 8 + round)) % 900) + 150 }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for index in 0..<3 {
                    group.addTask {
                        // One that has ended by itself was not killed.
                        if try await !run(index, killedAfter: .milliseconds(times[index]), answers) { deaths.add() }
                    }
                }
                if round % 3 == 1 {
                    group.addTask {
                        try await Task.sleep(for: .milliseconds(times[0] / 2))
                        try cluster.kill()
                        deaths.add()
                        try await cluster.waitUntilReady()
                    }
                }
                try await group.waitForAll()
            }
        }
        let ends = try await withThrowingTaskGroup(of: Bool.self) { group in
            for index in 0..<3 { group.addTask { try await run(index, killedAfter: nil, answers) } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(ends == [true, true, true])
        let rows = try await cluster.psql("SELECT key, run FROM visits", database: database).split(separator: "\n")
        #expect(rows.count == Self.keys)
        let found = answers.all
        #expect(found.count == Self.keys)
        for row in rows {
            let parts = row.split(separator: "|").map(String.init)
            #expect(found[parts[0]] == [parts[1]], "seed \(seed)")
        }
        #expect(deaths.count >= 5)
        print("\(deaths.count) kills, \(Self.keys) keys, each executed once")
    }
}
#endif
