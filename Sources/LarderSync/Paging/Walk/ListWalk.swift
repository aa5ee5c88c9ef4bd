/// Walks a list page by page and says what to change: a pure step function, without store, server or clock.
///
/// ```swift
/// while let request = walk.request {
///     let page = try await source.page(request)
///     let rows = try walk.range(for: page).map { read($0, page) }
///     let changes = try walk.step(page, rows, rowCount)      // then apply them in one commit
/// }
/// ```
///
/// Rows are deleted on nothing but ``Evidence``. The order of the answers only decides what to ask for next: page after
/// page; a ``Bridge`` where rows lie in a ``Seam``; the same page again where it would delete suspiciously much; the whole
/// list again when it moved.
package struct ListWalk: Sendable {
    /// What to ask for next; nil when the walk is over.
    package var request: PageRequest? { isOver ? nil : doubt?.probe ?? question.request }
    /// Why the walk is over without success; nil also when every row is as the server has it.
    package private(set) var failure: ListError?
    /// How often the list was walked from its start, the walk under way included.
    package private(set) var walks = 1
    /// How the list moved when it last did.
    package private(set) var lastMovement: ListMovement?
    /// What is in doubt, while the server is asked again.
    package private(set) var doubt: Doubt?

    private let paging: Paging
    private let configuration: ListConfiguration
    private var question: Question
    private var isOver = false
    /// Whether the list moved since the walk last began.
    private var isMoving = false
    /// The greatest key on the pages since the walk last began.
    private var last: String?
    private var pages = 1

    /// A request and what it is for.
    private struct Question {
        let request: PageRequest
        /// What the answer is to span; nil for the pages of the walk itself.
        var seam: Seam?
    }

    /// A page that would delete suspiciously much.
    package struct Doubt: Hashable, Sendable {
        /// The rows it would delete.
        package let deletions: Int
        /// The rows there are.
        package let rows: Int
        fileprivate let keys: [String]
        fileprivate let asked: Int
        /// The page behind a short one, which has to be empty; nil when that was seen.
        fileprivate var probe: PageRequest?
    }

    /// A walk in front of its first page.
    package init(_ paging: Paging, _ configuration: ListConfiguration) {
        self.paging = paging
        self.configuration = configuration
        question = Question(request: Self.firstPage(paging, configuration))
    }
}

extension ListWalk {
    /// The most often that a page is asked for that would delete suspiciously much.
    private static let mostAsked = 4

    /// Checks an answer, and names the rows that ``step(_:_:rowCount:)`` has to know; nil when it needs none.
    ///
    /// - Throws: ``ListError/disorder(_:)``, ``ListError/oversizedPage(_:count:)``.
    package func range(for page: ListPage) throws(ListError) -> KeyRange? {
        guard let request else { preconditionFailure("a walk that is over has no answers") }
        guard page.items.count <= request.size else { throw .oversizedPage(request, count: page.items.count) }
        guard KeyOrder.isAscending(page.items) else { throw .disorder(request) }
        if case .keyset(let after?, _) = request, let first = page.items.first {
            guard KeyOrder.isBefore(after, first.key) else { throw .disorder(request) }
        }
        if doubt?.probe != nil { return nil }
        let evidence = Evidence(request, page)
        let through = evidence.endsList ? nil : evidence.bounds?.last
        if evidence.beginsList, evidence.bounds != nil || evidence.endsList {
            return .open(after: nil, through: through)
        }
        guard let bounds = evidence.bounds else {
            // Rows behind an empty page may be gone: they are looked for once, by the walk itself.
            return question.seam != nil || page.hasMore == true ? nil : .open(after: last, through: nil)
        }
        let isBehind = last.map { KeyOrder.isBefore($0, bounds.first) } ?? true
        if question.seam == nil, isBehind { return .open(after: last, through: through) }
        return .closed(from: bounds.first, through: through)
    }

    /// Goes on by one answer, which ``range(for:)`` has checked.
    ///
    /// - Parameters:
    ///   - rows: the rows in that range, in order.
    ///   - rowCount: all rows of the list.
    /// - Returns: what to change. Nothing when the answer is in doubt.
    /// - Throws: ``ListError/refused(deletions:ofRows:)``, ``ListError/unconfirmed(deletions:ofRows:)``: then there is
    ///   nothing to change. What ends the walk behind an answer that is to be applied is in ``failure``.
    package mutating func step(
        _ page: ListPage, _ rows: [LocalRow], rowCount: Int
    ) throws(ListError) -> ListChanges {
        if doubt?.probe != nil {
            doubt?.probe = nil
            if !page.items.isEmpty {
                doubt = nil
                noteMovement(.continuation)
                again()
            }
            return ListChanges()
        }
        let evidence = Evidence(question.request, page)
        let changes = Self.changes(page, rows, evidence)
        if try mustAskAgain(page, evidence, changes, rowCount) { return ListChanges() }
        let isUnsure = rows.contains { $0.comparison == .unanswered && !evidence.showsAbsence(of: $0.key) }
        if let seam = question.seam {
            cross(seam, page, evidence)
        } else {
            proceed(page, evidence, isUnsure: isUnsure)
        }
        return changes
    }

