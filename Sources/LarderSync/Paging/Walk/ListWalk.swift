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
/// Every page but the first begins with items that the page before ended with. An answer is a stretch of the list as it was
/// at one moment. So whatever comes and goes between two answers, and in whatever order the list is, an item that keeps its
/// place among the others is on one of the pages: those behind the repeated items are all on the page. A page without those
/// items is how a walk notices that the list moved; then it begins anew.
///
/// An answer with fewer items than were asked for ends nothing. The end is where the server says so (in a walk that confirms another
/// it is not believed), where a page by number ends at the total that it says, or where nothing new is behind the last item and either
/// as many items came as the server says there are, or another page shows the last item once more and nothing behind it.
package struct ListWalk: Sendable {
    /// What to ask for next; nil when the walk is over.
    package var request: PageRequest? { isOver ? nil : question.request }
    /// Whether ``request`` asks for the page behind the last item: a server may have none.
    package var isProbing: Bool { question.purpose == .probe }
    /// Why the walk is over without success.
    package private(set) var failure: ListError?
    /// How often the list was walked from its start, the walk under way included.
    package private(set) var walks = 1
    /// How often the list moved, so that the walk began anew or was given up.
    package private(set) var restarts = 0
    /// How the list moved when it last did.
    package private(set) var lastMovement: ListMovement?
    /// The keys that the walk saw that ended last; sorted.
    package private(set) var seen = SeenKeys()
    /// Whether the walk that ended last saw as many items as the server says there are, or the same as the walk before.
    package private(set) var isConfirmed = false
    /// Whether the pages did not overlap, so that a walk that is not confirmed says little.
    package private(set) var isPlain: Bool

    let paging: Paging
    let configuration: ListConfiguration
    var stretch = WalkedStretch()
    /// The most items on one page so far: what the server answers, whatever is asked for.
    var largestPage = 0
    private var question: Question
    private var isOver = false
    /// Whether the list moved since the walk last began.
    private var isMoving = false
    private var pages = 1
    private var missedBeyond = 0
    /// Whether the list ends where the server says that nothing follows.
    private var believesEnd = true
    private var previous: (count: Int, digest: UInt64)?

    /// A walk in front of its first page.
    package init(_ paging: Paging, _ configuration: ListConfiguration) {
        self.paging = paging
        self.configuration = configuration
        isPlain = configuration.hasFixedPages
        question = Question(.first, Self.firstPage(paging, configuration))
    }

    /// Walks the list once more, to see the same, and to its end whatever the server says of that: a word that comes too early would
    /// have rows deleted.
    package mutating func confirm() {
        precondition(isOver && failure == nil, "a walk is confirmed when it is over")
        believesEnd = false
        begin()
    }
}

extension ListWalk {
    /// Goes on by one answer.
    ///
    /// - Throws: ``ListError/disorder(_:)``, ``ListError/oversizedPage(_:count:)``: nothing of the answer is to be applied.
    ///   What ends the walk behind an answer that is to be applied is in ``failure``.
    package mutating func step(_ page: ListPage) throws(ListError) {
        guard !isOver else { preconditionFailure("a walk that is over has no answers") }
        let (purpose, request) = (question.purpose, question.request)
        var page = page
        if !believesEnd, page.hasMore == false { page.hasMore = nil }
        guard page.items.count <= request.size else {
            guard purpose.isPartOfPage, !isPlain else { throw .oversizedPage(request, count: page.items.count) }
            // A server with pages of one size answers its own where a part of one was asked for.
            return goOnPlainly()
        }
        if page.items.isEmpty, page.saysMore { return fail(.endless(pages: pages)) }
        guard stretch.isInOrder(page, request) else { throw .disorder(request) }
        largestPage = max(largestPage, page.items.count)
        let found = stretch.add(page, request, purpose)
        if stretch.hasAnotherTotal { noteMovement(.total) }
        if isBeyond, found != .connected || stretch.endIsShown && page.saysMore { return missBeyond() }
        if isBeyond, stretch.endIsShown, !page.saysEnd, page.items.count == largestPage {
            // The end, or the most that the server answers.
            return goOnPlainly()
        }
        switch found {
        case .connected:
            // Where a server has pages of one size, it may leave out of them what is not for everyone.
            guard stretch.hasShortPage, !configuration.hasFixedPages else { break }
            noteMovement(.gap)
            return again()
        case .displaced: noteMovement(.overlap)
        case .disconnected:
            noteMovement(.gap)
            return again()
        case .repeated:
            noteMovement(.overlap)
            return again()
        }
        if stretch.isAtEnd(page, request, purpose) { end() } else { goOn(behind: page, request) }
    }

    /// Whether the last overlapping page was asked for in a size beyond that of the walk.
    private var isBeyond: Bool { stretch.sizeAsked > max(configuration.pageSize, 2) }

    /// Begins anew where a page of a size beyond that of the walk was none: the list moved or, if it happens again, the server
    /// does not answer so many items.
    private mutating func missBeyond() {
        missedBeyond += 1
        if missedBeyond > 1 { return goOnPlainly() }
        noteMovement(.gap)
        again()
    }

    private mutating func goOn(behind page: ListPage, _ request: PageRequest) {
        if stretch.endIsShown, page.hasMore == true, page.total == nil { return fail(.endless(pages: pages)) }
        pages += 1
        guard pages <= configuration.maximumPages else { return fail(.endless(pages: configuration.maximumPages)) }
        let isShort = page.items.count < request.size && page.hasMore == nil && page.total == nil
        if let next = next(isShort: isShort) { question = next } else { goOnPlainly() }
    }

    private mutating func end() {
        if let total = stretch.total, total != stretch.seen.count { noteMovement(.total) }
        if isMoving { return again() }
        let found = (stretch.seen.count, stretch.seen.digest)
        let isSame = previous.map { $0 == found }
        previous = found
        if isSame == false {
            noteMovement(.change)
            return again()
        }
        isConfirmed = isSame == true || stretch.total != nil && !isPlain
        seen = stretch.seen
        seen.sort()
        isOver = true
    }

    private mutating func noteMovement(_ movement: ListMovement) {
        isMoving = true
        lastMovement = movement
    }

    /// Begins the walk anew because the list moved, as often as the configuration allows.
    private mutating func again() {
        restarts += 1
        guard restarts < configuration.walks else { return fail(.unsettled(lastMovement ?? .overlap, walks: restarts)) }
        begin()
    }

    /// Begins the walk anew with pages that do not overlap.
    private mutating func goOnPlainly() {
        isPlain = true
        previous = nil
        begin()
    }

    private mutating func begin() {
        walks += 1
        pages = 1
        isMoving = false
        isOver = false
        stretch = WalkedStretch()
        question = Question(.first, Self.firstPage(paging, configuration))
    }

    private mutating func fail(_ error: ListError) {
        failure = error
        isOver = true
    }

    private static func firstPage(_ paging: Paging, _ configuration: ListConfiguration) -> PageRequest {
        // A page of one item has no room for one that is repeated.
        let size = configuration.hasFixedPages ? configuration.pageSize : max(configuration.pageSize, 2)
        return paging == .offset ? .offset(index: 0, size: size) : .keyset(after: nil, size: size)
    }
}
