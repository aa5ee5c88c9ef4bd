internal import LarderEngine
internal import LarderFormat

// Checks of confirmed overlays; ``ReleaseDecision`` decides on each of them.

/// The place at which another commit continues a check of confirmed overlays.
package struct ReleasePlace: Hashable, Sendable {
    fileprivate let key: [UInt8]
}

extension Transaction {
    /// The most rows that a commit checks besides its own changes.
    package static var releaseRowLimit: Int { 256 }

    /// Confirms the overlays of an accepted entry, and releases those that need not stay.
    ///
    /// - Parameters:
    ///   - serverSequence: the server's sequence of the write, where it reported one.
    ///   - acceptance: the journal's sequence of the outcome.
    mutating func confirmOverlays(of entry: OutboxEntry, serverSequence: Int64?, acceptance: Int64) throws {
        for row in entry.rows {
            do {
                try confirmOverlay(
                    at: row, sequence: entry.sequence, serverSequence: serverSequence, acceptance: acceptance)
            } catch let error as StoreError {
                // A damaged overlay must not keep its entry in the outbox.
                guard case .damaged = error else { throw error }
                // If it stayed, the row could not be read, and no overlay above it would ever be released.
                _ = try removeOverlayOnly(at: row, sequence: entry.sequence)
            }
        }
        var known: [ResourceKey: ResourceOwnership] = [:]
        for row in entry.rows { try releaseReadableOverlays(at: row, on: .change, &known) }
    }

    /// Releases overlays of the resources that this transaction has touched. Work beyond the limit of one commit is
    /// left to later commits.
    mutating func releaseOverlays() throws {
        var rowsLeft = Self.releaseRowLimit
        var releases = try ordersOfRemovedFilters()
        while true {
            // A release may touch its resource again.
            while let resource = effects.states.existing(OverlaidChanges.self)?.resources.popFirst() {
                releases.add(try ReleaseOrder(resource))
            }
            guard let order = releases.popFirst() else { return }
            guard rowsLeft > 0 else {
                state(RemainingReleases.self).orders.add(order)
                continue
            }
            let (rest, checked) = try releaseOverlays(order, limit: rowsLeft)
            rowsLeft -= checked
            if let rest { state(RemainingReleases.self).orders.add(rest) }
        }
    }

    private func ordersOfRemovedFilters() throws -> ReleaseOrders {
        var orders = ReleaseOrders()
        guard let removed = effects.states.existing(RemovedFilters.self) else { return orders }
        for resource in removed.overlaid { orders.add(try ReleaseOrder(resource, isRemoval: true)) }
        // Resources that the removed filters had dropped or kept undecided now depend on the remaining filters.
        if removed.count > 0 { orders.add(.everything) }
        return orders
    }

    /// Releases the overlays of an order that may be released.
    ///
    /// - Returns: the rest of the order, nil when it is done, and the number of rows checked.
    mutating func releaseOverlays(_ order: ReleaseOrder, limit: Int) throws -> (rest: ReleaseOrder?, looked: Int) {
        let (next, checked) = try releaseOverlays(order, on: order.trigger, limit: limit)
        guard let next else { return (nil, checked) }
        var rest = order
        rest.start = next
        return (rest, checked)
    }

    /// Releases the overlays that the end of a run allows to release, and those that earlier commits have left.
    ///
    /// - Parameters:
    ///   - place: the place at which an earlier commit has stopped; nil to begin.
    ///   - limit: the most rows to check.
    /// - Returns: the place at which another commit continues, or nil when all rows were checked.
    /// - Throws: ``EngineError``. Damaged overlays stay.
    package mutating func releaseOverlays(
        after end: RunEnd, from place: ReleasePlace? = nil, limit: Int = Self.releaseRowLimit
    ) throws -> ReleasePlace? {
        try releaseOverlays(.everything, from: place, on: .run(end), limit: limit)
    }

    /// Releases the overlays that the end of a pass allows to release; otherwise as
    /// ``releaseOverlays(after:from:limit:)-(RunEnd,_,_)``.
    ///
    /// - Parameter isComplete: whether the pass read all of the list.
    mutating func releaseOverlays(
        after pass: ListPass, isComplete: Bool, from place: ReleasePlace?, limit: Int = Self.releaseRowLimit
    ) throws -> ReleasePlace? {
        // A pass that ended early proves nothing about any write.
        let trigger = ReleaseTrigger.pass(journalAtBegin: isComplete ? pass.journalAtBegin : 0)
        return try releaseOverlays(ReleaseOrder(pass.resource), from: place, on: trigger, limit: limit)
    }

    private mutating func releaseOverlays(
        _ order: ReleaseOrder, from place: ReleasePlace?, on trigger: ReleaseTrigger, limit: Int
    ) throws -> ReleasePlace? {
        var order = order
        if let place { order.start = place.key }
        return try releaseOverlays(order, on: trigger, limit: limit).next.map { ReleasePlace(key: $0) }
    }

    private mutating func releaseOverlays(
        _ order: ReleaseOrder, on trigger: ReleaseTrigger, limit: Int
    ) throws -> (next: [UInt8]?, looked: Int) {
        let page = try tables.overlaidRows(order.scope.prefix, from: order.start, limit: limit, in: engine)
        var known: [ResourceKey: ResourceOwnership] = [:]
        for row in page.confirmed { try releaseReadableOverlays(at: row, on: trigger, &known) }
        return (page.next, page.checkedCount)
    }

