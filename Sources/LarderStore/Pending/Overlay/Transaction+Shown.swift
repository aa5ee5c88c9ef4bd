internal import LarderEngine
internal import LarderFormat

// What readers see of a row that local writes lie over is a record of its own, made of those writes and of what the server
// has. Whatever changes one of them makes it anew in the same transaction.

/// Brings what readers see of rows that local writes lie over in line with the server's rows beneath them.
final class OverlaidRowStage: RowStage {
    init(_ file: OpenFile) {}

    func changed(_ row: RowChange, in transaction: inout Transaction) throws {
        guard row.isOverlaid, transaction.effects.states.known(MaterializedRow.self)?.key != row.key else { return }
        try transaction.refreshOverlay(under: row)
    }

    func replacedRows(of resource: ResourceKey, in transaction: inout Transaction) throws {
        try transaction.refreshOverlays(of: resource)
    }

    func restore(_ record: inout ResourceRecord, of resource: ResourceKey, in transaction: inout Transaction) throws {
        let prefix = try Transaction.key { try $0.append(resource: resource) }
        let rows = try transaction.tables.overlaidRows(prefix, from: prefix, most: .max, in: transaction.engine)
        record.overlays = Int64(rows.looked)
    }
}

/// The row that released writes are becoming: what readers see of it is made when all of them have.
final class MaterializedRow: CommitState {
    var key: RowKey?

    init(_ shared: SharedState) {}
}

extension Transaction {
    /// Makes what readers see of a row anew after the server's row was changed; observers are told if that is another row.
    fileprivate mutating func refreshOverlay(under row: RowChange) throws {
        let stack = try tables.stack(at: row.key, in: engine)
        if !stack.layers.isEmpty { return try show(stack) }
        if row.isRemoval { effects.changes.noteRemoval(row.key) } else { effects.changes.noteUpsert(row.key) }
    }

    /// Makes what readers see of a row anew of the writes over it; observers are told if that is another row.
    mutating func refreshOverlay(at key: RowKey) throws { try show(try tables.stack(at: key, in: engine)) }

    /// Makes what readers see of the rows of a resource anew, after all that the server has was replaced or withdrawn, which
    /// observers are told by other means.
    fileprivate mutating func refreshOverlays(of resource: ResourceKey) throws {
        guard try record(of: resource)?.overlays ?? 0 > 0 else { return }
        for stack in try tables.stacks(of: resource, in: engine) { try show(stack, isNoted: false) }
    }

    private mutating func show(_ stack: OverlayStack, isNoted: Bool = true) throws {
        // A damaged write must not keep its resource from being synced: where one takes part, the row is unknown until that is
        // mended.
        let row = try tables.shown(of: stack, in: engine)
        let key = try Self.shownKey(stack.key)
        try show(row, value: row.map { stack.sealed($0, key: key) }, at: stack.key, stored: key, isNoted: isNoted)
    }

    /// Notes anew whether the lowest write over a row is confirmed, where what readers see of the row stays as it is: no other
    /// write is read.
    ///
    /// Where no write is left, or what readers see cannot be read, it is made anew.
    mutating func markLowest(at key: RowKey) throws {
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

    /// Shows the row that a pending write makes which lies over all others.
    mutating func showTop(_ row: RowContent?, at key: RowKey) throws {
        let stored = try Self.shownKey(key)
        let isLowestConfirmed = try tables.shownRow(stored, in: engine)?.isLowestConfirmed ?? false
        let value = OverlayStack.sealed(.success(row), isLowestConfirmed: isLowestConfirmed, key: stored)
        try show(.success(row), value: value, at: key, stored: stored, isNoted: true)
    }

    /// Stores what readers see of a row that local writes lie over, or removes it where none does any more.
    private mutating func show(
        _ row: KnownRow?, value: [UInt8]?, at key: RowKey, stored: [UInt8], isNoted: Bool
    ) throws {
        if let value, try engine.value(forKey: stored.rawSpan, in: tables.overlay)?.equals(value.rawSpan) == true {
            return
        }
        let before = try tables.shownRow(stored, in: engine)?.row
        // Before the change: a damaged record of the resource is made anew with the count of what is there.
        if (before == nil) != (value == nil) { try countOverlaid(value == nil ? -1 : 1, of: key.resource) }
        if let value {
            try put(value.rawSpan, key: stored.rawSpan, in: .overlay)
        } else if before != nil {
            try remove(key: stored, in: .overlay)
        }
        try index(row, inPlaceOf: before, at: key)
        guard isNoted else { return }
        let (was, isNow) = try (
            before ?? tables.serverRow(at: key, in: engine), row ?? tables.serverRow(at: key, in: engine)
        )
        guard case .success(let shown) = isNow, was != isNow else { return }
        if shown == nil { effects.changes.noteRemoval(key) } else { effects.changes.noteUpsert(key) }
    }

    /// Brings the index entries of a row that local writes lie over in line with what readers see of it.
    private mutating func index(_ row: KnownRow?, inPlaceOf before: KnownRow?, at key: RowKey) throws {
        guard row != before, let indexes = try rowIndexes(over: key.resource, type: key.type) else { return }
        let scope = IndexEntryKey.Scope.overlaid(key.resource)
        func entries(_ row: RowContent) throws -> [IndexEntryRecord] {
            try indexes.entries(in: scope, key: key.key, payload: row.payload.rawSpan, codec: row.codec)
        }
        var changes = IndexChanges()
        switch before {
        case .success(let row?)?: changes.remove(try entries(row))
        // What they were made of cannot be read any more.
        case .failure?: changes.remove(try entriesNaming(key: key.key, indexes, in: scope))
        case .success(nil)?, nil: break
        }
        if case .success(let row?)? = row { changes.put(try entries(row)) }
        try apply(changes)
    }

    static func shownKey(_ row: RowKey) throws(StoreError) -> [UInt8] {
        try key { try OverlayKey.append(row, to: &$0) }
    }

    /// Keeps the count that tells readers whether there is anything to look for.
    private mutating func countOverlaid(_ change: Int64, of resource: ResourceKey) throws {
        // A count that was wrong on the medium is a finding, not a reason to stop writing.
        try update(resource) { $0.overlays = max(0, $0.overlays.addingReportingOverflow(change).partialValue) }
    }
}
