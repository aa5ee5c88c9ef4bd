// Proves that three HTTP servers with one database execute each key exactly once, while they and the database are killed.

#if Postgres && Server
import Foundation
import FoundationNetworking
import PostgresCluster
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(10))) struct `Servers that are killed` {
    private static let keys = 200
    private static let requests = 32

    private let cluster: PostgresCluster
    private let database: String
    private let session: URLSession

    init() async throws {
        cluster = try await PostgresCluster.start()
        database = try await cluster.makeDatabase()
        try await cluster.psql("CREATE TABLE visits (key text NOT NULL, run text NOT NULL)", database: database)
        let configuration = URLSessionConfiguration.ephemeral
        configuration.urlCache = nil
        configuration.httpMaximumConnectionsPerHost = Self.requests
        session = URLSession(configuration: configuration)
    }

    @Test func `execute each of 200 keys once, with 32 requests for each`() async throws {
        let seed = UInt64.random(in: 0...UInt64.max)
        print("seed \(seed)")
        let nodes = (0..<3).map { _ in NodeProcess(cluster.connection(database)) }
        defer { for node in nodes { node.kill() } }
        for node in nodes { await node.start() }
        let isDone = Atomic(false)
        // Also after a failure, so that the test ends.
        defer { isDone.store(true, ordering: .relaxed) }
        async let deaths = killing(nodes, seed, until: { isDone.load(ordering: .relaxed) })
        var answers: [String: Set<String>] = [:]
        for key in (0..<Self.keys).map({ "k\($0)" }) {
            answers[key] = try await withThrowingTaskGroup(of: String.self) { group in
                for _ in 0..<Self.requests { group.addTask { try await send(key, to: nodes) } }
                return try await group.reduce(into: []) { $0.insert($1) }
            }
        }
        isDone.store(true, ordering: .relaxed)
        let count = try await deaths
        let rows = try await cluster.psql("SELECT key, run FROM visits", database: database).split(separator: "\n")
        #expect(rows.count == Self.keys)
        for row in rows {
            let parts = row.split(separator: "|").map(String.init)
            #expect(answers[parts[0]] == [parts[1]], "seed \(seed)")
        }
        #expect(count >= 5)
        print("\(count) kills, \(Self.keys) keys, each executed once")
    }

    /// Kills the servers and the database at times that the seed determines, and starts them again. Returns how often.
    private func killing(
        _ nodes: [NodeProcess], _ seed: UInt64, until isDone: @Sendable () -> Bool
    ) async throws -> Int {
        var deaths = 0
        for round in 0... where !isDone() {
            try await Task.sleep(for: .milliseconds(Int((seed >> UInt64(round % 56)) % 900) + 150))
            if isDone() { break }
            deaths += 1
            if round % 4 == 3 {
                try cluster.kill()
                try await cluster.waitUntilReady()
            } else {
                nodes[round % 3].kill()
                await nodes[round % 3].start()
            }
        }
        return deaths
    }

    /// Sends one request, to any server, until it is answered; returns the answer.
    private func send(_ key: String, to nodes: [NodeProcess]) async throws -> String {
        for _ in 0..<6000 {
            if let url = nodes.randomElement()?.url {
                var request = URLRequest(url: url)
                request.httpMethod = "POST"
                request.setValue(key, forHTTPHeaderField: "X-Idempotency-Key")
                request.httpBody = Data("{}".utf8)
                if let (data, response) = try? await session.data(for: request) {
                    let status = (response as? HTTPURLResponse)?.statusCode ?? 0
                    if status == 201 { return String(decoding: data, as: UTF8.self) }
                    // Under way elsewhere, or without a database.
                    try #require([409, 503].contains(status), "\(status) \(String(decoding: data, as: UTF8.self))")
                }
            }
            try await Task.sleep(for: .milliseconds(20))
        }
        throw CancellationError()
    }
}

/// A server in a process of its own, which can be killed and started again.
private final class NodeProcess: Sendable {
    private let settings: String
    private let state = Mutex<(process: Process?, url: URL?)>((nil, nil))

    init(_ settings: String) { self.settings = settings }

    /// The address of its writes; nil before it has started.
    var url: URL? { state.withLock { $0.url } }

    /// Starts it, and waits until it serves. Blocks only a thread of its own.
    func start() async {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                self.state.withLock { $0 = self.started() }
                continuation.resume()
            }
        }
    }

    private func started() -> (Process?, URL?) {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
            .deletingLastPathComponent().appending(path: "keyed-node")
        process.arguments = [settings]
        let output = Pipe()
        process.standardOutput = output
        process.standardInput = FileHandle.nullDevice
        guard (try? process.run()) != nil else { return (nil, nil) }
        let line = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
        return (process, URL(string: line.trimmingCharacters(in: .newlines))?.appending(path: "visits"))
    }

    /// Ends it at once, whatever it does.
    func kill() {
        state.withLock { state in
            if let process = state.process { Foundation.kill(process.processIdentifier, SIGKILL) }
            state.url = nil
        }
    }
}
#endif
