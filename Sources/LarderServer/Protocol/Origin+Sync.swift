import Synchronization

extension Origin {
    /// The number of changes, or of resources in a first sync, that a page examines at most.
    public static let scannedChanges = 20_000

    /// Returns the page that a request names.
    ///
    /// A run's bound is the latest change when its first page is made; the cursor carries it to the other pages, so
    /// later changes belong to the next run. A page has fewer changes than requested, or none, where it would take long
    /// to find more; its cursor continues after the changes that were examined. A first sync lists each resource that
    /// was public at its start and still is, under the number of the change that made it public. This order is
    /// ascending and the same on every page.
    ///
    /// - Throws: ``OriginProblem/unknownResourceGroup``; ``OriginProblem/resyncRequired`` for a token or cursor that is
    ///   no longer valid; ``OriginProblem/tokenFilterMismatch``; ``OriginProblem/cursorFilterMismatch``;
    ///   ``OriginProblem/cursorPageSizeMismatch``; status 400 for a text that is no cursor.
    /// - Complexity: O(*n*) for the *n* changes, or resources in a first sync, examined to fill the page: at most
    ///   ``scannedChanges``, or a 40th of all where that is more.
    public func page(_ query: OriginQuery) throws(OriginProblem) -> OriginPage {
        try state.withLock { (state) throws(OriginProblem) in
            let run = try Run(query, in: state, signer: signer)
            return state.page(of: run, signer: signer)
        }
    }
}

/// The position of a page to make: its run, and the last change before it.
private struct Run {
    let purpose: Ticket.Purpose
    let position: Int64
    let bound: Int64
    let pageSize: Int
    let filter: ContentFilter

    init(_ query: OriginQuery, in state: OriginState, signer: TicketSigner) throws(OriginProblem) {
        switch query.start {
        case .bootstrap(let filter):
            try Self.check(filter, in: state)
            (position, bound, self.filter) = (0, state.sequence, filter)
            pageSize = query.pageSize ?? OriginQuery.defaultPageSize
            purpose = .bootstrap(position: 0, pageSize: pageSize)
        case .token(let text, let filter):
            try Self.check(filter, in: state)
            guard let ticket = signer.ticket(text), ticket.purpose == .token else { throw .resyncRequired }
            guard ticket.filter == filter.description else { throw .tokenFilterMismatch }
            guard ticket.epoch == state.epoch, ticket.bound >= state.removedThrough, ticket.bound <= state.sequence
            else {
                throw .resyncRequired
            }
            (position, bound, self.filter) = (ticket.bound, state.sequence, filter)
            pageSize = query.pageSize ?? OriginQuery.defaultPageSize
            purpose = .changes(position: position, pageSize: pageSize)
        case .cursor(let text, let repeated):
            guard let ticket = signer.ticket(text), let filter = ContentFilter(ticket.filter) else {
                throw .invalidRequest("the cursor is not from this server")
            }
            switch ticket.purpose {
            case .token: throw .invalidRequest("a sync_token is no cursor")
            case .bootstrap(let position, let pageSize): (self.position, self.pageSize) = (position, pageSize)
            case .changes(let position, let pageSize): (self.position, self.pageSize) = (position, pageSize)
            }
            if let repeated, repeated != filter { throw .cursorFilterMismatch }
            if let requested = query.pageSize, requested != pageSize { throw .cursorPageSizeMismatch }
            (purpose, bound, self.filter) = (ticket.purpose, ticket.bound, filter)
            try Self.check(ticket, at: position, in: state)
        }
    }

    private static func check(_ filter: ContentFilter, in state: OriginState) throws(OriginProblem) {
        for group in filter.groups where !state.hasGroup(group) { throw .unknownResourceGroup }
    }

    /// Refuses a cursor of another epoch, and one whose remaining changes or final token are forgotten already.
    private static func check(_ ticket: Ticket, at position: Int64, in state: OriginState) throws(OriginProblem) {
        let needed = if case .changes = ticket.purpose { position } else { ticket.bound }
        guard ticket.epoch == state.epoch, needed >= state.removedThrough, ticket.bound <= state.sequence else {
            throw .resyncRequired
        }
    }
}

extension OriginState {
    fileprivate func page(of run: Run, signer: TicketSigner) -> OriginPage {
        let scan: Scan
        let next: (Int64) -> Ticket.Purpose
        switch run.purpose {
        case .bootstrap:
            scan = Scan(publications, run)
            next = { .bootstrap(position: $0, pageSize: run.pageSize) }
        default:
            scan = Scan(log, run)
            next = { .changes(position: $0, pageSize: run.pageSize) }
        }
        func ticket(_ purpose: Ticket.Purpose) -> String {
            signer.text(of: Ticket(purpose: purpose, bound: run.bound, epoch: epoch, filter: run.filter.description))
        }
        return OriginPage(
            bound: run.bound, changes: scan.found, cursor: scan.next.map { ticket(next($0)) },
            token: scan.next == nil ? ticket(.token) : nil,
            groupsWithContentID: Set(run.filter.groups.filter { rules(of: $0).carriesContentID }))
    }
}

/// The changes of a run that fit on its next page.
private struct Scan {
    private(set) var found: [Origin.Change] = []
    /// The change after which the run goes on; nil when it ends here.
    private(set) var next: Int64?

    /// - Complexity: O(``Origin/scannedChanges``), or O(*n* / 40) for *n* changes where that is more.
    init(_ changes: [Origin.Change], _ run: Run) {
        let first = OriginState.index(after: run.position, in: changes)
        let end = OriginState.index(after: run.bound, in: changes)
        // A client may give up after 100 pages without changes in a row; these are 40 at most.
        let last = min(end, first + max(Origin.scannedChanges, changes.count / 40))
        for change in changes[first..<max(first, last)] where run.filter.matches(change.resource) {
            if found.count == run.pageSize {
                next = found.last?.sequence
                return
            }
            found.append(change)
        }
        if last < end { next = changes[last - 1].sequence }
    }
}
