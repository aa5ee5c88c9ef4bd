/// Walks a list page by page: a pure step function, without store, server or clock.
///
/// ```swift
/// while let request = walk.request {
///     let page = try await source.page(request)
///     try walk.step(page)      // then write the rows of its items
/// }
/// // Rows that are not among walk.seen are not on the server, if walk.isConfirmed.
/// ```
///
/// Every page but the first begins with the last items of the page before. A page is a stretch of the list at one
/// time. An item that keeps its place among the others is therefore on one of the pages: all items after the repeated
/// ones are on the page. This holds whatever is added or removed between two pages, and in whatever order the list is.
/// A page without the repeated items shows that the list moved; the walk then starts again.
///
/// A page with fewer items than requested is not the end. The end is where the server states it (unless the walk
/// confirms another one), or where a page by offset ends at its stated total. It is also where nothing new is after the
/// last item, and as many items were received as the server states. Instead of that number, another page may show the
/// last item again and nothing after it.
package struct ListWalk: Sendable {
    /// The next page to request; nil when the walk is over.
    package var request: PageRequest? { isOver ? nil : currentFetch.request }
    /// Whether ``request`` is for the page after the last item, which a server may not have.
    package var isProbing: Bool { currentFetch.purpose == .probe }
    /// The reason the walk is over without success.
    package private(set) var failure: ListError?
    /// The number of times the list was walked from its start, the current walk included.
    package private(set) var walks = 1
    /// The number of times the list moved, so that the walk started again or failed.
    package private(set) var restarts = 0
    /// The last movement of the list that was noticed.
    package private(set) var lastMovement: ListMovement?
    /// The keys that the last completed walk saw; sorted.
    package private(set) var seen = SeenKeys()
    /// Whether the last completed walk saw as many items as the server states, or the same keys as the walk before.
    package private(set) var isConfirmed = false
    /// Whether the pages did not overlap, so that an unconfirmed walk proves little.
    package private(set) var isPlain: Bool

    let paging: Paging
    let configuration: ListConfiguration
    var prefix = WalkedPrefix()
    /// The largest number of items on one page so far, which may be the most that the server returns.
    var largestPage = 0
    private var currentFetch: PageFetch
    private var isOver = false
    /// Whether the list moved since the walk last began.
    private var isMoving = false
    private var pages = 1
    private var disconnects = 0
    /// Whether the list ends where the server states that nothing follows.
    private var usesStatedEnd = true
    private var previous: (count: Int, digest: UInt64)?

    /// A walk before its first page.
    package init(_ paging: Paging, _ configuration: ListConfiguration) {
        self.paging = paging
        self.configuration = configuration
        isPlain = configuration.hasFixedPages
        currentFetch = PageFetch(.first, Self.firstPage(paging, configuration))
    }

    /// Walks the list once more to see the same keys. This walk ignores the server's statement that nothing follows:
    /// one that comes too early would cause rows to be deleted.
    package mutating func confirm() {
        precondition(isOver && failure == nil, "a walk is confirmed when it is over")
        usesStatedEnd = false
        begin()
    }
}

