import LarderEngine
import LarderFormat

/// The store of a server that keeps its data in LMDB: effect, key and response are one commit of one file.
///
/// Handlers get a ``ServerTransaction`` over the host's own tables in the same file. Effects run one after the other on
/// one thread, so keep them short. They are synchronous, so no transaction waits for other work.
///
/// Several processes may open the same directory. Leases are valid in their own process only; the commit ensures for
/// all processes that a key is executed once.
public final class LMDBIdempotencyStore: IdempotencyStore {
    /// The work of a handler; it may run more than once when the file grows. It must not use the store itself.
    public typealias Effect = @Sendable (inout ServerTransaction) throws -> IdempotentResponse

    /// The maximum number of tables that a host may name.
    public static let mostTables = 16 - KeyTables.names.count
    /// The number of expired responses that one execution removes: more than one, so that they never accumulate.
    public static let evictedAtOnce = 8

    let environment: Environment
    let tables: KeyTables
    let hostTables: [String: Table]
    let leases = LeaseTable()

    init(_ environment: Environment, hostTables names: [String]) {
        self.environment = environment
        tables = KeyTables(environment)
        var hostTables: [String: Table] = [:]
        for name in names { hostTables[name] = environment.table(name) }
        self.hostTables = hostTables
    }

    /// Opens the store in the directory at `path`, creating the directory when it does not exist.
    ///
    /// - Parameters:
    ///   - path: The directory of the store.
    ///   - names: The tables that handlers use, at most ``mostTables``; none may begin with `larder.`.
    ///   - sizeCap: The maximum size of the file, in bytes.
    /// - Throws: ``IdempotencyError/notAKeyStore``, ``IdempotencyError/unsupportedFormat(_:)``,
    ///   ``IdempotencyError/damaged(_:)``; engine errors.
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
                    preconditionFailure("a requested table is missing")
                }
                try KeyTables.writeFormat(&transaction, meta)
            },
            inspect: { transaction, tables in
                // Checked before the missing tables are created: the file may belong to another program.
                guard let meta = tables[KeyTables.metaName] else { throw IdempotencyError.notAKeyStore }
                try KeyTables.checkFormat(transaction, meta)
                return true
            })
        return LMDBIdempotencyStore(environment, hostTables: names)
    }

    /// Closes the file after the executions under way. Blocks.
    ///
    /// - Throws: Engine errors.
    public func close() throws {
        try environment.close()
    }

    /// Returns the number of responses kept, expired ones included until they are evicted.
    ///
    /// - Throws: Engine errors.
    public func responseCount() throws -> Int {
        try environment.read { try $0.statistics(of: tables.keys).entries }
    }

    /// Looks up a key in memory and in the last commit. Blocks for the length of a lookup.
    ///
    /// - Throws: ``IdempotencyError/damaged(_:)`` for the record of the key; engine errors.
    public func claim(
        _ key: IdempotencyKey, for fingerprint: RequestFingerprint, at now: Int64, leaseEnd: Int64
    ) async throws -> IdempotencyClaim {
        let record = try environment.read { try tables.record(KeyTables.responseKey(key), in: $0) }
        if let record, record.isRetained(at: now) {
            return record.fingerprint == fingerprint ? .replay(record.response) : .mismatch
        }
        return leases.acquire(key, for: fingerprint, at: now, end: leaseEnd)
    }

    /// Ends a lease without a response.
    public func release(_ lease: IdempotencyLease) async {
        leases.release(lease)
    }
}
