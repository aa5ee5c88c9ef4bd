import Synchronization

extension Origin {
    /// Returns the page that a request names.
    ///
    /// A run's bound is the latest change when its first page is made; the cursor carries it to the other pages, so
    /// later changes belong to the next run. A first sync lists each resource that was public at its start and still
    /// is, under the number of the change that made it public. This order is ascending and the same on every page.
    ///
    /// - Throws: ``OriginProblem/unknownResourceGroup``; ``OriginProblem/resyncRequired`` for a token or cursor that is
    ///   no longer valid; ``OriginProblem/tokenFilterMismatch``; ``OriginProblem/cursorFilterMismatch``;
    ///   ``OriginProblem/cursorPageSizeMismatch``; status 400 for a text that is no cursor.
    /// - Complexity: O(*r* log *r*) for *r* resources in a first sync; else O(*n*) for the *n* changes read to fill the
    ///   page.
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
        // One more change than fits shows that there is a next page.
        var changes =
            switch run.purpose {
            case .bootstrap: resources(of: run)
            default: changes(of: run)
            }
        let hasMore = changes.count > run.pageSize
        if hasMore { changes.removeLast() }
        func ticket(_ purpose: Ticket.Purpose) -> String {
            signer.text(of: Ticket(purpose: purpose, bound: run.bound, epoch: epoch, filter: run.filter.description))
        }
        var cursor: String?
        if hasMore, let last = changes.last {
            switch run.purpose {
            case .bootstrap: cursor = ticket(.bootstrap(position: last.sequence, pageSize: run.pageSize))
            default: cursor = ticket(.changes(position: last.sequence, pageSize: run.pageSize))
            }
        }
        return OriginPage(
            bound: run.bound, changes: changes, cursor: cursor, token: hasMore ? nil : ticket(.token),
            groupsWithContentID: Set(run.filter.groups.filter { rules(of: $0).carriesContentID }))
    }

    private func changes(of run: Run) -> [Origin.Change] {
        var found: [Origin.Change] = []
        for change in log[index(after: run.position)...] {
            if change.sequence > run.bound || found.count > run.pageSize { break }
            if run.filter.matches(change.resource) { found.append(change) }
        }
        return found
    }

    private func resources(of run: Run) -> [Origin.Change] {
        var found: [Origin.Change] = []
        for (name, resource) in resources where run.filter.matches(name) {
            guard let published = resource.published else { continue }
            guard published.sequence > run.position, published.sequence <= run.bound else { continue }
            found.append(
                Origin.Change(
                    sequence: published.sequence, resource: name, kind: .resourceCreate,
                    changedAt: published.changedAt))
        }
        found.sort { $0.sequence < $1.sequence }
        return Array(found.prefix(run.pageSize + 1))
    }
}
