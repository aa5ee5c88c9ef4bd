#if Server && Postgres
import ArgumentParser
import Foundation
import HTTPTypes
import Hummingbird
import LarderPostgres
import LarderServer
import Logging
import ServiceLifecycle
import UnixSignals

/// One server of the fleet: content and idempotent writes over one database.
struct ServeNode: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "node", abstract: "Serves content and writes until it is ended.")

    @Option(help: "The connections to the primary, as libpq reads them.")
    var database: String

    @Option(help: "The connections to a standby, which reads go to.")
    var replica: String?

    @Option(help: "The port of 127.0.0.1.")
    var port: Int

    @Option(help: "The name of this server, which is stored with each write.")
    var name: String

    func run() async throws {
        let logger = Logger(label: "larder.fleet.\(name)")
        let pool = PostgresPool(PostgresConfiguration(database, connections: 12), logger: logger)
        let replica = replica.map { PostgresPool(PostgresConfiguration($0, connections: 8), logger: logger) }
        let now = { @Sendable in Int64(Date().timeIntervalSince1970 * 1000) }
        try await pool.transaction { transaction in
            _ = try transaction.execute(
                "CREATE TABLE IF NOT EXISTS executions (key text NOT NULL, node text NOT NULL)")
        }
        let origin = try await PostgresOrigin.open(pool, replica: replica, groups: GroupTable([:]), now: now)
        let store = try await PostgresIdempotencyStore.open(pool)
        let router = Router()
        router.add(middleware: ContentSyncMiddleware(origin))
        router.health { try await origin.check() }
        let name = name
        router.idempotent(
            .put, "/notes/:resource/:id", through: IdempotencyExecutor(store, now: now), account: { _, _ in "" }
        ) { request, context, transaction in
            try Self.put(request, context.parameters, node: name, &transaction)
        }
        let application = Application(
            router: router, configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: port)),
            logger: logger)
        var services = ServiceGroupConfiguration(
            services: [application], gracefulShutdownSignals: [.sigterm], logger: logger)
        services.maximumGracefulShutdownDuration = .seconds(10)
        try await ServiceGroup(configuration: services).run()
    }

    /// Stores a note, and that this write was executed.
    private static func put(
        _ request: IdempotentRequest, _ parameters: Parameters, node: String,
        _ transaction: inout PostgresTransaction
    ) throws -> IdempotentResponse {
        let resource = try parameters.require("resource", as: Int64.self)
        let id = try parameters.require("id")
        try transaction.execute("INSERT INTO executions VALUES ($1, $2)", [.text(request.key ?? ""), .text(node)])
        try transaction.execute(
            """
            INSERT INTO larder.resources (resource_group, resource_id) VALUES ('notes', $1) ON CONFLICT DO NOTHING
            """, [.integer(resource)])
        try transaction.execute(
            """
            INSERT INTO larder.rows (resource_group, resource_id, record_type, record_key, body)
            VALUES ('notes', $1, 'note', $2, $3::json)
            ON CONFLICT (resource_group, resource_id, record_type, record_key) DO UPDATE SET body = excluded.body
            """, [.integer(resource), .text(id), .text(String(decoding: request.body, as: UTF8.self))])
        var response = IdempotentResponse(.ok, json: "{}")
        response.fields[.syncSequence] = String(try transaction.numberChanges())
        return response
    }
}
#endif
