// keyed-node: a server that a test kills. It executes writes with keys in a database that it shares with others.

import Foundation

#if Postgres && Server
import HTTPTypes
import Hummingbird
import LarderPostgres
import LarderServer
import Logging
#endif

/// usage: keyed-node SETTINGS
///
/// Serves POST /visits at a free port of 127.0.0.1 until it is ended, five minutes at most, and prints its address.
@main
struct KeyedNode {
    static func main() async throws {
        guard CommandLine.arguments.count == 2 else {
            print("usage: keyed-node SETTINGS")
            exit(64)
        }
        #if Postgres && Server
        alarm(300)
        try await serve(CommandLine.arguments[1])
        #else
        print("built without the traits Postgres and Server")
        exit(78)
        #endif
    }
}

#if Postgres && Server
extension KeyedNode {
    private static func serve(_ settings: String) async throws {
        let router = Router()
        let executor = IdempotencyExecutor(try await open(settings), policy: policy) {
            Int64(Date().timeIntervalSince1970 * 1000)
        }
        router.idempotent(.post, "/visits", through: executor, account: { _, _ in "ada" }) {
            request, _, transaction in
            let run = UUID().uuidString
            try transaction.execute("INSERT INTO visits VALUES ($1, $2)", [.text(request.key ?? ""), .text(run)])
            return IdempotentResponse(.created, body: Array(run.utf8))
        }
        var logger = Logger(label: "keyed-node")
        logger.logLevel = .critical
        let application = Application(
            router: router, configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: 0)),
            onServerRunning: { channel in
                let address = "http://127.0.0.1:\(channel.localAddress?.port ?? 0)\n"
                FileHandle.standardOutput.write(Data(address.utf8))
            }, logger: logger)
        try await application.run()
    }

    /// The leases of a killed server end soon.
    private static var policy: IdempotencyPolicy {
        var policy = IdempotencyPolicy()
        policy.lease = .milliseconds(300)
        return policy
    }

    /// Opens the store, once the database can be used; waits at most half a minute.
    private static func open(_ settings: String) async throws -> PostgresIdempotencyStore {
        let pool = PostgresPool(PostgresConfiguration(settings, connections: 6, patience: .seconds(30)))
        for _ in 0..<600 {
            do {
                return try await PostgresIdempotencyStore.open(pool)
            } catch let error as PostgresError where error.isTemporary {
                try await Task.sleep(for: .milliseconds(50))
            }
        }
        throw CancellationError()
    }
}
#endif
