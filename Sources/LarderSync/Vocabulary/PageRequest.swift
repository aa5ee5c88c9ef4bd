/// Which stretch of a list to answer.
public enum PageRequest: Hashable, Sendable {
    /// The page of that number, counted from 0, where every page has `size` items.
    case offset(index: Int, size: Int)
    /// The first `size` items behind the key `after`; nil is the start of the list.
    case keyset(after: String?, size: Int)

    /// The most items in the answer; 1 and above.
    public var size: Int {
        switch self {
        case .offset(_, let size), .keyset(_, let size): size
        }
    }
}
