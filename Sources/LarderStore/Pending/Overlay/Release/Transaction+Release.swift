internal import LarderEngine
internal import LarderFormat

// Looking at confirmed overlays: what becomes of each of them is for ``Release`` to say.

/// Where looking at confirmed overlays goes on in another commit.
package struct ReleasePlace: Hashable, Sendable {
    fileprivate let key: [UInt8]
}

extension Transaction {
    /// The most rows that are looked at in a commit beside what it is about.
    package static var mostReleaseRows: Int { 256 }

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
                // A damaged overlay must not keep its entry from leaving; it is found by a walk through the store.
                guard case .damaged = error else { throw error }
                // Left where it is, nobody could read the row, and nothing above it would ever be released.
                _ = try takeOverlay(at: row, sequence: entry.sequence)
            }
        }
        var known: [ResourceKey: Tenure] = [:]
        for row in entry.rows { try settle(at: row, on: .change, &known) }
    }

    /// Releases what may be, of what was touched in this transaction; what is too much for one commit is left to those
    /// after it.
    mutating func settle() throws {
        var left = Self.mostReleaseRows
        var releases = try ordersOfRemovedFilters()
        while true {
            // What is released may touch its resource.
            while let resource = effects.states.known(OverlaidChanges.self)?.resources.popFirst() {
                releases.add(try ReleaseOrder(resource))
            }
            guard let order = releases.popFirst() else { return }
            guard left > 0 else {
                state(LeftReleases.self).orders.add(order)
                continue
            }
            let (rest, looked) = try settle(order, most: left)
            left -= looked
            if let rest { state(LeftReleases.self).orders.add(rest) }
        }
    }

    private func ordersOfRemovedFilters() throws -> ReleaseOrders {
        var orders = ReleaseOrders()
        guard let removed = effects.states.known(RemovedFilters.self) else { return orders }
        for resource in removed.overlaid { orders.add(try ReleaseOrder(resource, isRemoval: true)) }
        // What the filters had let go before, or kept in doubt, is as the others have it from now on.
        if removed.count > 0 { orders.add(.everything) }
        return orders
    }

    /// Releases what may be of what an order names.
    ///
    /// - Returns: what is left of the order, and how many rows were looked at.
    mutating func settle(_ order: ReleaseOrder, most: Int) throws -> (rest: ReleaseOrder?, looked: Int) {
        let (next, looked) = try settle(order, on: order.occasion, most: most)
        guard let next else { return (nil, looked) }
        var rest = order
        rest.start = next
        return (rest, looked)
    }

    /// Releases what the end of a run allows, and what commits before it have left.
    ///
    /// - Parameters:
    ///   - place: where a commit before this one has stopped; nil to begin.
    ///   - most: the most rows to look at.
    /// - Returns: where to go on in another commit, or nil when all were looked at.
    package mutating func settle(
        after end: RunEnd, from place: ReleasePlace? = nil, most: Int = Self.mostReleaseRows
    ) throws -> ReleasePlace? {
        try settle(.everything, from: place, on: .run(end), most: most)
    }

    /// Releases what the end of a pass over a list allows; otherwise as ``settle(after:from:most:)-(RunEnd,_,_)``.
    ///
    /// - Parameter isWhole: whether the pass went over all of the list.
    mutating func settle(
        after pass: ListPass, isWhole: Bool, from place: ReleasePlace?, most: Int = Self.mostReleaseRows
    ) throws -> ReleasePlace? {
        // One that broke off has brought nothing for sure.
        let occasion = ReleaseOccasion.pass(journalAtBegin: isWhole ? pass.journalAtBegin : 0)
        return try settle(ReleaseOrder(pass.resource), from: place, on: occasion, most: most)
    }

    private mutating func settle(
        _ order: ReleaseOrder, from place: ReleasePlace?, on occasion: ReleaseOccasion, most: Int
    ) throws -> ReleasePlace? {
        var order = order
        if let place { order.start = place.key }
        return try settle(order, on: occasion, most: most).next.map { ReleasePlace(key: $0) }
    }

    private mutating func settle(
        _ order: ReleaseOrder, on occasion: ReleaseOccasion, most: Int
    ) throws -> (next: [UInt8]?, looked: Int) {
        let page = try tables.overlaidRows(order.scope.prefix, from: order.start, most: most, in: engine)
        var known: [ResourceKey: Tenure] = [:]
        for row in page.confirmed { try settle(at: row, on: occasion, &known) }
        return (page.next, page.looked)
    }

    /// As ``settle(at:under:on:)``; what cannot be read stays, and is found by a walk through the store: it must not keep
    /// everything else from being stored.
    ///
    /// - Parameter known: how resources come by their rows, as far as it was looked up.
    private mutating func settle(
        at row: RowKey, on occasion: ReleaseOccasion, _ known: inout [ResourceKey: Tenure]
    ) throws {
        do {
            let tenure = try known[row.resource] ?? tenure(of: row.resource, on: occasion)
            known[row.resource] = tenure
            try settle(at: row, under: tenure, on: occasion)
        } catch let error as StoreError {
            guard case .damaged = error else { throw error }
        }
    }

    /// Releases the confirmed overlays of a row, the lowest first and none above one that stays: what lies beneath a
    /// released one is shown again.
    private mutating func settle(at key: RowKey, under tenure: Tenure, on occasion: ReleaseOccasion) throws {
        var released = ReleasedWrites()
        try tables.forEachLayer(at: key, in: engine) { layer in
            guard let write = try confirmation(of: layer) else { return false }
            let release = Release.of(write, under: tenure, on: occasion)
            if release == .stays { return false }
            try released.add(layer, write.position, isRow: release == .becomesRow) {
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
        if case .success? = released.row { try raise(key.resource, to: released.position) }
        if tenure.isLetGo { try update(key.resource) { $0.applied = max($0.applied, released.position ?? .zero) } }
        state(MaterializedRow.self).key = nil
        // Where all of them became the row, those that are left make of it what is shown already.
        if released.areAllInRow { try markLowest(at: key) } else { try refreshOverlay(at: key) }
    }

    /// Remembers how new the rows of a resource are that nothing was synced of yet: a snapshot that lags shows none of them
    /// as they were before. Only where there are rows: an empty resource with a position is one that filters have withdrawn.
    private mutating func raise(_ resource: ResourceKey, to position: ServerPosition?) throws {
        guard let position, try record(of: resource)?.isMadeHere == true else { return }
        try update(resource) { $0.applied = max($0.applied, position) }
    }

    /// What the server said of a write; nil while it waits to be sent.
    private func confirmation(of layer: OverlayStack.Layer) throws -> ConfirmedWrite? {
        if case .success(let record) = layer.record {
            let position = record.serverSequence.map { ServerPosition(record.timeline, $0) }
            return record.acceptance.map { ConfirmedWrite(position: position, acceptance: $0) }
        }
        // One that cannot be read is confirmed when its entry has left the outbox: by then, or before all that is journaled.
        if try tables.hasEntry(sequence: layer.sequence, in: engine) { return nil }
        let outcome = try tables.journalSequence(ofEntry: layer.sequence, in: engine)
        let oldest = try nextJournalSequence() - Int64(Limits.journalRecords)
        return ConfirmedWrite(position: nil, acceptance: outcome ?? oldest - 1)
    }

    /// Releases what may be of the overlays of a row, after one of them was taken away.
    mutating func settle(at key: RowKey) throws {
        guard try tables.shownRow(Self.shownKey(key), in: engine)?.isLowestConfirmed == true else { return }
        try settle(at: key, under: tenure(of: key.resource), on: .change)
    }
}

/// The lowest writes over a row, on their way out of its overlays.
private struct ReleasedWrites {
    private(set) var sequences: [Int64] = []
    /// What those that become the row make of the server's; nil where none does.
    private(set) var row: KnownRow?
    /// Where the server has counted the last of them.
    private(set) var position: ServerPosition?
    /// Whether the row has all that they did.
    private(set) var areAllInRow = true

    /// - Parameter server: what the server has; asked for the first that becomes the row.
    mutating func add(
        _ layer: OverlayStack.Layer, _ position: ServerPosition?, isRow: Bool, over server: () throws -> KnownRow
    ) rethrows {
        sequences.append(layer.sequence)
        if let position { self.position = max(position, self.position ?? .zero) }
        // What a damaged write did is lost.
        guard isRow, case .success(let record) = layer.record else {
            areAllInRow = false
            return
        }
        let made = record.applied(to: try row ?? server())
        switch made {
        // Only what a patch makes can be too long for a row, or not to be known; what lies beneath then stays.
        case .success(let content?) where content.payload.count <= Limits.payload: row = made
        case .success(nil) where record.change == .removal: row = made
        case .success(nil): break
        case .success, .failure: areAllInRow = false
        }
    }
}
