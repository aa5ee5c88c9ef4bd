// keyed-node: a server without HTTP, which a test kills. It executes writes with keys in a database that it shares with others.

import Foundation
import HTTPTypes
import LarderPostgres
import LarderServer

/// usage: keyed-node SETTINGS NAME KEYS REQUESTS
///
/// For each of KEYS keys it sends REQUESTS requests at once, each until it is answered, and prints the key and the answer.
@main
struct KeyedNode {
    static func main() async throws {
        let arguments = CommandLine.arguments
        guard arguments.count == 5, let keys = Int(arguments[3]), let requests = Int(arguments[4]) else {
            print("usage: keyed-node SETTINGS NAME KEYS REQUESTS")
            exit(64)
        }
        #if Postgres
        let node = try await Node(arguments[1])
        for key in 0..<keys {
            try await withThrowingTaskGroup(of: String.self) { group in
                for request in 0..<requests {
                    group.addTask { try await node.send("k\(key)", "\(arguments[2])/\(key)/\(request)") }
                }
                for try await answer in group {
                    // One write is one line, whole or not at all.
                    FileHandle.standardOutput.write(Data("k\(key) \(answer)\n".utf8))
                }
            }
        }
        #else
        print("built without the trait Postgres; not executed: \(keys) keys, \(requests) requests")
        exit(78)
        #endif
    }
}

#if Postgres
struct Node: Sendable {
    private let executor: IdempotencyExecutor<PostgresIdempotencyStore>

    /// Opens the store, once the database can be used; waits at most half a minute.
    init(_ settings: String) async throws {
        let pool = PostgresPool(PostgresConfiguration(settings, connections: 6, patience: .seconds(30)))
        var policy = IdempotencyPolicy()
        // The leases of a killed node end soon.
        policy.lease = .milliseconds(300)
        for _ in 0..<600 {
            do {
                let store = try await PostgresIdempotencyStore.open(pool)
                executor = IdempotencyExecutor(store, policy: policy) { Int64(Date().timeIntervalSince1970 * 1000) }
                return
            } catch let error as PostgresError where error.isTemporary {
                try await Task.sleep(for: .milliseconds(50))
            }
        }
        throw CancellationError()
    }

    /// Sends one request until it is answered, at most for a minute; returns the answer.
    @concurrent func send(_ key: String, _ run: String) async throws -> String {
        let request = IdempotentRequest(account: "ada", key: key, method: .post, path: "/visits")
        for _ in 0..<3000 {
            do {
                let response = try await executor.response(to: request) { _ in
                    { transaction in
                        try transaction.execute("INSERT INTO visits VALUES ($1, $2)", [.text(key), .text(run)])
                        return IdempotentResponse(.created, body: Array(run.utf8))
                    }
                }
                return String(decoding: response.body, as: UTF8.self)
            } catch let problem as IdempotencyProblem where problem.kind == .inProgress || problem.kind == .unavailable
            {
                try await Task.sleep(for: .milliseconds(20))
            }
        }
        throw CancellationError()
    }
}
#endif
