// Proves that a run may turn its pages over several servers and a standby, and never reads a state before its token.

#if Postgres
import LarderPostgres
import LarderServer
import PostgresCluster
import Testing

@Suite(.serialized) struct `Servers that read from a standby` {
    private let primary: PostgresCluster
    private let standby: PostgresCluster
    private let database: String
    private let resource = Origin.ResourceID("things", 1)

    init() async throws {
        primary = try await PostgresCluster.start()
        database = try await primary.makeDatabase()
        standby = try await primary.startStandby()
    }

    private func pool(_ cluster: PostgresCluster) -> PostgresPool {
        PostgresPool(PostgresConfiguration(cluster.connection(database), connections: 2))
    }

    private func node(reading standby: PostgresCluster? = nil) async throws -> PostgresOrigin {
        try await PostgresOrigin.open(
            pool(primary), replica: standby.map { pool($0) }, groups: GroupTable([:]), bootstrapAge: .zero
        ) { 0 }
    }

    private func row(_ key: Int) -> Origin.Row { Origin.Row(type: "thing", key: "\(key)", "{}") }

    private func page(_ node: PostgresOrigin, _ query: String) async throws -> OriginPage {
        try await node.page(OriginQuery(parsing: query))
    }

    /// Waits until the standby has replayed what the primary has committed.
    private func replay() async throws {
        let position = try await primary.psql("SELECT pg_current_wal_lsn()", database: database).dropLast()
        for _ in 0..<400 {
            let isThere = "SELECT pg_last_wal_replay_lsn() >= '\(position)'::pg_lsn"
            if try await standby.psql(isThere, database: database) == "t\n" { return }
            try await Task.sleep(for: .milliseconds(25))
        }
        Issue.record("the standby does not replay")
    }

    @Test func `answer a run whose pages come from three of them and the standby`() async throws {
        let nodes = [try await node(), try await node(reading: standby), try await node()]
        try await nodes[0].createResource(resource, rows: [])
        let bootstrap = try await page(nodes[0], "resources=things:*&bootstrap=true")
        var token = try #require(bootstrap.token)
        for key in 1...7 { try await nodes[key % 3].putRow(row(key), in: resource) }
        var keys: [Int64] = []
        for start in 0..<3 {
            var page = try await page(nodes[start], "resources=things:*&sync_token=\(token)&per_page=2")
            var turned = start
            while true {
                keys += page.changes.map(\.sequence)
                guard let cursor = page.cursor else { break }
                turned += 1
                page = try await self.page(nodes[turned % 3], "cursor=\(cursor)")
            }
            token = try #require(page.token)
            try await nodes[0].putRow(row(100 + start), in: resource)
        }
        #expect(keys == Array(2...10))
    }

    @Test func `read from the standby what it has replayed, also without the primary`() async throws {
        let node = try await node(reading: standby)
        try await node.createResource(resource, rows: [row(1)])
        // A standby without the tables is not read for 5 s of the clock, which stands still here.
        try await replay()
        let token = try #require(try await page(node, "resources=things:*&bootstrap=true").token)
        try primary.stop()
        #expect(try await page(node, "resources=things:*&sync_token=\(token)").token != nil)
        #expect(try await node.snapshot(of: resource).count == 1)
        let problem = await #expect(throws: OriginProblem.self) { try await node.putRow(row(2), in: resource) }
        #expect(problem?.status == 503)
        #expect(problem?.retryAfter == 1)
        await #expect(throws: OriginProblem.self) { try await node.check() }
    }

    @Test func `turn to the primary for a token that the standby has not replayed`() async throws {
        let node = try await node(reading: standby)
        try await node.createResource(resource, rows: [])
        try await replay()
        try await standby.psql("SELECT pg_wal_replay_pause()", database: database)
        let number = try #require(try await node.putRow(row(1), in: resource))
        let direct = try await self.node()
        let token = try #require(try await page(direct, "resources=things:*&bootstrap=true").token)
        let page = try await page(node, "resources=things:*&sync_token=\(token)")
        #expect(page.bound == number)
        // What the standby does not know is not hidden, and its group is not unknown.
        let other = Origin.ResourceID("others", 1)
        try await direct.createResource(other, rows: [row(1)])
        #expect(try await node.snapshot(of: other).count == 1)
        #expect(try await node.snapshot(of: other, version: "\(number + 1).0").sequence == number + 1)
        #expect(try await self.page(node, "resources=others:*&bootstrap=true").changes.count == 1)
        // Without a token it may answer as of what it has.
        #expect(try await self.page(node, "resources=things:*&bootstrap=true").bound == number - 1)
        try await standby.psql("SELECT pg_wal_replay_resume()", database: database)
        try await replay()
        #expect(try await self.page(node, "resources=things:*&bootstrap=true").bound == number + 1)
    }

    @Test func `turn to the primary where the standby has no tables, or other errors`() async throws {
        let empty = PostgresPool(PostgresConfiguration(primary.connection("postgres")))
        let node = try await PostgresOrigin.open(pool(primary), replica: empty, groups: GroupTable([:])) { 0 }
        try await node.createResource(resource, rows: [row(1)])
        #expect(try await page(node, "resources=things:*&bootstrap=true").changes.count == 1)
        #expect(try await node.snapshot(of: resource).count == 1)
    }

    @Test func `wait for a commit that only the standby shows yet`() async throws {
        let node = try await node()
        try await node.createResource(resource, rows: [])
        let token = try #require(try await page(node, "resources=things:*&bootstrap=true").token)
        // As the primary looks to others while a commit waits for a standby.
        try await primary.psql("UPDATE larder.head SET sequence = 0", database: database)
        let answer = Task { try await page(node, "resources=things:*&sync_token=\(token)") }
        try await Task.sleep(for: .milliseconds(300))
        try await primary.psql("UPDATE larder.head SET sequence = 1", database: database)
        #expect(try await answer.value.bound == 1)
        try await primary.psql("UPDATE larder.head SET sequence = 0", database: database)
        await #expect(throws: OriginProblem.resyncRequired) {
            try await page(node, "resources=things:*&sync_token=\(token)")
        }
    }

    @Test func `go on at a standby that was promoted, with the numbers and tokens of before`() async throws {
        try await primary.psql("ALTER SYSTEM SET synchronous_standby_names = '*'", database: database)
        try await primary.psql("SELECT pg_reload_conf()", database: database)
        let both = PostgresPool(
            PostgresConfiguration(
                """
                host=127.0.0.1,127.0.0.1 port=\(primary.port),\(standby.port) user=postgres dbname=\(database) \
                target_session_attrs=read-write connect_timeout=5
                """, connections: 2))
        let node = try await PostgresOrigin.open(both, groups: GroupTable([:])) { 0 }
        try await node.createResource(resource, rows: [])
        let token = try #require(try await page(node, "resources=things:*&bootstrap=true").token)
        let last = try #require(try await node.putRow(row(1), in: resource))
        try primary.stop()
        try await standby.psql("SELECT pg_promote()", database: database)
        #expect(try await node.putRow(row(2), in: resource) == last + 1)
        #expect(
            try await page(node, "resources=things:*&sync_token=\(token)").changes.map(\.sequence) == [last, last + 1])
    }
}
#endif
