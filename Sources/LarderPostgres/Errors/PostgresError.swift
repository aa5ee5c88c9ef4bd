#if Postgres
/// An error of the database, or of the way to it.
public enum PostgresError: Error, Hashable, Sendable {
    /// No connection could be made in time, or it was lost before a commit began; the text is libpq's. The transaction is not
    /// committed.
    case unavailable(String)
    /// The connection was lost during a commit, so that it is not known whether it happened; the text is libpq's.
    case commitUnknown(String)
    /// The server refused a statement, and rolls its transaction back. The state has five characters, such as "23505" for a row
    /// that exists already; the message may have content of rows.
    ///
    /// PostgreSQL: appendix A, "PostgreSQL Error Codes".
    case statement(state: String, message: String)
    /// All connections were in use for longer than a caller waits for one.
    case poolExhausted
    /// The pool is closed.
    case closed
    /// The tables of the database are those of a newer version of the library.
    case unsupportedSchema(found: Int64, supported: Int64)
    /// A variable of the environment, or the encoding of the database, is not what it has to be; the text names it.
    case invalidSetting(String)
    /// A value that was read is not of the kind that was requested.
    case unexpectedValue(column: Int)
}

extension PostgresError {
    /// Whether the same transaction may succeed when it is run again: it conflicts with another one.
    ///
    /// PostgreSQL: 40001 `serialization_failure`, 40P01 `deadlock_detected`, 55P03 `lock_not_available`.
    public var isConflict: Bool {
        guard case .statement(let state, _) = self else { return false }
        return ["40001", "40P01", "55P03"].contains(state)
    }

    /// Whether the connection is the cause: it was not made, was lost, or leads to a server that only reads.
    ///
    /// PostgreSQL: class 08, 57P01 to 57P05 for a server that ends or starts, 25P03 for a transaction that it has ended, 25006 `read_only_sql_transaction` of a standby.
    var isOfConnection: Bool {
        switch self {
        case .unavailable: true
        case .statement(let state, _):
            state.hasPrefix("08") || state.hasPrefix("57P0") || ["25006", "25P03"].contains(state)
        default: false
        }
    }

    /// Whether the connection was lost during the commit.
    var isUnknownCommit: Bool { if case .commitUnknown = self { true } else { false } }

    /// Whether the database cannot be used now: nothing was committed, and the same transaction may succeed later.
    ///
    /// Besides conflicts, lost connections and ``poolExhausted``: PostgreSQL's class 53 for a lack of disk space, memory or
    /// connections, and 57014 for a statement that took too long. False for ``commitUnknown(_:)``, as the transaction may be
    /// committed.
    public var isTemporary: Bool {
        switch self {
        case .poolExhausted: true
        case .statement(let state, _): isConflict || isOfConnection || state.hasPrefix("53") || state == "57014"
        default: isOfConnection
        }
    }
}

extension PostgresError: CustomStringConvertible {
    /// A description in one line, without content of rows.
    public var description: String {
        switch self {
        case .unavailable(let reason): "The database cannot be reached: \(reason)"
        case .commitUnknown(let reason): "The connection was lost during a commit, which may have happened: \(reason)"
        case .statement(let state, _): "The database refused a statement (SQLSTATE \(state))."
        case .poolExhausted: "All connections to the database were in use for too long."
        case .closed: "The connections to the database are closed."
        case .unsupportedSchema(let found, let supported):
            "The tables of the database have version \(found), and this version of the library knows \(supported) at most."
        case .invalidSetting(let reason): reason
        case .unexpectedValue(let column): "Column \(column) of a row is not of the requested kind."
        }
    }
}
#endif
