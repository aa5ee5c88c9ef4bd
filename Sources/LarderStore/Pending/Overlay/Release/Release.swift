package import LarderFormat

/// The decision on the overlay of a write that the server has accepted. FORMAT.md, "overlay".
///
/// An overlay released too early makes the write disappear for readers and return later. One that is never released
/// hides the writes of others.
package enum Release: Hashable, Sendable {
    /// The overlay stays: the server's rows may not show the write yet.
    case stays
    /// The overlay is removed: the row beneath is shown again.
    case goes
    /// The overlay becomes the row: no sync will deliver the write from the server.
    case becomesRow
}

/// The position and the acceptance of a write that the server has accepted.
package struct ConfirmedWrite: Hashable, Sendable {
    /// The write's position in the server's sequence, where the server reported it.
    let position: ServerPosition?
    /// The journal's sequence of the server's response.
    let acceptance: Int64

    package init(position: ServerPosition?, acceptance: Int64) {
        self.position = position
        self.acceptance = acceptance
    }
}

/// The ownership of a resource's rows, as far as it decides on local writes over them.
package struct Tenure: Hashable, Sendable {
    /// The source that delivers rows from the server.
    package enum Keeper: Hashable, Sendable {
        /// The filters with these numbers have the resource as a member.
        case filters([Int64])
        /// Filters have delivered the resource, and none has it as a member any more; the filters that exist may add it
        /// again.
        case formerFilters
        /// As `formerFilters`, for withdrawn rows: a filter is being bootstrapped, and may deliver them again.
        case awaited
        /// Filters have delivered the resource, and no filter exists any more.
        case removedFilters
        /// No filter has delivered the resource: its rows are those of a list, or were made on this device.
        case nobody
        /// As `nobody`, while a pass over the list is or may be under way.
        case walk
    }

    let keeper: Keeper
    /// The state of the resource, which decides what readers see of it.
    let state: ResourceState
    /// The position up to which the rows contain the server's changes.
    let applied: ServerPosition

    /// Whether the host has removed the filters that held the resource.
    ///
    /// A snapshot that a filter delivers later then has to show the writes whose overlays are removed meanwhile. A
    /// resource that the server has hidden returns by a change instead, which may be older than those writes.
    var isLetGo: Bool { state == .empty && [.formerFilters, .awaited, .removedFilters].contains(keeper) }

    package init(keeper: Keeper, state: ResourceState, applied: ServerPosition) {
        self.keeper = keeper
        self.state = state
        self.applied = applied
    }
}

// MARK: - The decision

extension Release {
    /// Returns the decision on the overlay of `write`: the table of docs/internals/outbox.md, line by line.
    package static func of(_ write: ConfirmedWrite, under tenure: Tenure, on occasion: ReleaseOccasion) -> Release {
        switch tenure.keeper {
        // One row is not the resource: an evicted resource returns as a whole or not at all.
        case .nobody where tenure.state == .evicted: .stays
        case .walk where tenure.state == .evicted: .stays
        case .nobody, .walk:
            // A pass that began after the acceptance has delivered the write, even while another pass is under way.
            if case .pass(let journalAtBegin) = occasion, journalAtBegin > write.acceptance {
                .goes
            } else {
                tenure.keeper == .walk ? .stays : .becomesRow
            }
        // The resource is withdrawn for good: one row must not restore it, and no filter will.
        case .removedFilters: .goes
        case .formerFilters where occasion == .removal, .awaited where occasion == .removal: .goes
        // Only the end of the bootstrap shows whether it delivers the resource.
        case .awaited: .stays
        case .formerFilters: isShown(write, tenure.applied, occasion.run) ? .goes : .stays
        // There are no rows to show in place of the overlay.
        case .filters where tenure.state == .evicted || tenure.state == .empty: .stays
        case .filters(let numbers):
            isShown(write, tenure.applied, occasion.run(ofAny: numbers)) ? .goes : .stays
        }
    }

    /// Returns whether the server's rows show a write.
    ///
    /// - Parameter end: the end of a run that delivered the rows; nil without one.
    private static func isShown(_ write: ConfirmedWrite, _ applied: ServerPosition, _ end: RunEnd?) -> Bool {
        if let position = write.position { return max(applied, end?.bound ?? .zero) >= position }
        return end.map { $0.journalAtBegin > write.acceptance } ?? false
    }
}
