public import LarderFormat

/// An event of a pass over a list, reported as it happens.
public enum ListEvent: Hashable, Sendable {
    /// A pass over a list began.
    case began(ResourceKey)
    /// A page was applied, in one commit or, without changes, in none. After the last page: one commit deleted rows
    /// that no page of the pass contained.
    case page(ResourceKey, PageRequest, ListChanges)
    /// Suspiciously many rows are missing from the list; a later pass decides.
    case unconfirmed(ResourceKey, deletions: Int, ofRows: Int)
    /// The list moved; it is walked once more.
    case moved(ResourceKey, ListMovement)
    /// The rows are those of the server.
    case finished(ListReport)
}

/// The changes of one page, or of one commit after the last page.
public struct ListChanges: Hashable, Sendable {
    /// A row that was there before and has changed.
    public struct Update: Hashable, Sendable {
        /// The row's key.
        public let key: String
        /// The sorted names of the payload's top-level members that were added, removed or changed. It is nil when the
        /// payloads are not both JSON objects, and empty when only the time of the change differs.
        public let members: [String]?
    }

    /// The keys of rows that were not there before, in the order of the page.
    public internal(set) var created: [String] = []
    /// The rows that changed, in the order of the page.
    public internal(set) var updated: [Update] = []
    /// The keys of deleted rows, in order.
    public internal(set) var deleted: [String] = []
    /// The number of items on the page whose rows were already the same.
    public internal(set) var unchanged = 0

    init() {}

    /// The changes that writing the items of a page makes, where `rows` are the stored rows.
    init(_ page: ListPage, _ rows: [RowDifference]) {
        for (item, row) in zip(page.items, rows) {
            switch row {
            case .none: created.append(item.key)
            case .same: unchanged += 1
            case .changed(let members): updated.append(Update(key: item.key, members: members))
            }
        }
    }

    /// Whether the page changes nothing.
    public var isEmpty: Bool { created.isEmpty && updated.isEmpty && deleted.isEmpty }
}

/// The results of a finished pass.
public struct ListReport: Hashable, Sendable {
    /// The list.
    public let resource: ResourceKey
    /// The number of walks over the list; more than 1 when it moved, and when missing rows had to be confirmed.
    public internal(set) var walks = 1
    /// Whether every page repeated items of the one before, so that no item that stayed can be missed.
    ///
    /// It is false where the server has pages of one size, or returns so few items that none can be repeated. The only
    /// proof is then that two walks saw the same keys.
    public internal(set) var hasOverlaps = true
    /// The number of responses received.
    public internal(set) var requests = 0
    /// The number of reads of the store: one for each response, and after a walk one for every few thousand rows.
    public internal(set) var rangeReads = 0
    /// The number of write transactions: one for each response that changed rows, and one for every few thousand rows
    /// of which some were deleted. The one that sets the mark at the end is not counted.
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
