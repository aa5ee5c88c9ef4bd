public import LarderFormat
public import LarderJSON

/// A table for queries: the rows of one type, of one resource or of all resources of a group.
///
/// Beside the declared columns every table has
///
/// | column | type | |
/// | --- | --- | --- |
/// | `key` | NUMERIC | the row's key as text; the first column. Comparisons treat decimal keys as numbers |
/// | `updated_at` | INTEGER | when the server last changed the row, in milliseconds since 1970-01-01 UTC |
/// | `payload` | | the whole payload: TEXT when it is JSON, so that `json_extract` reads it, else a BLOB |
/// | `resource_group`, `resource_id` | TEXT, INTEGER | the resource that the row belongs to |
///
/// The last four are hidden: `SELECT *` leaves them out. A value has the type that it has in the payload. A comparison
/// converts it as ``ColumnDefinition/affinity-swift.property`` says; without one, `5` is not `'5'`. `key` has numeric
/// affinity, so that `key = 5` and `key = '5'` find the row `5`, and a column with the text `'5'` joins with it.
///
/// As in SQLite everywhere, a text that spells a number then equals every key that spells that number: `key = '7'`
/// finds `007` too. Where keys may be spelled so (`007`, `12e3`, 20 digits), `key IS ?1 AND key || '' = ?1` finds the
/// one of that spelling. With `=` in place of `IS` it would not, since SQLite substitutes the number for the column.
public struct TableDefinition: Sendable {
    /// The resources whose rows a table shows.
    public enum Scope: Hashable, Sendable {
        /// One resource.
        case resource(ResourceKey)
        /// Every resource of a group.
        case group(String)
    }

    /// The name in statements; ASCII letters are the same in either case.
    public let name: String
    /// The resources whose rows it shows.
    public let scope: Scope
    /// The type of its rows.
    public let type: String
    /// The columns read out of payloads.
    public let columns: [ColumnDefinition]
    /// The columns whose words ``StoreQuery/search(_:_:_:)`` finds.
    public let searched: [SearchField]
    /// The definition of a word in them.
    public let tokenizer: Tokenizer
    /// Whether its rows can be queried; false for objects that are kept in memory only.
    let isPersistent: @Sendable () -> Bool

    /// Declares a table.
    ///
    /// - Parameters:
    ///   - name: the name in statements.
    ///   - scope: the resources whose rows it shows.
    ///   - type: the type of its rows.
    ///   - columns: the columns read out of payloads.
    ///   - searched: the columns whose words can be searched for.
    ///   - tokenizer: the definition of a word in them.
    ///   - isPersistent: called before each query; false makes it fail with ``QueryError/memoryOnly(table:)``.
    /// - Throws: ``QueryError/definition(_:)`` for a name that is empty, reserved or used twice, or holds a zero byte,
    ///   for more than 1000 columns, and for a searched field that is no column.
    public init(
        _ name: String, of scope: Scope, type: String, columns: [ColumnDefinition], searched: [SearchField] = [],
        tokenizer: Tokenizer = .words, isPersistent: @escaping @Sendable () -> Bool = { true }
    ) throws(QueryError) {
        try Self.check(name, what: "table")
        if Self.isReserved(name) { throw .definition("the name \(name) is SQLite's own") }
        if columns.count > ColumnLayout.mostDeclared { throw .definition("\(name) has too many columns") }
        var names = Set(ColumnLayout.ownNames)
        for column in columns {
            try Self.check(column.name, what: "column")
            if !names.insert(column.name.asciiLowercased).inserted {
                throw .definition("the column \(column.name) of \(name) is there already")
            }
        }
        for field in searched {
            let isColumn = columns.contains { $0.name.asciiLowercased == field.column.asciiLowercased }
            if !isColumn { throw .definition("\(name) has no column \(field.column) to search") }
        }
        self.name = name
        self.scope = scope
        self.type = type
        self.columns = columns
        self.searched = searched
        self.tokenizer = tokenizer
        self.isPersistent = isPersistent
    }

    private static func check(_ name: String, what: String) throws(QueryError) {
        if name.isEmpty { throw .definition("a \(what) has no name") }
        if name.utf8.contains(0) { throw .definition("the name of a \(what) holds a zero byte") }
    }

    /// The name of the table of every collection's members.
    static let collectionMembers = "collection_members"

    private static func isReserved(_ name: String) -> Bool {
        let lower = name.asciiLowercased
        if lower == collectionMembers { return true }
        return lower.hasPrefix("sqlite_") || lower.hasPrefix("pragma_") || lower.hasPrefix("json_")
    }
}

/// A column of a table: a value out of each payload.
public struct ColumnDefinition: Hashable, Sendable {
    /// The comparison of the texts of a column where a statement specifies none.
    public enum Collation: String, Hashable, Sendable {
        /// Byte by byte.
        case binary = "BINARY"
        /// With ASCII letters the same in either case.
        case nocase = "NOCASE"
    }

    /// The conversion of the values that are compared with a column. SQLite, "Type Conversions Prior To Comparison".
    public enum Affinity: String, Hashable, Sendable {
        /// None: a number is never equal to a text, and less than each.
        case none = ""
        /// Texts that spell a number are compared as that number.
        case numeric = "NUMERIC"
        /// Numbers are compared as the text that spells them.
        case text = "TEXT"
    }

    /// The name in statements.
    public let name: String
    /// The path of the value in the payload.
    public let path: JSONPath
    /// The comparison of its texts.
    public let collation: Collation
    /// The conversion of the values that are compared with it.
    public let affinity: Affinity

    /// Declares a column.
    ///
    /// - Parameters:
    ///   - name: the name in statements.
    ///   - path: such as `$.address.city`; nil is the member of the column's own name.
    ///   - collation: the comparison of its texts where a statement specifies none.
    ///   - affinity: the conversion of the values that are compared with it.
    /// - Throws: ``QueryError/definition(_:)`` for an invalid path.
    public init(
        _ name: String, path: String? = nil, collation: Collation = .binary, affinity: Affinity = .none
    ) throws(QueryError) {
        guard let path = JSONPath(path ?? "$.\"\(name)\"") else {
            throw .definition("\(path ?? name) is no path to a value")
        }
        self.name = name
        self.path = path
        self.collation = collation
        self.affinity = affinity
    }
}
