/// The result of a statement.
public struct QueryAnswer: Sendable {
    /// The names of its columns.
    public let columns: [String]
    /// Its rows, in order.
    public let rows: [QueryRow]
    /// The work that the statement did.
    public let facts: QueryFacts
}

/// One row of a result.
public struct QueryRow: Sendable {
    let names: ColumnNames
    /// The values, in the order of the columns.
    public let values: [SQLValue]

    /// The value of the column at `index`.
    public subscript(index: Int) -> SQLValue { values[index] }

    /// Returns the value of the first column of that name, ASCII letters in either case; nil when there is none.
    public subscript(name: String) -> SQLValue? { names.index(of: name).map { values[$0] } }
}
