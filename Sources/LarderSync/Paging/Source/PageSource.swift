/// A source of the pages of one list, for any server interface.
///
/// A page is a stretch of the list at one point in time, and other pages may be of other times. Items that the
/// server hides are not in the list and have no place in it. A source may return fewer items than requested; the next
/// ones are then requested.
///
/// - By offset, the list may be in any order that is the same for every page. The source returns any size up to the one
///   that the list is walked with, because pages overlap by a few items; otherwise set
///   ``ListConfiguration/hasFixedPages``. Walks by very few items may request some more.
/// - By key, the list is in the store's order: decimal numbers first, by value, then other keys by their UTF-8 bytes;
///   or in the order of the bytes alone.
public protocol PageSource: Sendable {
    /// The way places in the list are named.
    var paging: Paging { get }

    /// Returns one page.
    ///
    /// - Throws: any error that prevents it; it becomes ``ListError/source(_:)``.
    func page(_ request: PageRequest) async throws -> ListPage
}

/// The way a server lets a client name a place in a list.
public enum Paging: String, Hashable, Sendable {
    /// By counting from the start. Items added or removed in front of a place move it.
    case offset
    /// By the key before it. Nothing moves it, and no page has to be requested twice: prefer it where it is offered.
    case keyset
}

/// One item of a list, which becomes one row.
public struct ListItem: Hashable, Sendable {
    /// The key that distinguishes it from the others of its list.
    public var key: String
    /// The payload of its row. It replaces the row's payload as a whole, but for the members that the list keeps
    /// (``ListConfiguration/localMembers``).
    public var payload: [UInt8]
    /// The time of the server's last change, in milliseconds since 1970-01-01 UTC; nil where the server does not say.
    public var updatedAt: Int64?

    /// An item of the given parts.
    public init(key: String, payload: [UInt8], updatedAt: Int64? = nil) {
        self.key = key
        self.payload = payload
        self.updatedAt = updatedAt
    }
}

/// The server's response to a ``PageRequest``.
public struct ListPage: Hashable, Sendable {
    /// The items, in the order of the list.
    public var items: [ListItem]
    /// Whether items follow; nil where the server does not say. False alone does not delete rows, except with
    /// ``ListConfiguration/Guard/Policy/trust``.
    public var hasMore: Bool?
    /// The number of all items of the list; nil where the server does not say. It has precedence over ``hasMore``.
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
