// OriginBackend: where the content of an origin is stored, for tests that each origin has to pass.

import LarderServer
import Testing

#if Postgres
import LarderPostgres
import PostgresCluster
#endif

/// Where the content of an origin is stored.
enum OriginBackend: String, CaseIterable, Sendable {
    case embedded
    #if Postgres
    case postgres
    #endif

    /// Opens an origin without content; its clock stands still, but for the times of changes in a database.
    func open(groups: GroupTable = .standard) async throws -> any EditableOrigin {
        switch self {
        case .embedded: return Origin.sample(groups: groups)
        #if Postgres
        case .postgres:
            let cluster = try await PostgresCluster.shared
            let configuration = PostgresConfiguration(
                cluster.connection(try await cluster.makeDatabase()), connections: 2, patience: .seconds(60),
                statementLimit: 60_000)
            return try await PostgresOrigin.open(
                PostgresPool(configuration), groups: groups, bootstrapAge: .zero, now: { sampleTime })
        #endif
        }
    }
}