    /// As ``releaseOverlays(at:under:on:)``, but leaves what cannot be read, so that damage keeps no other content from being
    /// stored; `verify` reports it.
    ///
    /// - Parameter known: the ownership of the resources that were looked up before.
    private mutating func releaseReadableOverlays(
        at row: RowKey, on trigger: ReleaseTrigger, _ known: inout [ResourceKey: ResourceOwnership]
    ) throws {
        do {
            let ownership = try known[row.resource] ?? ownership(of: row.resource, on: trigger)
            known[row.resource] = ownership
            try releaseOverlays(at: row, under: ownership, on: trigger)
        } catch let error as StoreError {
            guard case .damaged = error else { throw error }
        }
    }

    /// Releases the confirmed overlays of a row, the lowest first and none above one that stays. The row beneath a
    /// released overlay is shown again.
    private mutating func releaseOverlays(
        at key: RowKey, under ownership: ResourceOwnership, on trigger: ReleaseTrigger
    ) throws {
        var released = ReleasedWrites()
        try tables.forEachLayer(at: key, in: engine) { layer in
            guard let write = try confirmation(of: layer) else { return false }
            let decision = ReleaseDecision.decide(write, under: ownership, on: trigger)
            if decision == .keep { return false }
            try released.add(layer, write.position, isRow: decision == .materialize) {
                try tables.serverRow(at: key, in: engine)
            }
            return true
        }
        if released.sequences.isEmpty { return }
        for sequence in released.sequences { try remove(key: Self.overlayKey(key, sequence), in: .overlay) }
        state(MaterializedRow.self).key = key
        switch released.row {
        case .success(let row?)?: try put(row.payload, at: key, updatedAt: row.updatedAt, codec: row.codec)
        case .success(nil)?: try removeRow(at: key)
        case .failure?, nil: break
        }
        if case .success? = released.row { try raiseApplied(key.resource, to: released.position) }
        if ownership.isWithdrawnByHost {
            try update(key.resource) { $0.applied = max($0.applied, released.position ?? .zero) }
        }
        state(MaterializedRow.self).key = nil
        // If all of them became the row, the remaining overlays result in the row that is shown already.
        if released.areAllInRow { try updateLowestConfirmed(at: key) } else { try refreshOverlay(at: key) }
    }

    /// Raises the position of a resource of which nothing was synced yet, so that no lagging snapshot undoes its rows.
    ///
    /// It does so only where there are rows: an empty resource with a position is one that filters have withdrawn.
    private mutating func raiseApplied(_ resource: ResourceKey, to position: ServerPosition?) throws {
        guard let position, try record(of: resource)?.isLocalOnly == true else { return }
        try update(resource) { $0.applied = max($0.applied, position) }
    }

    /// Returns the server's confirmation of a write; nil while the write waits to be sent.
    private func confirmation(of layer: OverlayStack.Layer) throws -> ConfirmedWrite? {
        if case .success(let record) = layer.record {
            let position = record.serverSequence.map { ServerPosition(record.timeline, $0) }
            return record.acceptance.map { ConfirmedWrite(position: position, acceptance: $0) }
        }
        // A write that cannot be read is confirmed once its entry has left the outbox: in that journal record, or
        // before all that are kept.
        if try tables.hasEntry(sequence: layer.sequence, in: engine) { return nil }
        let outcome = try tables.journalSequence(ofEntry: layer.sequence, in: engine)
        let oldest = try nextJournalSequence() - Int64(Limits.journalRecords)
        return ConfirmedWrite(position: nil, acceptance: outcome ?? oldest - 1)
    }

    /// Releases overlays of a row after one of them was removed.
    mutating func releaseOverlays(at key: RowKey) throws {
        guard try tables.shownRow(Self.shownKey(key), in: engine)?.isLowestConfirmed == true else { return }
        try releaseOverlays(at: key, under: ownership(of: key.resource), on: .change)
    }
}

/// The lowest writes over a row, which are being released.
private struct ReleasedWrites {
    private(set) var sequences: [Int64] = []
    /// The row that results from the server's row and the writes that become the row; nil when none does.
    private(set) var row: KnownRow?
    /// The highest server position of the writes.
    private(set) var position: ServerPosition?
    /// Whether the row contains the effects of all of them.
    private(set) var areAllInRow = true

    /// - Parameter server: returns the server's row; called for the first write that becomes the row.
    mutating func add(
        _ layer: OverlayStack.Layer, _ position: ServerPosition?, isRow: Bool, over server: () throws -> KnownRow
    ) rethrows {
        sequences.append(layer.sequence)
        if let position { self.position = max(position, self.position ?? .zero) }
        // The effect of a damaged write is lost.
        guard isRow, case .success(let record) = layer.record else {
            areAllInRow = false
            return
        }
        let made = record.applied(to: try row ?? server())
        switch made {
        // Only the result of a patch can be too long for a row, or unknown; the row beneath then stays.
        case .success(let content?) where content.payload.count <= Limits.payload: row = made
        case .success(nil) where record.change == .removal: row = made
        case .success(nil): break
        case .success, .failure: areAllInRow = false
        }
    }
}
