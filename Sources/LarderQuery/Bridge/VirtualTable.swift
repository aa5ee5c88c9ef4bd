internal import CSQLite

/// A table whose rows are found by this program while SQLite runs a statement over them.
protocol VirtualTable: AnyObject {
    /// Its columns, as a `CREATE TABLE` statement; the name in it does not matter.
    var schema: String { get }
    /// Decides how a statement's constraints would be used. Called often, with different sets of them.
    func plan(_ request: PlanRequest) throws -> PlanAnswer
    /// A cursor in front of nothing.
    func makeCursor() -> any VirtualCursor
}

/// A position among the rows of a table.
protocol VirtualCursor: AnyObject {
    /// Goes to the first row of a plan.
    ///
    /// - Parameter arguments: what the constraints used by the plan compare with, in the order of their positions; nil
    ///   for a value that cannot be represented: the constraint then says nothing.
    func filter(plan: Int, arguments: [SQLValue?]) throws
    /// Goes to the next row.
    func next() throws
    /// Whether there is no row here.
    var isAtEnd: Bool { get }
    /// A value of the row here.
    func value(ofColumn column: Int) throws -> SQLValue
}

/// What SQLite wants to know of a table before it runs a statement.
struct PlanRequest {
    /// A comparison of a column with a value that is known when the cursor is filtered.
    struct Constraint {
        let column: Int
        let comparison: Comparison
        /// How texts are compared in it, such as `BINARY`.
        let collation: String
        /// What it compares with, where that is known already.
        let value: SQLValue?
        /// Whether it compares with one value after the other of an `IN`; not known of row values.
        let isMembership: Bool
    }

    /// One term of the order that the rows are wanted in.
    struct Term {
        let column: Int
        let isDescending: Bool
    }

    /// The comparisons that can be used; the position is the place in ``PlanAnswer/used``.
    let constraints: [Constraint?]
    /// The wanted order; empty when it does not matter.
    let order: [Term]
    /// Which columns will be read: one bit each, the last standing for all from 63 on.
    let columns: UInt64
}

/// The comparisons that a table is told of.
enum Comparison {
    case equal, less, lessOrEqual, greater, greaterOrEqual, isNull, isNotNull, same, like, glob
}

/// How a table would answer.
struct PlanAnswer {
    /// For each constraint of the request, whether its value is wanted when the cursor is filtered. Every constraint is
    /// checked by SQLite as well.
    var used: [Bool]
    /// What the cursor is told.
    var number: Int
    /// Whether the rows come in the wanted order.
    var isOrdered = false
    /// The work, in rows read.
    var cost: Double
    /// The rows that come out.
    var rows: Int64
}

extension Comparison {
    /// Nil for comparisons that no table makes use of.
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
