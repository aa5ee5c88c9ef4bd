import LarderEngine
import LarderFormat

/// The store of a server that keeps its data in LMDB: effect, key and answer are one commit of one file.
///
/// Handlers get a ``ServerTransaction`` over tables of the host's own in the same file. Effects run one after the other
/// on one thread, so keep them short; they are not asynchronous, so that no transaction waits for anything.
///
/// Several processes may open the same directory. Leases are known to their own process only; that a key is executed
/// once is decided by the commit, for all of them.
public final class LMDBIdempotencyStore: IdempotencyStore {
    /// What a handler does; it may run more than once when the file grows. It must not use the store itself.
    public typealias Effect = @Sendable (inout ServerTransaction) throws -> ServerAnswer

    /// The most tables that a host may name.
    public static let mostTables = 16 - KeyTables.names.count
    /// How many expired answers one execution removes: more than one, so that they never pile up.
    public static let evictedAtOnce = 8

    let environment: Environment
    let tables: KeyTables
    let hostTables: [String: Table]
    let leases = LeaseBook()

    init(_ environment: Environment, hostTables names: [String]) {
        self.environment = environment
        tables = KeyTables(environment)
        var hostTables: [String: Table] = [:]
        for name in names { hostTables[name] = environment.table(name) }
        self.hostTables = hostTables
    }

    /// Opens the store in the directory at `path`, which is made when it is not there.
    ///
    /// - Parameters:
    ///   - names: The tables that handlers use, at most ``mostTables``; none may begin with `larder.`.
    ///   - sizeCap: How large the file may become, in bytes.
    /// - Throws: ``IdempotencyError/notAKeyStore``, ``IdempotencyError/unsupportedFormat(_:)``; what the engine throws.
    public static func open(
        at path: String, tables names: [String], sizeCap: Int = 64 << 30
    ) throws -> LMDBIdempotencyStore {
        precondition(names.count <= mostTables, "\(names.count) tables, and at most \(mostTables) are allowed")
        precondition(!names.contains { $0.hasPrefix(KeyTables.reservedPrefix) }, "a table has a reserved name")
        let options = EnvironmentOptions(
            tables: KeyTables.names + names, mapSize: sizeCap, mapSizeCap: sizeCap)
        let environment = try Environment.open(
            path: path, options: options,
            initialize: { transaction, tables in
                guard let meta = tables[KeyTables.metaName] else {
                    preconditionFailure("a table that was asked for is missing")
                }
                try KeyTables.writeFormat(&transaction, meta)
            },
            inspect: { transaction, tables in
                // Before the missing tables are made: the file may be another program's.
                guard let meta = tables[KeyTables.metaName] else { throw IdempotencyError.notAKeyStore }
                try KeyTables.checkFormat(transaction, meta)
                return true
            })
        return LMDBIdempotencyStore(environment, hostTables: names)
    }

    /// Closes the file after the executions under way. Blocks.
    public func close() throws {
        try environment.close()
    }

    /// How many answers are kept, expired ones included until they are evicted.
    public func answerCount() throws -> Int {
        try environment.read { try $0.statistics(of: tables.keys).entries }
    }

    /// Looks up a key in memory and in the last commit. Blocks for the length of a lookup.
    public func claim(
        _ key: IdempotencyKey, for fingerprint: RequestFingerprint, at now: Int64, leaseEnd: Int64
    ) async throws -> IdempotencyClaim {
        let record = try environment.read { try tables.record(KeyTables.answerKey(key), in: $0) }
        if let record, record.isRemembered(at: now) {
            return record.fingerprint == fingerprint ? .replay(record.answer) : .mismatch
        }
        return leases.take(key, for: fingerprint, at: now, end: leaseEnd)
    }

    /// Ends a lease without an answer.
    public func release(_ lease: IdempotencyLease) async {
        leases.end(lease)
    }
}
