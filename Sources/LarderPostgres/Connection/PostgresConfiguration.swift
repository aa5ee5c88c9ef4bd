#if Postgres
/// The address of a database, and the limits of the connections to it.
public struct PostgresConfiguration: Hashable, Sendable {
    /// libpq's connection string or URI, with its `sslmode`, several hosts and `target_session_attrs`.
    ///
    /// What it leaves out is read from the variables of the environment that libpq knows, such as `PGPASSWORD`. Each host
    /// has 5 seconds to accept a connection, unless this has a `connect_timeout`.
    public var connection: String
    /// The most connections, 1 or more; each has a thread while it is used.
    public var connections: Int
    /// The longest time that a caller waits while all connections are in use.
    public var patience: Duration
    /// The longest time that one statement may take, a commit included, in milliseconds; 1 or more.
    public var statementLimit: Int32

    /// Creates a configuration of these values.
    ///
    /// ```swift
    /// let configuration = PostgresConfiguration("postgresql://shop@db1,db2/shop?target_session_attrs=read-write")
    /// let pool = PostgresPool(configuration)
    /// pool.close()
    /// ```
    public init(
        _ connection: String, connections: Int = 8, patience: Duration = .seconds(5), statementLimit: Int32 = 10_000
    ) {
        self.connection = connection
        self.connections = connections
        self.patience = patience
        self.statementLimit = statementLimit
    }

    /// Reads a configuration out of the variables of an environment; each has its default.
    ///
    /// | variable | value |
    /// | --- | --- |
    /// | `LARDER_DATABASE` | ``connection``; libpq's own variables, such as `PGHOST`, complete it |
    /// | `LARDER_DATABASE_CONNECTIONS` | ``connections`` |
    /// | `LARDER_DATABASE_PATIENCE` | ``patience``, in seconds |
    /// | `LARDER_DATABASE_STATEMENT_LIMIT` | ``statementLimit``, in milliseconds |
    ///
    /// ```swift
    /// let configuration = try PostgresConfiguration(environment: ProcessInfo.processInfo.environment)
    /// ```
    ///
    /// - Throws: ``PostgresError/invalidSetting(_:)``, which names the variable and what it has to be.
    public init(environment: [String: String]) throws(PostgresError) {
        func number(_ name: String, _ default: Int64, upTo limit: Int64) throws(PostgresError) -> Int64 {
            guard let text = environment[name] else { return `default` }
            guard let number = Int64(text), (1...limit).contains(number) else {
                throw .invalidSetting("\(name) is \"\(text)\", and has to be a number of 1 to \(limit).")
            }
            return number
        }
        self.init(
            environment["LARDER_DATABASE"] ?? "",
            connections: Int(try number("LARDER_DATABASE_CONNECTIONS", 8, upTo: 1000)),
            patience: .seconds(try number("LARDER_DATABASE_PATIENCE", 5, upTo: 3600)),
            statementLimit: Int32(try number("LARDER_DATABASE_STATEMENT_LIMIT", 10_000, upTo: 3_600_000)))
    }
}
#endif
