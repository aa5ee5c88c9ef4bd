/// The work that a query did.
public struct QueryFacts: Hashable, Sendable {
    /// The access to one table of the statement.
    public struct TableUse: Hashable, Sendable {
        /// The way in which rows are found.
        public enum Access: Hashable, Sendable {
            /// All rows are read.
            case scan
            /// Rows are looked up by their key.
            case key
            /// Rows are found by an index, which has this name.
            case index(String)
            /// Rows are found by their words.
            case words
        }

        /// The table.
        public let table: String
        /// The way in which its rows were found.
        public let access: Access
        /// Whether they came in the order that the statement requests, so that nothing was sorted.
        public let isOrdered: Bool
    }

    /// The number of row reads from the store; before a search, also those of only the checksum.
    public internal(set) var rowsVisited = 0
    /// The number of rows whose words were put into the index of words before it was searched.
    public internal(set) var rowsIndexed = 0
    /// The number of index entries that were read.
    public internal(set) var entriesVisited = 0
    /// Whether the statement was compiled before, for the same indexes and resources.
    public internal(set) var usedCachedStatement = false
    /// The accesses to tables, in the order in which they began.
    public internal(set) var uses: [TableUse] = []

    /// Whether an index, the key or the index of words was used.
    public var usesIndex: Bool { uses.contains { $0.access != .scan } }
}

extension QueryFacts: CustomStringConvertible {
    /// The facts in plain words, on one line:
    /// `items by the index "by price", in the wanted order; 50 rows, 51 entries read`.
    public var description: String {
        let tables = uses.map { use in
            let found =
                switch use.access {
                case .scan: "row by row"
                case .key: "by key"
                case .index(let name): "by the index \"\(name)\""
                case .words: "by words"
                }
            return "\(use.table) \(found)" + (use.isOrdered ? ", in the wanted order" : "")
        }
        let indexed = rowsIndexed > 0 ? ", words of \(rowsIndexed) rows indexed" : ""
        let counts = "\(rowsVisited) rows, \(entriesVisited) entries read" + indexed
        return (tables + [counts] + (usedCachedStatement ? ["compiled before"] : [])).joined(separator: "; ")
    }
}
