// Proves that the numbers of changes have no gaps and ascend in the order of the commits, whatever the writers do.

#if Postgres
import Foundation
import LarderPostgres
import LarderServer
import PostgresCluster
import Testing

@Suite(.timeLimit(.minutes(20))) struct `Changes of content in a database` {
    private static let writers = 32
    private static let resources = (1...5).map { Origin.ResourceID("things", Int64($0)) }
    /// A minute's work is about 400.
    private static let transactions =
        ProcessInfo.processInfo.environment["LARDER_SEQUENCE_TRANSACTIONS"].flatMap { Int($0) } ?? 40

    private let cluster: PostgresCluster
    private let database: String

    init() async throws {
        cluster = try await PostgresCluster.shared
        database = try await cluster.makeDatabase()
    }

    private func pool(_ connections: Int) -> PostgresPool {
        PostgresPool(
            PostgresConfiguration(
                cluster.connection(database), connections: connections, patience: .seconds(120), statementLimit: 60_000)
        )
    }

    private func open(_ pool: PostgresPool) async throws -> PostgresOrigin {
        try await PostgresOrigin.open(pool, groups: GroupTable([:]), now: { 0 })
    }

    /// Some statements of a writer: rows of one resource put and deleted, some of them undone, the resource hidden or
    /// published.
    private static func change(
        of number: Int64, _ random: inout SplitMix64, _ transaction: inout PostgresTransaction
    ) throws {
        let id = PostgresValue.integer(number)
        // Locked before its rows, as all do: then writers rarely end in a deadlock.
        let isWhole = Int.random(in: 0..<12, using: &random) == 0
        try transaction.query(
            "SELECT FROM larder.resources WHERE resource_group = 'things' AND resource_id = $1 FOR "
                + (isWhole ? "NO KEY UPDATE" : "SHARE"), [id])
        if isWhole {
            try transaction.execute(
                "UPDATE larder.resources SET is_public = NOT is_public WHERE resource_group = 'things' AND resource_id = $1",
                [id])
            return
        }
        let isUndone = Int.random(in: 0..<4, using: &random) == 0
        if isUndone { try transaction.execute("SAVEPOINT undone") }
        for number in 1...30 where Int.random(in: 0..<7, using: &random) == 0 {
            let key = PostgresValue.text(String(number))
            if Int.random(in: 0..<4, using: &random) == 0 {
                try transaction.execute(
                    """
                    DELETE FROM larder.rows WHERE resource_group = 'things' AND resource_id = $1 AND record_key = $2
                    """, [id, key])
            } else {
                try transaction.execute(
                    """
                    INSERT INTO larder.rows (resource_group, resource_id, record_type, record_key, body)
                    VALUES ('things', $1, 'thing', $2, $3::json)
                    ON CONFLICT (resource_group, resource_id, record_type, record_key) DO UPDATE SET body = excluded.body
                    """, [id, key, .text("{\"n\":\(random.next() >> 12)}")])
            }
        }
        if isUndone { try transaction.execute("ROLLBACK TO SAVEPOINT undone") }
    }

    private func write(_ seed: UInt64, _ pool: PostgresPool, _ committed: Counter) async throws {
        for number in 0..<Self.transactions {
            let isolation: PostgresIsolation = number % 16 == 15 ? .serializable : .readCommitted
            do {
                try await pool.transaction(isolation) { transaction in
                    var random = SplitMix64(state: seed << 32 | UInt64(number))
                    // In one order, for the same reason.
                    for id in Int64(1)...5 where Int.random(in: 0..<3, using: &random) == 0 {
                        try Self.change(of: id, &random, &transaction)
                    }
                    if Int.random(in: 0..<4, using: &random) == 0 { _ = try transaction.numberChanges() }
                    if Int.random(in: 0..<6, using: &random) == 0 { throw CancellationError() }
                }
                committed.increment()
            } catch is CancellationError {
                // Rolled back.
            } catch let error as PostgresError where error.isConflict {
                // Another writer was faster six times.
            }
        }
    }

    @Test func `reach a client that follows by token, all of them and in order, while 32 write`() async throws {
        let seed = UInt64.random(in: 0..<1 << 31)
        print("seed \(seed), \(Self.transactions) transactions of each of \(Self.writers) writers")
        let (writing, reading) = (pool(Self.writers), pool(2))
        let origin = try await open(reading)
        for resource in Self.resources { try await origin.createResource(resource, rows: []) }
        let committed = Counter()
        let done = Counter()
        var follower = Follower()
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                try await withThrowingTaskGroup(of: Void.self) { writers in
                    for writer in 0..<Self.writers {
                        writers.addTask { try await write(seed << 8 | UInt64(writer), writing, committed) }
                    }
                    try await writers.waitForAll()
                }
                done.increment()
            }
            // The last run begins after the last commit.
            var wasDone = false
            while !wasDone {
                wasDone = done.value > 0
                try await follower.run(origin)
            }
            try await group.waitForAll()
        }
        let log = try await origin.changes
        #expect(log.map(\.sequence) == Array(1...Int64(log.count)), "the numbers have gaps")
        #expect(follower.changes == Array(log.dropFirst(follower.first)), "the follower missed changes")
        #expect(follower.runs > 3)
        #expect(committed.value > Self.transactions)
        for resource in Self.resources {
            let isPublic = try await origin.publicResources.contains(resource)
            let rows = try await origin.rows(of: resource) ?? []
            let expected = try Dictionary(uniqueKeysWithValues: rows.map { ($0.key, try Follower.number($0.body)) })
            #expect(follower.rows[resource] == (isPublic ? expected : nil), "the rows of \(resource) differ")
        }
        writing.close()
        reading.close()
    }

    @Test func `have the number that a handler gets before its commit`() async throws {
        let pool = pool(3)
        let origin = try await open(pool)
        let resource = Origin.ResourceID("things", 1)
        try await origin.createResource(resource, rows: [])
        let numbers = try await pool.transaction { transaction in
            let insert = "INSERT INTO larder.rows VALUES ('things', 1, 'thing', $1, '{}')"
            try transaction.execute(insert, ["a"])
            try transaction.execute(insert, ["b"])
            let first = try transaction.numberChanges()
            try transaction.execute(insert, ["c"])
            return [first, try transaction.numberChanges(), try transaction.numberChanges()]
        }
        #expect(numbers == [3, 4, 4])
        #expect(try await origin.changes.map(\.sequence) == [1, 2, 3, 4])
        pool.close()
    }

    @Test func `of any program are logged, and refused where a client could not name a row`() async throws {
        let pool = pool(2)
        let origin = try await PostgresOrigin.open(pool, now: { 0 })
        try await cluster.psql("INSERT INTO larder.resources VALUES ('translations', 19)", database: database)
        let insert = "INSERT INTO larder.rows VALUES ('translations', 19, 'translation', '7', "
        try await cluster.psql(insert + "'{\"id\":7}')", database: database)
        #expect(
            try await origin.changes.map(\.kind) == [
                .resourceCreate, .rowCreate(.init("translation", "7"), body: Array("{\"id\":7}".utf8)),
            ])
        for body in ["[]", "{\"id\":8}", "{}", "{\"id\":7,\"record_type\":\"x\"}", "{\"id\":7,\"id\":7}"] {
            await #expect(throws: PostgresCluster.Failure.self) {
                try await cluster.psql(insert + "'\(body)')", database: database)
            }
        }
        await #expect(throws: PostgresCluster.Failure.self) {
            try await cluster.psql("TRUNCATE larder.rows", database: database)
        }
        #expect(try await origin.sequence == 2)
        // A position is nobody's choice: snapshots are read by it.
        try await cluster.psql(
            """
            INSERT INTO larder.rows (resource_group, resource_id, record_type, record_key, body, position)
            OVERRIDING SYSTEM VALUE VALUES ('translations', 19, 'translation', '8', '{"id":8}', -3)
            """, database: database)
        #expect(try await origin.snapshot(of: .translation19).count == 2)
        pool.close()
    }

    @Test func `are not forged by those who may only change rows`() async throws {
        let pool = pool(2)
        let origin = try await open(pool)
        let role = "clerk_\(database)"
        try await cluster.psql(
            """
            CREATE ROLE \(role);
            GRANT USAGE ON SCHEMA larder TO \(role);
            GRANT SELECT, INSERT, UPDATE, DELETE ON larder.resources, larder.rows TO \(role);
            """, database: database)
        try await cluster.psql(
            """
            SET ROLE \(role);
            INSERT INTO larder.resources VALUES ('things', 1);
            INSERT INTO larder.rows VALUES ('things', 1, 'thing', 'a', '{}');
            SELECT larder.number_changes();
            UPDATE larder.rows SET body = '{"n":1}';
            DELETE FROM larder.rows;
            UPDATE larder.resources SET is_public = false;
            """, database: database)
        let before = try await origin.sequence
        #expect(before == 4)
        for function in ["log_row", "number_commit", "log_resource"] {
            await #expect(throws: PostgresCluster.Failure.self) {
                try await cluster.psql(
                    """
                    SET ROLE \(role);
                    CREATE TEMP TABLE f (LIKE larder.rows);
                    CREATE TRIGGER t AFTER INSERT ON f FOR EACH ROW EXECUTE FUNCTION larder.\(function)();
                    """, database: database)
            }
        }
        #expect(try await origin.sequence == before)
        pool.close()
    }

    @Test func `follow the rules of a group that its database has, which no program can replace`() async throws {
        let pool = pool(2)
        let rules = GroupRules(
            defaultRecordType: "note", carriesRecordType: false, keyRule: .members(["a\"\\", "{b}"]))
        let origin = try await PostgresOrigin.open(pool, groups: GroupTable(["notes": rules]), now: { 0 })
        #expect(try await origin.rules(of: "notes") == rules)
        #expect(try await origin.rules(of: "others") == GroupTable.openRules)
        _ = try await PostgresOrigin.open(pool, groups: GroupTable(["notes": rules]), now: { 0 })
        await #expect(throws: GroupRulesConflict.self) {
            try await PostgresOrigin.open(pool, groups: GroupTable(["notes": GroupRules()]), now: { 0 })
        }
        pool.close()
    }
}

