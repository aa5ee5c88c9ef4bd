// Wiring: the ways in which a fixture reaches its origin, in process or over HTTP.

import LarderServer
import LarderTransport
import Testing

#if Postgres
import LarderPostgres
import PostgresCluster
#endif

#if Server && AsyncHTTPClient
import LarderAsyncHTTPClient
#endif

/// The ways in which a fixture reaches its origin; the protocol suite runs over all of them.
enum Wiring: String, CaseIterable, Sendable {
    /// A call in the same process.
    case inProcess
    #if Server && AsyncHTTPClient
    /// HTTP on 127.0.0.1.
    case http
    #endif
    #if Server && AsyncHTTPClient && Postgres
    /// HTTP on 127.0.0.1, to content in a database.
    case postgres
    #endif

    /// Whether the server names versions of snapshots in their URLs.
    var namesVersions: Bool {
        #if Server && AsyncHTTPClient && Postgres
        self == .postgres
        #else
        false
        #endif
    }

    /// Runs `body` with a fixture, and looks at the store afterwards: whatever happened, it must be sound.
    func run(
        credentials: OriginConfiguration.Credentials? = nil, _ body: (SyncFixture) async throws -> Void
    ) async throws {
        switch self {
        case .inProcess:
            let fixture = try SyncFixture()
            try await body(fixture)
            try fixture.expectSound()
        #if Server && AsyncHTTPClient
        case .http: try await serve(Origin.ofTests(), credentials, body)
        #endif
        #if Server && AsyncHTTPClient && Postgres
        case .postgres:
            let cluster = try await PostgresCluster.shared
            // Other tests of this process put threads into network namespaces of their own.
            let configuration = PostgresConfiguration(
                cluster.localConnection(try await cluster.makeDatabase()), connections: 4, patience: .seconds(60),
                statementLimit: 60_000)
            let pool = PostgresPool(configuration)
            try await serve(
                PostgresOrigin.open(pool, bootstrapAge: .zero, now: { 1_700_000_000_000 }), credentials, body)
            pool.close()
        #endif
        }
    }

    #if Server && AsyncHTTPClient
    private func serve(
        _ origin: some EditableOrigin, _ credentials: OriginConfiguration.Credentials?,
        _ body: (SyncFixture) async throws -> Void
    ) async throws {
        try await OriginServer.run(origin, OriginConfiguration(credentials: credentials)) { base in
            let transport = AsyncHTTPClientTransport()
            let fixture = try SyncFixture(origin: origin, transport: transport, base: base)
            do {
                try await body(fixture)
            } catch {
                await transport.shutdown()
                throw error
            }
            await transport.shutdown()
            try fixture.expectSound()
        }
    }
    #endif
}
