public import LarderFormat

/// Why a pass over a list ended early. Pages applied before stay, all others are untouched, and no page is ever half applied.
public enum ListError: Error, Sendable {
    /// A page could not be had. For ``JSONPageSource`` the error is a ``SyncError``.
    case source(any Error)
    /// The items of a page are not in the store's order, or a key stands twice; nothing of that page was applied.
    case disorder(PageRequest)
    /// A page has more items than were asked for, so there is no telling which places they stand at.
    case oversizedPage(PageRequest, count: Int)
    /// A page would delete so many rows that it looks like a fault, and the configuration refuses to. Not applied.
    case refused(deletions: Int, ofRows: Int)
    /// A page would delete so many rows that it looks like a fault, and the server answers differently each time.
    case unconfirmed(deletions: Int, ofRows: Int)
    /// The list moved each time it was walked. All that was applied is right; what came or changed meanwhile may be missing.
    case unsettled(ListMovement, walks: Int)
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
        case .source, .unconfirmed, .unsettled, .underWay, .superseded: true
        case .disorder, .oversizedPage, .refused, .endless, .store, .cancelled: false
        }
    }
}

/// How a pass noticed that the list moved while it was walked.
public enum ListMovement: String, Hashable, Sendable {
    /// A page began at or before the last key of the page before: something came in front.
    case overlap
    /// Two neighbouring pages turned out to have something between them, or not to be neighbours any more.
    case seam
    /// Items came behind a page that was short. If it stays so, the server answers fewer items than asked for.
    case continuation
}

extension ListError: CustomStringConvertible {
    /// What happened, in one line without content.
    public var description: String {
        switch self {
        case .source(let error): "A page could not be had: \(error)"
        case .disorder: "The server's order is not that of the keys, or a key stands twice on a page."
        case .oversizedPage(let request, let count): "A page has \(count) items, and \(request.size) were asked for."
        case .refused(let deletions, let rows): "A page would delete \(deletions) of \(rows) rows: refused."
        case .unconfirmed(let deletions, let rows):
            "A page would delete \(deletions) of \(rows) rows, and the server does not say so twice."
        case .unsettled(let movement, let walks):
            "The list moved in each of \(walks) walks (\(movement.rawValue)): try again later."
        case .endless(let pages): "The list has no end after \(pages) pages."
        case .underWay: "The list is being reconciled already."
        case .superseded: "The rows were withdrawn or replaced meanwhile."
        case .store(let error): "The store failed: \(error)"
        case .cancelled: "The pass was cancelled."
        }
    }
}
