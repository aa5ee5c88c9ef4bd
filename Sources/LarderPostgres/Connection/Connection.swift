#if Postgres
internal import Dispatch
internal import Logging
internal import Metrics

/// One connection of a pool, with the queue whose thread its calls block.
///
/// Sendable: the pool passes it to one job at a time, which runs on its queue; nothing else touches what is mutable here. An actor
/// would suspend between the statements of a transaction.
final class Connection: @unchecked Sendable {
    let queue = DispatchQueue(label: "larder.postgres")
    private let configuration: PostgresConfiguration
    private let metrics: PoolMetrics
    private let logger: Logger
    private var session: Session?
    /// Whether the last attempt to connect has failed.
    private var isUnreachable = false
    /// The conflict that a statement of the transaction has met.
    private(set) var conflict: PostgresError?

    init(_ configuration: PostgresConfiguration, _ metrics: PoolMetrics, _ logger: Logger) {
        self.logger = logger
        self.configuration = configuration
        self.metrics = metrics
    }

    /// Connects, unless there is a connection that the server has not closed meanwhile.
    ///
    /// - Throws: ``PostgresError/unavailable(_:)``.
    func open() throws(PostgresError) {
        if session?.isAlive == true { return }
        if session != nil { noteLoss("The server has closed it.") }
        session = nil
        do {
            session = try Session(configuration.connection, statementLimit: configuration.statementLimit)
            isUnreachable = false
        } catch {
            // Once for an outage: callers try again and again.
            if !isUnreachable { logger.warning("PostgreSQL cannot be reached", metadata: ["error": "\(error)"]) }
            isUnreachable = true
            throw error
        }
    }

    private func noteLoss(_ reason: String) {
        metrics.lost.increment()
        logger.warning("lost a connection to PostgreSQL", metadata: ["error": "\(reason)"])
    }

    /// Runs one statement. A connection that is lost is not made anew: its transaction and locks are lost too.
    ///
    /// - Throws: ``PostgresError/statement(state:message:)``, ``PostgresError/unavailable(_:)``.
    @discardableResult
    func run(_ sql: String, _ parameters: [PostgresValue] = []) throws(PostgresError) -> (
        rows: [PostgresRow], tag: String
    ) {
        guard let session else { throw .unavailable("The connection was lost.") }
        do {
            return try session.run(sql, parameters)
        } catch {
            // Also one to a server that only reads now: the next connection may lead to another.
            if error.isOfConnection {
                self.session = nil
                noteLoss(error.description)
            }
            if error.isConflict { conflict = conflict ?? error }
            throw error
        }
    }

    /// Throws ``PostgresError/statement(state:message:)`` where a closure has ended its transaction: further statements would
    /// be committed one by one.
    func checkTransaction() throws(PostgresError) {
        guard let session else { throw .unavailable("The connection was lost before the commit.") }
        guard session.isInTransaction else {
            disconnect()
            throw .statement(state: "25P01", message: "A statement has ended the transaction.")
        }
    }

    /// Commits.
    ///
    /// - Throws: ``PostgresError/commitUnknown(_:)`` when the connection is lost; ``PostgresError/statement(state:message:)``,
    ///   after which nothing is committed.
    func commit() throws(PostgresError) {
        try checkTransaction()
        let tag: String
        do {
            tag = try run("COMMIT").tag
        } catch let error where error.isOfConnection {
            throw .commitUnknown(error.description)
        }
        // After a failed statement whose error was ignored, the server rolls back and reports that by the tag alone.
        if tag != "COMMIT" {
            throw conflict ?? .statement(state: "25P02", message: "A statement of the transaction has failed.")
        }
    }

    /// Rolls back a transaction that a job has left open, and drops a connection that cannot be used.
    func reset() {
        conflict = nil
        guard let session else { return }
        if session.isUsable, !session.isIdle { _ = try? session.run("ROLLBACK") }
        if !session.isUsable || !session.isIdle { self.session = nil }
    }

    /// Disconnects; the server rolls an open transaction back and releases its locks.
    func disconnect() { session = nil }
}
#endif
