/// A request for one stretch of a list.
public enum PageRequest: Hashable, Sendable {
    /// The page with number `index`, counted from 0, where every page has `size` items.
    case offset(index: Int, size: Int)
    /// The first `size` items after the key `after`; nil is the start of the list.
    case keyset(after: String?, size: Int)

    /// The largest number of items in the response; 1 or more.
    public var size: Int {
        switch self {
        case .offset(_, let size), .keyset(_, let size): size
        }
    }
}
