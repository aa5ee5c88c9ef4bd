package import LarderFormat

/// The decision on the overlay of a write that the server has accepted. FORMAT.md, "overlay".
///
/// An overlay released too early makes the write disappear for readers and return later. One that is never released
/// hides the writes of others.
package enum ReleaseDecision: Hashable, Sendable {
    /// The overlay stays: the server's rows may not show the write yet.
    case keep
    /// The overlay is removed: the row beneath is shown again.
    case discard
    /// The overlay becomes the row: no sync will deliver the write from the server.
    case materialize
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
package struct ResourceOwnership: Hashable, Sendable {
    /// The source that delivers rows from the server.
    package enum Owner: Hashable, Sendable {
        /// The filters with these numbers have the resource as a member.
        case filters([Int64])
        /// Filters have delivered the resource, and none has it as a member any more; the filters that exist may add it
        /// again.
        case formerFilters
        /// As `formerFilters`, for withdrawn rows: a filter is being bootstrapped, and may deliver them again.
        case bootstrappingFilter
        /// Filters have delivered the resource, and no filter exists any more.
        case removedFilters
        /// No filter has delivered the resource: its rows are those of a list, or were made on this device.
        case unowned
        /// As `unowned`, while a pass over the list is or may be under way.
        case listPass
    }

    let owner: Owner
    /// The state of the resource, which decides what readers see of it.
    let state: ResourceState
    /// The position up to which the rows contain the server's changes.
    let applied: ServerPosition

    /// Whether the host has removed the filters that held the resource.
    ///
    /// A snapshot that a filter delivers later then has to show the writes whose overlays are removed meanwhile. A
    /// resource that the server has hidden returns by a change instead, which may be older than those writes.
    var isWithdrawnByHost: Bool {
        state == .empty && [.formerFilters, .bootstrappingFilter, .removedFilters].contains(owner)
    }

    package init(owner: Owner, state: ResourceState, applied: ServerPosition) {
        self.owner = owner
        self.state = state
        self.applied = applied
    }
}

// MARK: - The decision

extension ReleaseDecision {
    /// Returns the decision on the overlay of `write`: the table of docs/internals/outbox.md, line by line.
    package static func decide(_ write: ConfirmedWrite, under ownership: ResourceOwnership, on trigger: ReleaseTrigger)
        -> ReleaseDecision
    {
        switch ownership.owner {
        // One row is not the resource: an evicted resource returns as a whole or not at all.
        case .unowned where ownership.state == .evicted: .keep
        case .listPass where ownership.state == .evicted: .keep
        case .unowned, .listPass:
            // A pass that began after the acceptance has delivered the write, even while another pass is under way.
            if case .pass(let journalAtBegin) = trigger, journalAtBegin > write.acceptance {
                .discard
            } else {
                ownership.owner == .listPass ? .keep : .materialize
            }
        // The resource is withdrawn for good: one row must not restore it, and no filter will.
        case .removedFilters: .discard
        case .formerFilters where trigger == .removal, .bootstrappingFilter where trigger == .removal: .discard
        // Only the end of the bootstrap shows whether it delivers the resource.
        case .bootstrappingFilter: .keep
        case .formerFilters: isShown(write, ownership.applied, trigger.run) ? .discard : .keep
        // There are no rows to show in place of the overlay.
        case .filters where ownership.state == .evicted || ownership.state == .empty: .keep
        case .filters(let numbers):
            isShown(write, ownership.applied, trigger.run(ofAny: numbers)) ? .discard : .keep
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