/// A client that follows by token, and notes every change.
private struct Follower {
    private(set) var changes: [Origin.Change] = []
    private(set) var rows: [Origin.ResourceID: [Origin.RowKey: Int64]] = [:]
    private(set) var runs = 0
    /// The number of the changes that its first sync covers.
    private(set) var first = 0
    private var token: String?

    mutating func run(_ origin: PostgresOrigin) async throws {
        runs += 1
        let start = token.map { "sync_token=\($0)" } ?? "bootstrap=true"
        var query = "resources=things:*&per_page=100&\(start)"
        while true {
            let page = try await origin.page(OriginQuery(parsing: query))
            if token == nil { first = Int(page.bound) } else { changes += page.changes }
            for change in page.changes { try await apply(change, origin) }
            if let token = page.token {
                self.token = token
                return
            }
            query = "cursor=\(try #require(page.cursor))"
        }
    }

    private mutating func apply(_ change: Origin.Change, _ origin: PostgresOrigin) async throws {
        switch change.kind {
        case .rowCreate(let key, let body), .rowUpdate(let key, let body):
            rows[change.resource]?[key] = try Self.number(body)
        case .rowDelete(let key): rows[change.resource]?[key] = nil
        case .resourceDelete: rows[change.resource] = nil
        case .resourceUpdate: break
        case .resourceCreate, .resourceInvalidate:
            // As of now, where it still is public; what came meanwhile comes again.
            rows[change.resource] = [:]
            guard let snapshot = try? await origin.snapshot(of: change.resource) else { return }
            #expect(snapshot.sequence >= change.sequence)
            let object = try #require(
                try JSONSerialization.jsonObject(with: Data(snapshot.flatMap { $0 })) as? [String: Any])
            for record in try #require(object["records"] as? [[String: Any]]) {
                let key = Origin.RowKey("thing", try #require(record["record_key"] as? String))
                rows[change.resource]?[key] = try #require(record["n"] as? Int64)
            }
        }
    }

    /// The number that makes a body differ from all others.
    static func number(_ body: [UInt8]) throws -> Int64 {
        let object = try JSONSerialization.jsonObject(with: Data(body)) as? [String: Any]
        return try #require(object?["n"] as? Int64)
    }
}
#endif