    /// Merges an answer with the rows of its range.
    private static func changes(_ page: ListPage, _ rows: [LocalRow], _ evidence: Evidence) -> ListChanges {
        var changes = ListChanges()
        var known = rows.filter { $0.comparison != .unanswered }[...]
        changes.deleted = rows.filter { $0.comparison == .unanswered && evidence.showsAbsence(of: $0.key) }.map(\.key)
        for item in page.items {
            guard let row = known.first, KeyOrder.isSame(row.key, item.key) else {
                changes.created.append(item.key)
                continue
            }
            known.removeFirst()
            if case .changed(let members) = row.comparison {
                changes.updated.append(ListChanges.Update(key: row.key, members: members))
            } else {
                changes.unchanged += 1
            }
        }
        return changes
    }
}

// MARK: - Where to go

extension ListWalk {
    /// Whether an answer is not to be applied before the server has given it again.
    private mutating func mustAskAgain(
        _ page: ListPage, _ evidence: Evidence, _ changes: ListChanges, _ rowCount: Int
    ) throws(ListError) -> Bool {
        let policy = configuration.protection.policy
        let deletions = changes.deleted.count
        let isWipe = deletions > 0 && page.items.isEmpty && evidence.beginsList
        let isMuch = configuration.protection.isSuspicious(deletions: deletions, ofRows: rowCount)
        guard policy != .trust, isWipe || isMuch else {
            doubt = nil
            return false
        }
        if policy == .refuse { throw .refused(deletions: deletions, ofRows: rowCount) }
        let keys = page.items.map(\.key)
        if let doubt, doubt.keys.count == keys.count, zip(doubt.keys, keys).allSatisfy(KeyOrder.isSame) {
            self.doubt = nil
            return false
        }
        let asked = (doubt?.asked ?? 0) + 1
        guard asked < Self.mostAsked else { throw .unconfirmed(deletions: deletions, ofRows: rowCount) }
        let isShort = evidence.endsList && page.hasMore == nil
        doubt = Doubt(
            deletions: deletions, rows: rowCount, keys: keys, asked: asked,
            probe: isShort ? evidence.bounds.map { Self.page(behind: question.request, last: $0.last) } : nil)
        return true
    }

    /// Decides what follows a page of the walk.
    ///
    /// - Parameter isUnsure: whether there are rows in its range of which it does not show whether they are gone.
    private mutating func proceed(_ page: ListPage, _ evidence: Evidence, isUnsure: Bool) {
        let before = last
        let ends = page.hasMore.map { !$0 } ?? (page.items.count < question.request.size)
        if let bounds = evidence.bounds {
            if let before, !KeyOrder.isBefore(before, bounds.first) {
                noteMovement(.overlap)
                // A page that brings nothing new, and all that follow, may be the same for ever.
                if !KeyOrder.isBefore(before, bounds.last) { return again() }
            }
            last = bounds.last
        } else if !ends {
            // More is said to follow, and nothing comes: that could go on for ever.
            return fail(.endless(pages: pages))
        }
        if isUnsure, let before, case .offset(let index, let size) = question.request {
            let seam = Seam(after: before, before: evidence.bounds?.first, endsList: ends)
            question = Question(request: Bridge.request(over: index * size, size: size), seam: seam)
        } else {
            goOn(endsList: ends)
        }
    }

    /// Decides what follows a page that was to span a seam.
    private mutating func cross(_ seam: Seam, _ page: ListPage, _ evidence: Evidence) {
        let isCrowded = page.items.contains { item in
            KeyOrder.isBefore(seam.after, item.key) && seam.before.map { KeyOrder.isBefore(item.key, $0) } ?? true
        }
        if isCrowded || !evidence.covers(after: seam.after, before: seam.before) { noteMovement(.seam) }
        goOn(endsList: seam.endsList)
    }

    private mutating func goOn(endsList: Bool) {
        if endsList {
            if isMoving { again() } else { isOver = true }
            return
        }
        pages += 1
        guard pages <= configuration.maximumPages else { return fail(.endless(pages: configuration.maximumPages)) }
        let size = configuration.pageSize
        switch paging {
        case .offset: question = Question(request: .offset(index: pages - 1, size: size))
        case .keyset: question = Question(request: .keyset(after: last, size: size))
        }
    }

    private mutating func noteMovement(_ movement: ListMovement) {
        isMoving = true
        lastMovement = movement
    }

    /// Begins the walk anew, as often as the configuration allows.
    private mutating func again() {
        guard walks < configuration.walks else { return fail(.unsettled(lastMovement ?? .overlap, walks: walks)) }
        walks += 1
        pages = 1
        last = nil
        isMoving = false
        question = Question(request: Self.firstPage(paging, configuration))
    }

    private mutating func fail(_ error: ListError) {
        failure = error
        isOver = true
    }

    private static func firstPage(_ paging: Paging, _ configuration: ListConfiguration) -> PageRequest {
        switch paging {
        case .offset: .offset(index: 0, size: configuration.pageSize)
        case .keyset: .keyset(after: nil, size: configuration.pageSize)
        }
    }

    private static func page(behind request: PageRequest, last: String) -> PageRequest {
        switch request {
        case .offset(let index, let size): .offset(index: index + 1, size: size)
        case .keyset(_, let size): .keyset(after: last, size: size)
        }
    }
}