extension ListWalk {
    /// Handles one page.
    ///
    /// - Throws: ``ListError/disorder(_:)`` for keys out of order, ``ListError/oversizedPage(_:count:)`` for more items
    ///   than requested; the page must not be applied. An error after a page that is to be applied is in ``failure``.
    package mutating func step(_ page: ListPage) throws(ListError) {
        guard !isOver else { preconditionFailure("a walk that is over handles no pages") }
        let (purpose, request) = (currentFetch.purpose, currentFetch.request)
        var page = page
        if !usesStatedEnd, page.hasMore == false { page.hasMore = nil }
        guard page.items.count <= request.size else {
            guard purpose.isPartOfPage, !isPlain else { throw .oversizedPage(request, count: page.items.count) }
            // A server with pages of one size returns them even where a part of one was requested.
            return restartWithoutOverlap()
        }
        if page.items.isEmpty, page.saysMore { return fail(.endless(pages: pages)) }
        guard prefix.isInOrder(page, request) else { throw .disorder(request) }
        largestPage = max(largestPage, page.items.count)
        let found = prefix.add(page, request, purpose)
        if prefix.hasConflictingTotals { recordMovement(.total) }
        if isBeyondPageSize, found != .connected || prefix.endIsShown && page.saysMore { return handleDisconnect() }
        if isBeyondPageSize, prefix.endIsShown, !page.saysEnd, page.items.count == largestPage {
            // This is the end, or the most that the server returns.
            return restartWithoutOverlap()
        }
        switch found {
        case .connected:
            // A server with pages of one size may omit items from them that are not public.
            guard prefix.hasShortPage, !configuration.hasFixedPages else { break }
            recordMovement(.gap)
            return restart()
        case .displaced: recordMovement(.overlap)
        case .disconnected:
            recordMovement(.gap)
            return restart()
        case .repeated:
            recordMovement(.overlap)
            return restart()
        }
        if prefix.isAtEnd(page, request, purpose) { end() } else { advance(after: page, request) }
    }

    /// Whether the last overlapping page was requested with a size beyond that of the walk.
    private var isBeyondPageSize: Bool { prefix.requestedSize > max(configuration.pageSize, 2) }

    /// Starts again when a page beyond the walk's size does not connect, since the list may have moved. The second
    /// time, the server does not return so many items, and the pages no longer overlap.
    private mutating func handleDisconnect() {
        disconnects += 1
        if disconnects > 1 { return restartWithoutOverlap() }
        recordMovement(.gap)
        restart()
    }

    private mutating func advance(after page: ListPage, _ request: PageRequest) {
        if prefix.endIsShown, page.hasMore == true, page.total == nil { return fail(.endless(pages: pages)) }
        pages += 1
        guard pages <= configuration.maximumPages else { return fail(.endless(pages: configuration.maximumPages)) }
        let isShort = page.items.count < request.size && page.hasMore == nil && page.total == nil
        if let next = nextFetch(isShort: isShort) { currentFetch = next } else { restartWithoutOverlap() }
    }

    private mutating func end() {
        if let total = prefix.total, total != prefix.seen.count { recordMovement(.total) }
        if isMoving { return restart() }
        let found = (prefix.seen.count, prefix.seen.digest)
        let isSame = previous.map { $0 == found }
        previous = found
        if isSame == false {
            recordMovement(.change)
            return restart()
        }
        isConfirmed = isSame == true || prefix.total != nil && !isPlain
        seen = prefix.seen
        seen.sort()
        isOver = true
    }

    private mutating func recordMovement(_ movement: ListMovement) {
        isMoving = true
        lastMovement = movement
    }

    /// Starts the walk again because the list moved, as often as the configuration allows.
    private mutating func restart() {
        restarts += 1
        guard restarts < configuration.walks else { return fail(.unstable(lastMovement ?? .overlap, walks: restarts)) }
        begin()
    }

    /// Starts the walk again with pages that do not overlap.
    private mutating func restartWithoutOverlap() {
        isPlain = true
        previous = nil
        begin()
    }

    private mutating func begin() {
        walks += 1
        pages = 1
        isMoving = false
        isOver = false
        prefix = WalkedPrefix()
        currentFetch = PageFetch(.first, Self.firstPage(paging, configuration))
    }

    private mutating func fail(_ error: ListError) {
        failure = error
        isOver = true
    }

    private static func firstPage(_ paging: Paging, _ configuration: ListConfiguration) -> PageRequest {
        // A page of one item cannot repeat an item and also bring a new one.
        let size = configuration.hasFixedPages ? configuration.pageSize : max(configuration.pageSize, 2)
        return paging == .offset ? .offset(index: 0, size: size) : .keyset(after: nil, size: size)
    }
}
