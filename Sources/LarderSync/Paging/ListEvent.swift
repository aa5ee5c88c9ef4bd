public import LarderFormat

/// What happens while a list is reconciled, as it happens.
public enum ListEvent: Hashable, Sendable {
    /// A pass over a list began.
    case began(ResourceKey)
    /// A page came and was applied, in one commit or, without changes, in none. Behind the last page: rows that no page of
    /// the pass had were deleted, in one commit.
    case page(ResourceKey, PageRequest, ListChanges)
    /// Suspiciously many rows are missing from the list; a later pass decides.
    case doubted(ResourceKey, deletions: Int, ofRows: Int)
    /// The list moved; it is walked once more.
    case moved(ResourceKey, ListMovement)
    /// The rows are those of the server.
    case finished(ListReport)
}

/// What one page changed, or one commit behind the last.
public struct ListChanges: Hashable, Sendable {
    /// A row that was there and is another now.
    public struct Update: Hashable, Sendable {
        /// The row's key.
        public let key: String
        /// The top-level members of the payload that came, went or changed, sorted; nil when the payloads are not both
        /// JSON objects, and empty when only the time of the change did.
        public let members: [String]?
    }

    /// The keys of rows that were not there before, in the order of the page.
    public internal(set) var created: [String] = []
    /// The rows that changed, in the order of the page.
    public internal(set) var updated: [Update] = []
    /// The keys of rows that are gone, in order.
    public internal(set) var deleted: [String] = []
    /// Items of the page whose rows were the same already.
    public internal(set) var unchanged = 0

    init() {}

    /// What writing the items of a page changes in the rows, `rows` being what there is of each.
    init(_ page: ListPage, _ rows: [LocalRow]) {
        for (item, row) in zip(page.items, rows) {
            switch row {
            case .none: created.append(item.key)
            case .same: unchanged += 1
            case .changed(let members): updated.append(Update(key: item.key, members: members))
            }
        }
    }

    /// Whether the page was as the rows are.
    public var isEmpty: Bool { created.isEmpty && updated.isEmpty && deleted.isEmpty }
}

/// What a finished pass did.
public struct ListReport: Hashable, Sendable {
    /// The list.
    public let resource: ResourceKey
    /// How often the list was walked; more than 1 when it moved, and when what was missing had to be confirmed.
    public internal(set) var walks = 1
    /// Whether every page repeated items of the one before, so that no item that stayed can be missed.
    ///
    /// False where the server has pages of one size, or answers so few items that none can be repeated: then two walks that
    /// saw the same are all the proof there is.
    public internal(set) var hasOverlaps = true
    /// Answers asked for and got.
    public internal(set) var requests = 0
    /// Reads of the store: one for each answer, and behind a walk one for every few thousand rows.
    public internal(set) var rangeReads = 0
    /// Write transactions: one for each answer that changed something, and one for every few thousand rows among which some
    /// were deleted. That of the mark at the end is not counted.
    public internal(set) var writes = 0
    /// Rows created.
    public internal(set) var created = 0
    /// Rows updated.
    public internal(set) var updated = 0
    /// Rows deleted.
    public internal(set) var deleted = 0

    init(_ resource: ResourceKey) {
        self.resource = resource
    }

    mutating func add(_ changes: ListChanges) {
        created += changes.created.count
        updated += changes.updated.count
        deleted += changes.deleted.count
    }
}
