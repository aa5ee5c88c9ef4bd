#if Postgres
/// The tables of this module, in the schema `larder` of the database, and the steps that make them.
///
/// A step is never changed once it was released: a later one changes what it has made.
enum PostgresSchema {
    /// The version of the tables after all steps.
    static var version: Int64 { Int64(steps.count) }

    /// The statements of each step.
    private static let steps: [[String]] = [keys, contentTables + contentChecks + contentLog + contentCommands]

    /// Keys with their responses, by the time at which they expire, and the requests that are running.
    ///
    /// docs/internals/idempotency.md, "Stores".
    private static let keys = [
        """
        CREATE TABLE larder.keys (
            account bytea NOT NULL, key text COLLATE "C" NOT NULL, expires_at bigint NOT NULL,
            lease bigint NOT NULL, record bytea NOT NULL,
            PRIMARY KEY (account, key, expires_at)) PARTITION BY RANGE (expires_at)
        """,
        """
        CREATE UNLOGGED TABLE larder.leases (
            account bytea NOT NULL, key text COLLATE "C" NOT NULL, number bigint NOT NULL, ends_at bigint NOT NULL,
            fingerprint_1 bigint NOT NULL, fingerprint_2 bigint NOT NULL,
            PRIMARY KEY (account, key))
        """,
    ]

    /// The first numbers of this module's advisory locks: those of keys, and the one for changes of tables.
    static let keyLocks: Int64 = 0x4C61_7264
    static let changeLocks: Int64 = 0x4C61_7265

    /// Waits until no other transaction changes tables; the lock ends with the transaction.
    static func lockTables(_ transaction: inout PostgresTransaction) throws(PostgresError) {
        try transaction.query("SELECT pg_advisory_xact_lock($1::int, 0)", [.integer(changeLocks)])
    }

    /// Makes the tables, or brings those of an older version up to date, unless that is done.
    ///
    /// - Throws: ``PostgresError/unsupportedSchema(found:supported:)`` for tables of a newer version;
    ///   ``PostgresError/invalidSetting(_:)`` for a database of another encoding than UTF8;
    ///   ``PostgresError/statement(state:message:)``, as 42501 without the right to create a schema.
    static func migrate(_ transaction: inout PostgresTransaction) throws(PostgresError) {
        try checkEncoding(&transaction)
        // Another server may be doing this.
        try lockTables(&transaction)
        let found = try version(in: &transaction)
        guard found <= version else { throw .unsupportedSchema(found: found, supported: version) }
        if found == version { return }
        if found == 0 {
            try transaction.execute("CREATE SCHEMA IF NOT EXISTS larder")
            try transaction.execute("CREATE TABLE larder.version (number bigint NOT NULL)")
            try transaction.execute("INSERT INTO larder.version VALUES (0)")
        }
        for statement in steps[Int(found)...].joined() { try transaction.execute(statement) }
        try transaction.execute("UPDATE larder.version SET number = $1", [.integer(version)])
    }

    /// Throws unless the database can have every text: JSON names letters by numbers that another encoding may lack.
    private static func checkEncoding(_ transaction: inout PostgresTransaction) throws(PostgresError) {
        let encoding = try transaction.query("SHOW server_encoding").first?.text(0) ?? ""
        guard encoding == "UTF8" else {
            throw .invalidSetting(
                "The database has the encoding \(encoding): create one with ENCODING 'UTF8' TEMPLATE template0.")
        }
    }

    /// Returns the version of the tables; 0 where there are none.
    private static func version(in transaction: inout PostgresTransaction) throws(PostgresError) -> Int64 {
        let table = try transaction.query("SELECT to_regclass('larder.version') IS NOT NULL")
        guard try table.first?.bool(0) == true else { return 0 }
        return try transaction.query("SELECT number FROM larder.version").first?.integer(0) ?? 0
    }
}
#endif
