internal import CSQLite

/// A table whose rows the program finds while SQLite runs a statement over them.
protocol VirtualTable: AnyObject {
    /// Its columns, as a `CREATE TABLE` statement; the name in it does not matter.
    var schema: String { get }
    /// Decides how a statement's constraints would be used. Called often, with different sets of them.
    func plan(_ request: PlanRequest) throws -> PlanResult
    /// Returns a cursor that is at no row yet.
    func makeCursor() -> any VirtualCursor
}

/// A position among the rows of a table.
protocol VirtualCursor: AnyObject {
    /// Moves to the first row of a plan.
    ///
    /// - Parameter arguments: the values that the constraints used by the plan compare with, in the order of their
    ///   positions; nil for a value that cannot be represented: the constraint then has no effect.
    func filter(plan: Int, arguments: [SQLValue?]) throws
    /// Moves to the next row.
    func next() throws
    /// Whether there is no current row.
    var isAtEnd: Bool { get }
    /// Returns a value of the current row.
    func value(ofColumn column: Int) throws -> SQLValue
}

/// A request by SQLite for a plan of a table, before it runs a statement.
struct PlanRequest {
    /// A comparison of a column with a value that is known when the cursor is filtered.
    struct Constraint {
        let column: Int
        let comparison: Comparison
        /// The collation of its texts, such as `BINARY`.
        let collation: String
        /// The value it compares with, if that is known already.
        let value: SQLValue?
        /// Whether it compares with the values of an `IN` one after the other; not known of row values.
        let isMembership: Bool
    }

    /// One term of the requested order of rows.
    struct Term {
        let column: Int
        let isDescending: Bool
    }

    /// The comparisons, nil for those that cannot be used; the positions are those of ``PlanResult/used``.
    let constraints: [Constraint?]
    /// The requested order; empty when it does not matter.
    let order: [Term]
    /// The columns that will be read: one bit each, the last for all from 63 on.
    let columns: UInt64
}

/// The comparisons that SQLite reports to a table.
enum Comparison {
    case equal, less, lessOrEqual, greater, greaterOrEqual, isNull, isNotNull, same, like, glob
}

/// The plan of a table for a request.
struct PlanResult {
    /// For each constraint of the request, whether the cursor needs its value.
    /// SQLite checks every constraint as well, except those of ``omitted``.
    var used: [Bool]
    /// For each constraint, whether the cursor returns exactly the rows that fulfil it: SQLite may leave the check out.
    var omitted: [Bool]?
    /// The number that identifies the plan to the cursor.
    var number: Int
    /// Whether the rows come in the requested order.
    var isOrdered = false
    /// The work, in rows read.
    var cost: Double
    /// The estimated number of rows that come out.
    var rows: Int64
}

extension Comparison {
    /// Creates a comparison; nil for one that no table uses.
    init?(_ code: Int32) {
        switch code {
        case SQLITE_INDEX_CONSTRAINT_EQ: self = .equal
        case SQLITE_INDEX_CONSTRAINT_LT: self = .less
        case SQLITE_INDEX_CONSTRAINT_LE: self = .lessOrEqual
        case SQLITE_INDEX_CONSTRAINT_GT: self = .greater
        case SQLITE_INDEX_CONSTRAINT_GE: self = .greaterOrEqual
        case SQLITE_INDEX_CONSTRAINT_ISNULL: self = .isNull
        case SQLITE_INDEX_CONSTRAINT_ISNOTNULL: self = .isNotNull
        case SQLITE_INDEX_CONSTRAINT_IS: self = .same
        case SQLITE_INDEX_CONSTRAINT_LIKE: self = .like
        case SQLITE_INDEX_CONSTRAINT_GLOB: self = .glob
        default: return nil
        }
    }
}
