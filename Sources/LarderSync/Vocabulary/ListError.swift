public import LarderFormat

/// The reason a pass over a list ended early, so that the list is not complete.
///
/// Pages applied before stay, no page is ever applied in part, and no row was deleted that the server has.
public enum ListError: Error, Sendable {
    /// A page could not be fetched. For ``JSONPageSource`` the error is a ``SyncError``.
    case source(any Error)
    /// A key occurs twice on a page, or a page after a key is in neither of the orders that ``PageSource`` names.
    /// Nothing of that page was applied.
    case disorder(PageRequest)
    /// A page has more items than requested, so their places in the list are unknown. Set
    /// ``ListConfiguration/hasFixedPages`` for a server with pages of one size.
    case oversizedPage(PageRequest, count: Int)
    /// So many rows are missing from the list that it looks like a fault, and the configuration refuses to delete them.
    case refused(deletions: Int, ofRows: Int)
    /// So many rows are missing from the list that it looks like a fault. They stay until a later pass misses them,
    /// too.
    case unconfirmed(deletions: Int, ofRows: Int)
    /// The list moved during every walk. Everything applied is correct; items that were added or changed meanwhile may
    /// be missing.
    case unstable(ListMovement, walks: Int)
    /// The list is longer than the configuration allows for, or a page without items says that more follow.
    case endless(pages: Int)
    /// A pass over the same list is under way.
    case underWay(ResourceKey)
    /// The rows were withdrawn or replaced as a whole by something else while a page was about to be applied.
    case superseded(ResourceKey)
    /// The store failed, or a key does not fit it.
    case store(any Error)
    /// The pass was cancelled.
    case cancelled

    /// Whether the same pass may succeed later without anything being changed.
    public var isRetryable: Bool {
        switch self {
        case .source(let error as SyncError): error.isRetryable
        case .source, .unconfirmed, .unstable, .underWay, .superseded: true
        case .disorder, .oversizedPage, .refused, .endless, .store, .cancelled: false
        }
    }
}

/// The sign by which a pass noticed that the list moved during a walk.
public enum ListMovement: String, Hashable, Sendable {
    /// A page repeated other items of the page before than expected: items in front were added or removed.
    case overlap
    /// A page repeated none of the items before, so items in between may be missing.
    case gap
    /// The number of items differs from the total that the server states, or the server states different totals.
    case total
    /// A second walk, to confirm what is missing, saw a different list.
    case change
}

extension ListError: CustomStringConvertible {
    /// A description of the error, in one line without content.
    public var description: String {
        switch self {
        case .source(let error): "A page could not be fetched: \(error)"
        case .disorder: "A key occurs twice on a page, or keys are out of order."
        case .oversizedPage(let request, let count): "A page has \(count) items, and \(request.size) were requested."
        case .refused(let deletions, let rows): "\(deletions) of \(rows) rows are missing from the list: refused."
        case .unconfirmed(let deletions, let rows):
            "\(deletions) of \(rows) rows are missing from the list: not deleted until a later pass confirms it."
        case .unstable(let movement, let walks):
            "The list moved in each of \(walks) walks (\(movement.rawValue)): try again later."
        case .endless(let pages): "The list has no end after \(pages) pages."
        case .underWay: "The list is being reconciled already."
        case .superseded: "The rows were withdrawn or replaced meanwhile."
        case .store(let error): "The store failed: \(error)"
        case .cancelled: "The pass was cancelled."
        }
    }
}
