/// The positions of the columns of a table.
enum ColumnLayout {
    /// The most declared columns; SQLite's limit of all columns is 2000.
    static let mostDeclared = 1000
    /// The columns of every table, in lower case.
    static let ownNames = ["key", "updated_at", "payload", "resource_group", "resource_id"]

    /// A column by its meaning.
    enum Column: Hashable {
        case key
        /// The declared column at this position.
        case declared(Int)
        case updatedAt, payload, resourceGroup, resourceID
    }

    /// Returns the column at `index` of a table with `declared` columns of its own.
    static func column(_ index: Int, declared: Int) -> Column? {
        if index == 0 { return .key }
        if index < 0 { return nil }
        switch index - declared {
        case ...0: return .declared(index - 1)
        case 1: return .updatedAt
        case 2: return .payload
        case 3: return .resourceGroup
        case 4: return .resourceID
        default: return nil
        }
    }

    /// Returns the `CREATE TABLE` statement for SQLite.
    ///
    /// The key has numeric affinity because rows refer to decimal keys by JSON numbers. SQLite converts nothing when it
    /// compares a TEXT column with an untyped one, so that `item.category = category.key` would be false for 5 and
    /// `'5'`.
    static func schema(of table: TableDefinition) -> String {
        let declared = table.columns.map { column in
            "\(column.name.quotedName) \(column.affinity.rawValue) COLLATE \(column.collation.rawValue)"
        }
        let columns =
            ["\"key\" NUMERIC NOT NULL"] + declared + [
                "updated_at INTEGER HIDDEN", "payload HIDDEN", "resource_group TEXT HIDDEN",
                "resource_id INTEGER HIDDEN", "PRIMARY KEY (resource_group, resource_id, \"key\")",
            ]
        return "CREATE TABLE rows(\(columns.joined(separator: ", "))) WITHOUT ROWID"
    }
}

extension String {
    /// The text as a quoted name of SQL.
    var quotedName: String {
        "\"" + split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"") + "\""
    }
}
