#if Postgres
public import LarderServer
internal import Logging
internal import Synchronization

/// The content of a sync server in a PostgreSQL database, which any number of servers share.
///
/// ```swift
/// let pool = PostgresPool(PostgresConfiguration("postgresql://shop@db1,db2/shop?target_session_attrs=read-write"))
/// let origin = try await PostgresOrigin.open(pool, now: { milliseconds since 1970 })
/// router.add(middleware: ContentSyncMiddleware(origin))
/// ```
///
/// The content is in the tables `larder.resources` and `larder.rows`. Any program that writes them feeds the sync: triggers
/// log each change, and the commit numbers it. Numbers have no gaps, and ascend in the order of the commits. A commit that
/// changes content waits for the one before it; all other transactions of the database are not affected.
///
/// Every server accepts the tokens and cursors of the others, so that one run may turn its pages over all of them. While the
/// database cannot be used, requests are answered with 503 and `Retry-After`.
public final class PostgresOrigin: EditableOrigin {
    let pool: PostgresPool
    /// The time in milliseconds for which a replica is not used after an error.
    private static let pause: Int64 = 5000

    private let replica: PostgresPool?
    /// The time at which the replica is used again.
    private let replicaPause = Mutex(Int64.min)
    let bootstraps: BootstrapPages
    let signer: TicketSigner
    /// The time in milliseconds since 1970-01-01 UTC, by which the windows of rate limits are measured.
    public let now: @Sendable () -> Int64

    private init(
        _ pool: PostgresPool, replica: PostgresPool?, _ bootstraps: BootstrapPages, _ secret: TokenSecret,
        now: @escaping @Sendable () -> Int64
    ) {
        self.bootstraps = bootstraps
        self.pool = pool
        self.replica = replica
        signer = TicketSigner(secret: secret)
        self.now = now
    }

    /// Opens the content in the database of a pool; creates its tables, in the schema `larder`, where there are none.
    ///
    /// - Parameters:
    ///   - pool: The connections to the primary; the caller closes them.
    ///   - replica: The connections to a standby, which pages, snapshots and lists are read from where it has replayed
    ///     what the request needs. A request waits 200 ms for that at most, and is then answered from the primary.
    ///   - groups: The rules of groups, which are stored where the database has none for a group.
    ///   - bootstrapAge: The time for which first syncs get the same pages, and so the same URLs of snapshots, from this
    ///     process: thousands of clients that begin together cost the database as much as one. What changes meanwhile
    ///     comes with a client's next run. Zero or more.
    ///   - now: The time in milliseconds since 1970-01-01 UTC.
    /// - Throws: ``PostgresError``, also where the tables are missing and the user may not create them, or are those of a
    ///   newer version, and where the database has another encoding than UTF8; ``GroupRulesConflict`` where the database has other rules for a group.
    public static func open(
        _ pool: PostgresPool, replica: PostgresPool? = nil, groups: GroupTable = .standard,
        bootstrapAge: Duration = .seconds(5), now: @escaping @Sendable () -> Int64
    ) async throws -> PostgresOrigin {
        let secret = try await pool.transaction { transaction in
            try PostgresSchema.migrate(&transaction)
            try ContentTable.add(groups, &transaction)
            return try ContentTable.secret(&transaction)
        }
        let bootstraps = BootstrapPages(milliseconds: Int64(bootstrapAge / .milliseconds(1)))
        return PostgresOrigin(pool, replica: replica, bootstraps, secret, now: now)
    }

    /// Signs tokens and cursors; it was made with the tables.
    public var secret: TokenSecret { signer.secret }

