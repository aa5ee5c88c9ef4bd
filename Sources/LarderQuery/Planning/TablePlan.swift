internal import LarderJSON
internal import LarderStore

/// One way of reading a table that SQLite may choose for a statement.
final class TablePlan {
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
    /// Whether the entries of the index decide alone about the constraints on its column, which SQLite does not check.
    let isExact: Bool
    let needs: ColumnNeeds
    /// Whether the rows of the whole table are only counted.
    let isCount: Bool
    /// Whether a constraint selects resources.
    let selectsResources: Bool

    init(
        _ table: TableDefinition, _ access: Access, uses: [Use], isOrdered: Bool, isReversed: Bool, isExact: Bool,
        needs: ColumnNeeds
    ) {
        self.table = table
        self.access = access
        self.uses = uses
        self.isOrdered = isOrdered
        self.isReversed = isReversed
        self.isExact = isExact
        self.needs = needs
        selectsResources = uses.contains { $0.column == .resourceID || $0.column == .resourceGroup }
        isCount = if case .scan = access { uses.isEmpty && needs.isNothing } else { false }
    }
}

/// The parts of each row that have to be read.
struct ColumnNeeds {
    /// The extractor of the declared columns that are needed.
    let extractor: JSONExtractor
    /// For each declared column, its position among the values of the extractor.
    let slots: [Int?]
    let needsPayload: Bool
    let needsKey: Bool
    /// Whether no column is read.
    let isNothing: Bool

    /// The mask of the key.
    static let key: UInt64 = 1

    /// Returns SQLite's mask without a declared column; nil for a column that shares the last bit with others.
    static func mask(_ mask: UInt64, without column: Int) -> UInt64? {
        column + 1 < 63 ? mask & ~(1 << UInt64(column + 1)) : nil
    }

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
        needsKey = isWanted(0)
        needsPayload = isWanted(table.columns.count + 2)
    }
}
