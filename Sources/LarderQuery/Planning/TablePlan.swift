internal import LarderJSON
internal import LarderStore

/// One way of reading a table that SQLite may choose for a statement.
struct TablePlan {
    /// The way in which the rows are found.
    enum Access {
        /// Every row of the table, one after the other.
        case scan
        /// Rows by their key, or a range of keys.
        case key
        /// Rows by the entries of an index over the declared column at `column`.
        case index(SecondaryIndex, column: Int)
    }

    /// A constraint whose value the cursor receives.
    struct Use {
        let column: ColumnLayout.Column
        let comparison: Comparison
    }

    let table: TableDefinition
    let access: Access
    /// The constraints that narrow the rows, in the order of the values that the cursor receives.
    let uses: [Use]
    /// Whether the rows come in the order that the statement requests.
    let isOrdered: Bool
    /// Whether an index is read from its end.
    let isReversed: Bool
    let needs: ColumnNeeds

    /// Whether the rows are only counted.
    var isCount: Bool {
        if case .scan = access { uses.isEmpty && needs.isNothing } else { false }
    }
}

/// The parts of each row that have to be read.
struct ColumnNeeds {
    /// The extractor of the declared columns that are needed.
    let extractor: JSONExtractor
    /// For each declared column, its position among the values of the extractor.
    let slots: [Int?]
    let needsPayload: Bool
    /// Whether no column is read.
    let isNothing: Bool

    /// Creates the needs of the columns of SQLite's mask, whose last bit stands for every column from 63 on.
    init(_ mask: UInt64, of table: TableDefinition) {
        func isWanted(_ column: Int) -> Bool { mask >> UInt64(min(column, 63)) & 1 == 1 }
        var slots = [Int?](repeating: nil, count: table.columns.count)
        var paths: [JSONPath] = []
        for (index, column) in table.columns.enumerated() where isWanted(index + 1) {
            slots[index] = paths.count
            paths.append(column.path)
        }
        extractor = JSONExtractor(paths)
        self.slots = slots
        isNothing = mask == 0
        needsPayload = isWanted(table.columns.count + 2)
    }
}