    /// Returns the page that a request names, as `Origin.page(_:)`.
    ///
    /// - Throws: As `Origin.page(_:)`; status 503 with `Retry-After` while the database cannot be used.
    /// - Complexity: At most `Origin.scannedChanges` changes, or resources in a first sync, are examined.
    public func page(_ query: OriginQuery) async throws(OriginProblem) -> OriginPage {
        if let page = bootstraps.page(of: query, at: now()) { return page }
        let (signer, bootstraps, now) = (signer, bootstraps, now())
        let page = try await read(after: query.neededHead(signer)) { head, transaction in
            let known = try ContentTable.knownGroups(of: query, &transaction)
            let bound = bootstraps.bound(after: head, at: now)
            let run = try SyncRun(query, at: head, bootstrapBound: bound, hasGroup: known.contains, signer)
            let scan = try ContentTable.scan(run, at: head, &transaction)
            let groups = try ContentTable.groupsWithContentID(run.filter, &transaction)
            return run.page(
                scan.changes, next: scan.next, signer, groupsWithContentID: groups, hasVersions: true)
        }
        bootstraps.keep(page, of: query)
        return page
    }

    /// Returns the snapshot of a public resource, as of now.
    ///
    /// Pages name a version in the URL of each snapshot: the change that led to it, or the bound of a first sync. Whatever
    /// includes that change is a right response, so that caches may keep the first one.
    ///
    /// - Throws: As `Origin.snapshot(of:)`; status 503 with `Retry-After` while the database cannot be used, or does not have
    ///   the version.
    public func snapshot(
        of resource: Origin.ResourceID, version: String?
    ) async throws(OriginProblem) -> OriginSnapshot {
        let version = version.flatMap(SnapshotVersion.init)
        let needed = version.map { SyncHead(sequence: $0.sequence, removedThrough: 0, epoch: $0.epoch) }
        return try await read(after: needed) { head, transaction in
            // A URL that a client has kept since another epoch names nothing that a cache may keep.
            let version = version.flatMap { $0.epoch < head.epoch ? nil : $0 }
            if let version, version.epoch > head.epoch || version.sequence > head.sequence {
                throw OriginProblem(status: 503, message: "The version is not there yet", retryAfter: 1)
            }
            return try ContentTable.snapshot(
                of: resource, at: head, isVersion: version != nil, &transaction)
        }
    }

    /// Returns one page of the rows of a public resource in key order, as `Origin.list(of:_:)`.
    ///
    /// - Throws: As `Origin.list(of:_:)`; status 503 with `Retry-After` while the database cannot be used.
    public func list(of resource: Origin.ResourceID, _ query: ListQuery) async throws(OriginProblem) -> [UInt8] {
        try await read(after: nil) { _, transaction in try ContentTable.list(of: resource, query, &transaction) }
    }

    /// Returns the resources that changed after a number; the primary knows.
    ///
    /// - Throws: `OriginProblem` with status 503 and `Retry-After` while the database cannot be used.
    public func changedResources(after sequence: Int64) async throws(OriginProblem) -> ChangedResources {
        try await answering {
            try await self.pool.transaction(.repeatableRead) { transaction in
                try ContentTable.changedResources(
                    after: sequence, at: try ContentTable.head(&transaction), &transaction)
            }
        }
    }

    /// Checks that the primary can be used, for a route that reports whether a server is ready.
    ///
    /// - Throws: `OriginProblem`, with status 503 while it cannot be reached.
    public func check() async throws(OriginProblem) {
        try await answering {
            _ = try await self.pool.transaction { transaction in try ContentTable.head(&transaction) }
        }
    }

    /// Reads from one state of the content that includes what `needed` counts: of the replica, or else of the primary.
    private func read<Value: Sendable>(
        after needed: SyncHead?,
        _ body: @escaping @Sendable (SyncHead, inout PostgresTransaction) throws -> Value
    ) async throws(OriginProblem) -> Value {
        try await answering {
            if let value = try await self.readReplica(after: needed, body) { return value }
            // A standby shows a commit that still waits for it on the primary.
            let wait = Duration.milliseconds(50)
            for _ in 0..<40 {
                if let value = try await Self.read(from: self.pool, after: needed, body) { return value }
                try await Task.sleep(for: wait)
            }
            return try await self.pool.transaction(.repeatableRead) { transaction in
                try body(try ContentTable.head(&transaction), &transaction)
            }
        }
    }

