internal import LarderEngine
internal import LarderFormat

// The row that readers see where there are overlays is a record of its own, computed from the local writes and the
// server's row. Every change of these recomputes it in the same transaction.

/// Recomputes the rows that readers see when the server's rows beneath overlays change.
final class ShownRowUpdater: RowChangeHandler {
    init(_ file: FileContext) {}

    func rowDidChange(_ row: RowChange, in transaction: inout Transaction) throws {
        guard row.isOverlaid, transaction.effects.states.existing(MaterializedRow.self)?.key != row.key else { return }
        try transaction.refreshOverlay(under: row)
    }

    func didReplaceRows(of resource: ResourceKey, in transaction: inout Transaction) throws {
        try transaction.refreshOverlays(of: resource)
    }

    func restore(_ record: inout ResourceRecord, of resource: ResourceKey, in transaction: inout Transaction) throws {
        let prefix = try Transaction.key { try $0.append(resource: resource) }
        let rows = try transaction.tables.overlaidRows(prefix, from: prefix, limit: .max, in: transaction.engine)
        record.overlays = Int64(rows.checkedCount)
    }
}

/// The row whose overlays are being released; the row that readers see is recomputed when all of them are.
final class MaterializedRow: CommitState {
    var key: RowKey?

    init(_ shared: SharedState) {}
}

extension Transaction {
    /// Recomputes the row that readers see after the server's row was changed, and notifies observers if it differs.
    fileprivate mutating func refreshOverlay(under row: RowChange) throws {
        let stack = try tables.stack(at: row.key, in: engine)
        if !stack.layers.isEmpty { return try updateShownRow(stack) }
        if row.isRemoval { effects.changes.addRemoval(row.key) } else { effects.changes.addUpsert(row.key) }
    }

    /// Recomputes the row that readers see from the writes over it, and notifies observers if it differs.
    mutating func refreshOverlay(at key: RowKey) throws { try updateShownRow(try tables.stack(at: key, in: engine)) }

    /// Recomputes the rows that readers see of a resource, after all of the server's rows were replaced or withdrawn.
    /// Observers are notified of that by other means.
    fileprivate mutating func refreshOverlays(of resource: ResourceKey) throws {
        guard try record(of: resource)?.overlays ?? 0 > 0 else { return }
        for stack in try tables.stacks(of: resource, in: engine) { try updateShownRow(stack, notifies: false) }
    }

    private mutating func updateShownRow(_ stack: OverlayStack, notifies: Bool = true) throws {
        // A damaged write must not keep its resource from being synced: a row that depends on it is unknown until the
        // damage is repaired.
        let row = try tables.shown(of: stack, in: engine)
        let key = try Self.shownKey(stack.key)
        try storeShownRow(
            row, value: row.map { stack.sealed($0, key: key) }, at: stack.key, stored: key, notifies: notifies)
    }

    /// Updates whether the lowest write over a row is confirmed, where the row that readers see stays the same; no
    /// other write is read.
    ///
    /// Recomputes the row when no write is left, or when the stored row cannot be read.
    mutating func updateLowestConfirmed(at key: RowKey) throws {
        let stored = try Self.shownKey(key)
        var lowest: OverlayStack.Layer?
        try tables.forEachLayer(at: key, in: engine) { layer in
            lowest = layer
            return false
        }
        guard let lowest, case .success(let row)? = try tables.shownRow(stored, in: engine)?.row else {
            return try refreshOverlay(at: key)
        }
        let value = OverlayStack.sealed(.success(row), isLowestConfirmed: lowest.isConfirmed, key: stored)
        try put(value.rawSpan, key: stored.rawSpan, in: .overlay)
    }

    /// Shows the row that results from a pending write above all others.
    mutating func storeTopRow(_ row: RowContent?, at key: RowKey) throws {
        let stored = try Self.shownKey(key)
        let isLowestConfirmed = try tables.shownRow(stored, in: engine)?.isLowestConfirmed ?? false
        let value = OverlayStack.sealed(.success(row), isLowestConfirmed: isLowestConfirmed, key: stored)
        try storeShownRow(.success(row), value: value, at: key, stored: stored, notifies: true)
    }

    /// Stores the row that readers see, or removes its record when the row has no overlays any more.
    private mutating func storeShownRow(
        _ row: KnownRow?, value: [UInt8]?, at key: RowKey, stored: [UInt8], notifies: Bool
    ) throws {
        if let value, try engine.value(forKey: stored.rawSpan, in: tables.overlay)?.equals(value.rawSpan) == true {
            return
        }
        let before = try tables.shownRow(stored, in: engine)?.row
        // This precedes the change: a damaged record of the resource is restored with the count of the stored rows.
        if (before == nil) != (value == nil) { try adjustOverlayCount(value == nil ? -1 : 1, of: key.resource) }
        if let value {
            try put(value.rawSpan, key: stored.rawSpan, in: .overlay)
        } else if before != nil {
            try remove(key: stored, in: .overlay)
        }
        try index(row, inPlaceOf: before, at: key)
        guard notifies else { return }
        let (was, isNow) = try (
            before ?? tables.serverRow(at: key, in: engine), row ?? tables.serverRow(at: key, in: engine)
        )
        guard case .success(let shown) = isNow, was != isNow else { return }
        if shown == nil { effects.changes.addRemoval(key) } else { effects.changes.addUpsert(key) }
    }

    /// Updates the index entries of a row with overlays to the row that readers see.
    private mutating func index(_ row: KnownRow?, inPlaceOf before: KnownRow?, at key: RowKey) throws {
        guard row != before, let indexes = try rowIndexes(over: key.resource, type: key.type) else { return }
        let scope = IndexEntryKey.Scope.overlaid(key.resource)
        func entries(_ row: RowContent) throws -> [IndexEntryRecord] {
            try indexes.entries(in: scope, key: key.key, payload: row.payload.rawSpan, codec: row.codec)
        }
        var changes = IndexChanges()
        switch before {
        case .success(let row?)?: changes.remove(try entries(row))
        // The old row cannot be read any more, so its entries are found by its key.
        case .failure?: changes.remove(try entriesNaming(key: key.key, indexes, in: scope))
        case .success(nil)?, nil: break
        }
        if case .success(let row?)? = row { changes.put(try entries(row)) }
        try apply(changes)
    }

    static func shownKey(_ row: RowKey) throws(StoreError) -> [UInt8] {
        try key { try OverlayKey.append(row, to: &$0) }
    }

    /// Updates the count of a resource's rows with overlays, from which readers know whether to search for any.
    private mutating func adjustOverlayCount(_ change: Int64, of resource: ResourceKey) throws {
        // A count that was wrong on the medium is a finding, not a reason to stop writing.
        try update(resource) { $0.overlays = max(0, $0.overlays.addingReportingOverflow(change).partialValue) }
    }
}
