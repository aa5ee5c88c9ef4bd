// Postgres: compiles the code of the article on LarderPostgres.

#if Server && Postgres
import Foundation
import HTTPTypes
import Hummingbird
import LarderPostgres
import LarderServer

private func account(of request: Request) throws -> String { "" }

private func serve(_ router: Router<BasicRequestContext>) async throws {
    // block begins
    let pool = PostgresPool(PostgresConfiguration("postgresql://shop@db1,db2/shop?target_session_attrs=read-write"))
    let store = try await PostgresIdempotencyStore.open(pool)
    let executor = IdempotencyExecutor(store, now: { Int64(Date().timeIntervalSince1970 * 1000) })
    router.idempotent(.post, "/visits", through: executor, account: { request, _ in try account(of: request) }) {
        request, _, transaction in
        try transaction.execute("INSERT INTO visits (body) VALUES ($1)", [.bytes(request.body)])
        return IdempotentResponse(.created, json: "{}")
    }
    // block ends
}

private func serveContent(_ router: Router<BasicRequestContext>, _ pool: PostgresPool) async throws {
    // block begins
    let origin = try await PostgresOrigin.open(pool, now: { Int64(Date().timeIntervalSince1970 * 1000) })
    router.add(middleware: ContentSyncMiddleware(origin))
    // block ends
}
#endif
