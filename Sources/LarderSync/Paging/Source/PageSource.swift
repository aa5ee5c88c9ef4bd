/// Answers requests for pages of one list: whatever the server's interface looks like.
///
/// A page is a stretch of the list as it was at one moment; moments of different pages may differ. What the server hides is
/// not in the list and takes no place in it. A source that counts may answer in any order, as long as it is the same for
/// every page; it answers any size up to the one that the list is walked with, because pages overlap by a few items, or is
/// one with ``ListConfiguration/hasFixedPages``. Walks by very few items may ask for some more. A source that goes on behind
/// a key answers in the store's order, decimal numbers first, by value, then other keys by their UTF-8 bytes; or in the
/// order of the bytes alone. A source may answer fewer items than asked for, and then is asked for the next ones.
public protocol PageSource: Sendable {
    /// How places in the list are named.
    var paging: Paging { get }

    /// Asks for one page.
    ///
    /// - Throws: whatever keeps the page from being had; it becomes ``ListError/source(_:)``.
    func page(_ request: PageRequest) async throws -> ListPage
}

/// How a server lets a client name a place in a list.
public enum Paging: String, Hashable, Sendable {
    /// By counting from the start. What comes or goes in front of a place moves it.
    case offset
    /// By the key before it. Nothing moves it, and no page has to be asked for twice: prefer it where it is offered.
    case keyset
}

/// One item of a list, which becomes one row.
public struct ListItem: Hashable, Sendable {
    /// What tells it from the others of its list.
    public var key: String
    /// The payload of its row. It replaces the row's payload as a whole, but for the members that the list keeps
    /// (``ListConfiguration/keptMembers``).
    public var payload: [UInt8]
    /// When the server last changed it, in milliseconds since 1970-01-01 UTC; nil where the server does not say.
    public var updatedAt: Int64?

    /// An item of the given parts.
    public init(key: String, payload: [UInt8], updatedAt: Int64? = nil) {
        self.key = key
        self.payload = payload
        self.updatedAt = updatedAt
    }
}

/// What a server answered to a ``PageRequest``.
public struct ListPage: Hashable, Sendable {
    /// The items, in the order of the list.
    public var items: [ListItem]
    /// Whether items follow; nil where the server does not say. Nothing is deleted on its word that none do, except where
    /// ``ListConfiguration/Guard/Policy/trust`` says so.
    public var hasMore: Bool?
    /// The number of all items of the list; nil where the server does not say. It is believed rather than ``hasMore``.
    public var total: Int?

    /// A page of the given parts.
    public init(items: [ListItem], hasMore: Bool? = nil, total: Int? = nil) {
        self.items = items
        self.hasMore = hasMore
        self.total = total
    }

    /// Whether the server says that items follow, and not how many.
    var saysMore: Bool { hasMore == true && total == nil }

    /// Whether the server says where the list ends: that nothing follows, or how many items there are.
    var saysEnd: Bool { hasMore == false || total != nil }
}
