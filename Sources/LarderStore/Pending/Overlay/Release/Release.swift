package import LarderFormat

/// What becomes of the overlay of a write that the server has accepted. FORMAT.md, "overlay".
///
/// Too early, and a reader sees the write disappear and return; never, and it hides what others write.
package enum Release: Hashable, Sendable {
    /// The server's rows may not show the write yet.
    case stays
    /// What lies beneath is shown again.
    case goes
    /// Nothing will bring it from the server: its effect becomes the row.
    case becomesRow
}

/// What the server said of an accepted write.
package struct ConfirmedWrite: Hashable, Sendable {
    /// Where the server has counted it, where it said so.
    let position: ServerPosition?
    /// The journal's sequence of the server's answer.
    let acceptance: Int64

    package init(position: ServerPosition?, acceptance: Int64) {
        self.position = position
        self.acceptance = acceptance
    }
}

/// How a resource comes by its rows, as far as a local write over them is concerned.
package struct Tenure: Hashable, Sendable {
    /// Who brings rows from the server.
    package enum Keeper: Hashable, Sendable {
        /// The filters of these numbers have the resource as member.
        case filters([Int64])
        /// Filters have brought it and none has it as member any more; those that there are may get it back.
        case formerFilters
        /// As former filters, of rows that were withdrawn: a filter is being fetched from its beginning, and may bring them back.
        case awaited
        /// Filters have brought it, and there are none any more.
        case removedFilters
        /// No filter ever did: the rows are those of a list, or were made here.
        case nobody
        /// As nobody, and the list is being walked.
        case walk
    }

    let keeper: Keeper
    /// What a reader may see of it.
    let state: ResourceState
    /// Up to where the server's changes are in its rows.
    let applied: ServerPosition

    /// Whether the host has removed the filters that held the resource: a snapshot that a filter brings again has to show the
    /// writes whose overlays go meanwhile. One that the server has hidden comes again by a change, which may be older than they are.
    var isLetGo: Bool { state == .empty && [.formerFilters, .awaited, .removedFilters].contains(keeper) }

    package init(keeper: Keeper, state: ResourceState, applied: ServerPosition) {
        self.keeper = keeper
        self.state = state
        self.applied = applied
    }
}

// MARK: - The decision

extension Release {
    /// What becomes of the overlay of `write`: the table of docs/internals/outbox.md, line by line.
    package static func of(_ write: ConfirmedWrite, under tenure: Tenure, on occasion: ReleaseOccasion) -> Release {
        switch tenure.keeper {
        // One row is not the resource: what was evicted comes again as a whole, or not at all.
        case .nobody where tenure.state == .evicted: .stays
        case .walk where tenure.state == .evicted: .stays
        case .nobody, .walk:
            // A pass that began after the acceptance has brought it, even while another goes on.
            if case .pass(let journalAtBegin) = occasion, journalAtBegin > write.acceptance {
                .goes
            } else {
                tenure.keeper == .walk ? .stays : .becomesRow
            }
        // Withdrawn for good: one row must not bring it back, and nobody else will.
        case .removedFilters: .goes
        case .formerFilters where occasion == .removal, .awaited where occasion == .removal: .goes
        // Only the end of the bootstrap says whether it brings the resource.
        case .awaited: .stays
        case .formerFilters: isShown(write, tenure.applied, occasion.run) ? .goes : .stays
        // Rows that are not here cannot be shown in its place.
        case .filters where tenure.state == .evicted || tenure.state == .empty: .stays
        case .filters(let numbers):
            isShown(write, tenure.applied, occasion.run(ofAny: numbers)) ? .goes : .stays
        }
    }

    /// Whether the server's rows show a write.
    ///
    /// - Parameter end: that of a run that brought the rows.
    private static func isShown(_ write: ConfirmedWrite, _ applied: ServerPosition, _ end: RunEnd?) -> Bool {
        if let position = write.position { return max(applied, end?.bound ?? .zero) >= position }
        return end.map { $0.journalAtBegin > write.acceptance } ?? false
    }
}
