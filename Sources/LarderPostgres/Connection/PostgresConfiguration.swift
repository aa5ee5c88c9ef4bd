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
}
#endif
