/// The reason a query failed.
///
/// Errors of the store while a statement runs, such as `StoreError.damaged(table:reason:)`, are thrown as they are.
///
/// ```swift
/// do {
///     print(try cache.rows(Product.self, where: "weight < \(50)").count)
/// } catch QueryError.unknownColumn(let name, _) {
///     print("RowSchema.columns of Product lacks", name)  // weight: a mistake in the program
/// }
/// ```
public enum QueryError: Error, Equatable, Sendable {
    // While a statement is prepared.

    /// SQLite does not understand the statement; the offset is in bytes of UTF-8.
    case syntax(message: String, offset: Int?)
    /// There is no such table.
    case unknownTable(String, offset: Int?)
    /// No table in the statement has such a column, or more than one has.
    case unknownColumn(String, offset: Int?)
    /// The text holds no statement, or more than one.
    case notOneStatement
    /// The statement does something else than read.
    case notAllowed(String)
    /// The statement has another number of parameters than values were given.
    case argumentCount(expected: Int, given: Int)
    /// Objects of this table are kept in memory only, so that there are no rows to query.
    case memoryOnly(table: String)

    // While it runs.

    /// The statement was stopped before its end.
    case interrupted(Interruption)
    /// A value cannot be computed, such as `json_extract` of a text that is no JSON.
    case evaluation(message: String)
    /// The statement needs more memory than it may have.
    case tooLarge(String)
    /// The index of words cannot be used.
    case searchUnavailable(message: String)

    // While tables are declared.

    /// The definition of a table is invalid: the reason in one sentence.
    case definition(String)
}

extension QueryError {
    /// The reason a statement was stopped.
    public enum Interruption: Hashable, Sendable {
        /// Its task was cancelled.
        case cancelled
        /// The statement exceeded its limit of steps.
        case stepLimit(Int)
    }
}

extension QueryError: CustomStringConvertible {
    /// The error in one line; quotes names out of the statement.
    public var description: String {
        switch self {
        case .syntax(let message, let offset): "The statement cannot be understood: \(message)\(place(offset))"
        case .unknownTable(let name, let offset): "There is no table \(name)\(place(offset))"
        case .unknownColumn(let name, let offset): "The column \(name) is not there or not unique\(place(offset))"
        case .notOneStatement: "The text has to be one statement."
        case .notAllowed(let what): "A query may only read: \(what)"
        case .argumentCount(let expected, let given):
            "The statement has parameters for \(expected) values; \(given) were given."
        case .memoryOnly(let table): "Objects of \(table) are kept in memory only and cannot be queried in SQL."
        case .interrupted(.cancelled): "The query was cancelled."
        case .interrupted(.stepLimit(let limit)): "The query ran more than \(limit) steps."
        case .evaluation(let message): "A value cannot be worked out: \(message)"
        case .tooLarge(let message): "The query needs too much memory: \(message)"
        case .searchUnavailable(let message): "Words cannot be searched for: \(message)"
        case .definition(let reason): "The table cannot be declared: \(reason)"
        }
    }

    private func place(_ offset: Int?) -> String { offset.map { " (at byte \($0))" } ?? "" }
}

extension QueryError {
    /// Creates an error from a report of SQLite, by what the caller can do about it.
    init(_ failure: SQLiteFailure) {
        func name(behind prefix: String) -> String? {
            failure.message.hasPrefix(prefix) ? String(failure.message.dropFirst(prefix.count)) : nil
        }
        if failure.isDenied {
            self = .notAllowed(failure.message)
        } else if failure.isTooBig {
            self = .tooLarge(failure.message)
        } else if let table = name(behind: "no such table: ") {
            self = .unknownTable(table, offset: failure.offset)
        } else if let column = name(behind: "no such column: ") ?? name(behind: "ambiguous column name: ") {
            self = .unknownColumn(column, offset: failure.offset)
        } else {
            self = .syntax(message: failure.message, offset: failure.offset)
        }
    }
}