    /// Reads from the replica; returns `nil` where it cannot be used, lacks what is requested, or has not replayed enough after
    /// 200 ms: then the primary has to know.
    private func readReplica<Value: Sendable>(
        after needed: SyncHead?,
        _ body: @escaping @Sendable (SyncHead, inout PostgresTransaction) throws -> Value
    ) async throws -> Value? {
        let now = now()
        guard let replica, replicaPause.withLock({ now >= $0 || $0 - now > Self.pause }) else { return nil }
        do {
            for attempt in 0...20 {
                if attempt > 0 { try await Task.sleep(for: .milliseconds(10)) }
                if let value = try await Self.read(from: replica, after: needed, body) { return value }
            }
        } catch let error as PostgresError {
            pool.logger.warning(
                "reads from the primary for 5 s, as the replica cannot be used", metadata: ["error": "\(error)"])
            // Others do not wait for it as well.
            replicaPause.withLock { $0 = now + Self.pause }
        } catch let problem as OriginProblem where [404, 410, 422].contains(problem.status) {
            // The standby may not have replayed it yet.
        }
        return nil
    }

    /// Reads where a database has what `needed` counts; else returns `nil`.
    private static func read<Value: Sendable>(
        from pool: PostgresPool, after needed: SyncHead?,
        _ body: @escaping @Sendable (SyncHead, inout PostgresTransaction) throws -> Value
    ) async throws -> Value? {
        try await pool.transaction(.repeatableRead) { transaction -> Value? in
            // The head is replicated with the rows: what it counts can be read.
            let head = try ContentTable.head(&transaction)
            if let needed, needed.epoch > head.epoch { return nil }
            if let needed, needed.epoch == head.epoch, needed.sequence > head.sequence { return nil }
            return try body(head, &transaction)
        }
    }

    /// Runs `body`, once again when a connection was lost, and answers errors of the database.
    private func answering<Value: Sendable>(_ body: () async throws -> Value) async throws(OriginProblem) -> Value {
        do {
            do {
                return try await body()
            } catch let error as PostgresError where error.isOfConnection || error.isUnknownCommit {
                return try await body()
            }
        } catch {
            throw OriginProblem(of: error)
        }
    }
}

extension OriginProblem {
    /// The answer to an error: the problem itself, 503 where the request may succeed later, or else 500.
    init(of error: any Error) {
        switch error {
        case let problem as OriginProblem: self = problem
        case let error as PostgresError where error.isTemporary || error == .closed:
            self.init(status: 503, message: "The content cannot be used now", retryAfter: 1)
        case let error as PostgresError where error.isUnknownCommit:
            self.init(status: 503, message: "The change may have been made, or not", retryAfter: 1)
        case PostgresError.statement(let state, _) where state.hasPrefix("LR"):
            self.init(status: 422, message: "The database refuses the row by its rules (\(state))")
        case PostgresError.statement(state: "22021", _):
            self = .invalidRequest("A text with U+0000 is the name of nothing")
        case is CancellationError: self.init(status: 503, message: "The server is stopping", retryAfter: 1)
        // The text of an error of the database may have content of rows.
        default: self.init(status: 500, message: "The content cannot be read")
        }
    }
}

extension OriginQuery {
    /// The head that a replica must have replayed before it may answer: that of the token or cursor.
    fileprivate func neededHead(_ signer: TicketSigner) -> SyncHead? {
        switch start {
        case .bootstrap: nil
        case .token(let text, _), .cursor(let text, _):
            signer.ticket(text).map { SyncHead(sequence: $0.bound, removedThrough: 0, epoch: $0.epoch) }
        }
    }
}

/// The database has other rules for a group than ``PostgresOrigin/open(_:replica:groups:bootstrapAge:now:)`` was given.
public struct GroupRulesConflict: Error, Hashable, Sendable, CustomStringConvertible {
    /// The name of the group.
    public let group: String

    /// A description in one line.
    public var description: String {
        "The database has other rules for the group \(group) than this program; rows were stored by them."
    }
}
#endif
