// TestStore: a store of keys over LMDB or PostgreSQL, so that one suite proves the same of both.

import Foundation
import HTTPTypes
import LarderPostgres
import LarderServer
import PostgresCluster

/// What keeps the keys of a test.
enum KeyBackend: String, CaseIterable, Sendable {
    case embedded
    #if Postgres
    case postgres
    #endif
}

/// What an effect of a test did to the table `writes`: the names that it put there.
final class TestTransaction {
    fileprivate var names: [[UInt8]] = []

    func set(_ value: [UInt8], forKey name: [UInt8], in table: String) throws {
        precondition(table == "writes", "there is no other table")
        names.append(name)
    }
}

/// A place of keys and of a table `writes`, empty at first; a test closes and opens stores in it as it likes.
final class KeyPlace: Sendable {
    private let backend: KeyBackend
    private let folder: URL
    private let database: String

    init(_ backend: KeyBackend) async throws {
        self.backend = backend
        folder = FileManager.default.temporaryDirectory.appending(path: "larder-keys-\(UUID().uuidString)")
        switch backend {
        case .embedded: database = ""
        #if Postgres
        case .postgres:
            let cluster = try await PostgresCluster.shared
            database = try await cluster.makeDatabase()
            try await cluster.psql("CREATE TABLE writes (name bytea PRIMARY KEY)", database: database)
        #endif
        }
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    func open() async throws -> TestStore {
        switch backend {
        case .embedded:
            return TestStore(
                try LMDBIdempotencyStore.open(at: folder.path, tables: ["writes"], sizeCap: 64 << 20), in: self)
        #if Postgres
        case .postgres:
            let pool = PostgresPool(PostgresConfiguration(try await PostgresCluster.shared.connection(database)))
            return TestStore(try await PostgresIdempotencyStore.open(pool), pool, in: self)
        #endif
        }
    }
}

/// A store whose effects put names into a table.
struct TestStore: IdempotencyStore {
    typealias Effect = @Sendable (TestTransaction) throws -> IdempotentResponse

    private let doClaim: @Sendable (IdempotencyKey, RequestFingerprint, Int64, Int64) async throws -> IdempotencyClaim
    private let doPerform:
        @Sendable (@escaping Effect, IdempotencyLease?, Int64, ResponseRetention) async throws -> IdempotencyOutcome
    private let doRelease: @Sendable (IdempotencyLease) async -> Void
    private let doClose: @Sendable () throws -> Void
    /// The files last as long as the store.
    private let place: KeyPlace?
    /// Returns the names in `writes`, in the order of their bytes.
    let writes: @Sendable () async throws -> [String]
    /// Returns the number of leases that nobody has ended.
    let leaseCount: @Sendable () async throws -> Int

    init(_ store: LMDBIdempotencyStore, in place: KeyPlace? = nil) {
        self.init(
            store, in: place,
            effect: { effect in
                { transaction in
                    let done = TestTransaction()
                    let result = Result { try effect(done) }
                    for name in done.names { try transaction.set([], forKey: name, in: "writes") }
                    return try result.get()
                }
            },
            writes: { try store.writes() }, leaseCount: { store.leaseCount }, close: { try store.close() })
    }

    #if Postgres
    init(_ store: PostgresIdempotencyStore, _ pool: PostgresPool, in place: KeyPlace) {
        self.init(
            store, in: place,
            effect: { effect in
                { transaction in
                    let done = TestTransaction()
                    let result = Result { try effect(done) }
                    for name in done.names {
                        try transaction.execute("INSERT INTO writes VALUES ($1) ON CONFLICT DO NOTHING", [.bytes(name)])
                    }
                    return try result.get()
                }
            },
            writes: {
                let rows = try await pool.transaction { try $0.query("SELECT name FROM writes ORDER BY name") }
                return try rows.map { String(decoding: try $0.bytes(0) ?? [], as: UTF8.self) }
            },
            leaseCount: {
                let rows = try await pool.transaction { try $0.query("SELECT count(*) FROM larder.leases") }
                return Int(try rows.first?.integer(0) ?? -1)
            }, close: { pool.close() })
    }
    #endif

    private init<Store: IdempotencyStore>(
        _ store: Store, in place: KeyPlace?, effect: @escaping @Sendable (@escaping Effect) -> Store.Effect,
        writes: @escaping @Sendable () async throws -> [String], leaseCount: @escaping @Sendable () async throws -> Int,
        close: @escaping @Sendable () throws -> Void
    ) {
        doClaim = { try await store.claim($0, for: $1, at: $2, leaseEnd: $3) }
        doPerform = { try await store.perform(effect($0), under: $1, at: $2, keeping: $3) }
        doRelease = { await store.release($0) }
        doClose = close
        self.place = place
        self.writes = writes
        self.leaseCount = leaseCount
    }

    func claim(
        _ key: IdempotencyKey, for fingerprint: RequestFingerprint, at now: Int64, leaseEnd: Int64
    ) async throws -> IdempotencyClaim {
        try await doClaim(key, fingerprint, now, leaseEnd)
    }

    func perform(
        _ effect: @escaping Effect, under lease: IdempotencyLease?, at now: Int64, keeping retention: ResponseRetention
    ) async throws -> IdempotencyOutcome {
        try await doPerform(effect, lease, now, retention)
    }

    func release(_ lease: IdempotencyLease) async { await doRelease(lease) }

    func close() throws { try doClose() }
}

#if Server
import Hummingbird

extension RouterMethods {
    /// Adds a route whose handler puts names into `writes`.
    func idempotent(
        _ method: HTTPRequest.Method, _ path: RouterPath, through executor: IdempotencyExecutor<TestStore>,
        account: @escaping @Sendable (Request, Context) async throws -> String,
        use handler: @escaping @Sendable (IdempotentRequest, Context, TestTransaction) throws -> IdempotentResponse
    ) {
        idempotent(
            method, path, through: executor, account: account,
            effect: { request, context in
                { transaction in try handler(request, context, transaction) }
            })
    }
}
#endif
