/// What decides whether a token or a cursor is valid: numbers of an origin at one time.
package struct SyncHead: Hashable, Sendable {
    /// The number of the latest change; 0 before the first.
    package let sequence: Int64
    /// Changes up to this number are forgotten.
    package let removedThrough: Int64
    /// Tokens and cursors of another epoch are refused.
    package let epoch: Int64

    /// Creates a head of these numbers.
    package init(sequence: Int64, removedThrough: Int64, epoch: Int64) {
        self.sequence = sequence
        self.removedThrough = removedThrough
        self.epoch = epoch
    }
}

/// The position of a page to make: its run, and the last change before it.
package struct SyncRun {
    private let purpose: Ticket.Purpose
    private let epoch: Int64
    /// The number of the last change that earlier pages have examined.
    package let position: Int64
    /// The number of the run's last change.
    package let bound: Int64
    /// The maximum number of changes on the page.
    package let pageSize: Int
    package let filter: ContentFilter

    /// Whether the page lists the public resources of a first sync, not changes.
    package var isBootstrap: Bool { if case .bootstrap = purpose { true } else { false } }

    /// Reads the position out of a request.
    ///
    /// - Parameter bootstrapBound: The bound of a first sync that begins, not above the head's number; `nil` for that.
    /// - Throws: As ``Origin/page(_:)``.
    package init(
        _ query: OriginQuery, at head: SyncHead, bootstrapBound: Int64? = nil, hasGroup: (String) -> Bool,
        _ signer: TicketSigner
    ) throws(OriginProblem) {
        epoch = head.epoch
        switch query.start {
        case .bootstrap(let filter):
            try Self.check(filter, hasGroup)
            (position, bound, self.filter) = (0, bootstrapBound ?? head.sequence, filter)
            pageSize = query.pageSize ?? OriginQuery.defaultPageSize
            purpose = .bootstrap(position: 0, pageSize: pageSize)
        case .token(let text, let filter):
            try Self.check(filter, hasGroup)
            guard let ticket = signer.ticket(text), ticket.purpose == .token else { throw .resyncRequired }
            guard ticket.filter == filter.description else { throw .tokenFilterMismatch }
            try Self.check(ticket, at: ticket.bound, head)
            (position, bound, self.filter) = (ticket.bound, head.sequence, filter)
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
            let needed = if case .changes = ticket.purpose { position } else { ticket.bound }
            try Self.check(ticket, at: needed, head)
        }
    }

    private static func check(_ filter: ContentFilter, _ hasGroup: (String) -> Bool) throws(OriginProblem) {
        for group in filter.groups where !hasGroup(group) { throw .unknownResourceGroup }
    }

    /// Refuses a ticket of another epoch, and one whose remaining changes or final token are forgotten already.
    private static func check(_ ticket: Ticket, at needed: Int64, _ head: SyncHead) throws(OriginProblem) {
        guard ticket.epoch == head.epoch, needed >= head.removedThrough, ticket.bound <= head.sequence else {
            throw .resyncRequired
        }
    }

    /// The size of rows in bytes at which a page ends, with the row that reaches it: clients refuse pages above 32 MiB.
    private static let longestPage = 8 << 20

    /// Returns the number of the first changes that fit on one page, one at least.
    private static func fitting(_ changes: [Origin.Change]) -> Int {
        var bytes = 0
        let last = changes.firstIndex { change in
            bytes += change.kind.bodySize
            return bytes >= longestPage
        }
        return last.map { $0 + 1 } ?? changes.count
    }

    /// Returns the page with the changes that were found, as far as they fit.
    ///
    /// - Parameters:
    ///   - next: The number of the change after which the run goes on; `nil` where it ends.
    ///   - hasVersions: Whether the URLs of snapshots name versions, so that caches may keep the responses.
    package func page(
        _ found: [Origin.Change], next end: Int64?, _ signer: TicketSigner, groupsWithContentID: Set<String>,
        hasVersions: Bool = false
    ) -> OriginPage {
        let changes = Array(found.prefix(Self.fitting(found)))
        let next = changes.count < found.count ? changes.last?.sequence : end
        func ticket(_ purpose: Ticket.Purpose) -> String {
            signer.text(of: Ticket(purpose: purpose, bound: bound, epoch: epoch, filter: filter.description))
        }
        let cursor = next.map { next in
            ticket(
                isBootstrap
                    ? .bootstrap(position: next, pageSize: pageSize) : .changes(position: next, pageSize: pageSize))
        }
        return OriginPage(
            bound: bound, changes: changes, cursor: cursor, token: next == nil ? ticket(.token) : nil,
            groupsWithContentID: groupsWithContentID,
            versionEpoch: hasVersions ? epoch : nil, isBootstrap: isBootstrap)
    }
}
