internal import LarderEngine
internal import LarderFormat

// When the overlay of an accepted write goes: FORMAT.md, "overlay". Too early, and a reader sees the write disappear and
// return.

/// What the end of a run says of local writes that the server has accepted.
package struct RunEnd: Sendable {
    /// The number of its filter.
    let filter: Int64
    /// The sequence up to which it asked for changes.
    let bound: Int64
    /// The journal sequence that was next when it began.
    let journalAtBegin: Int64
    /// Whether the server may count anew since the writes were accepted.
    let isAfterRejection: Bool

    /// The end of a run of the filter of a number.
    package init(filter: Int64, bound: Int64, journalAtBegin: Int64, isAfterRejection: Bool) {
        self.filter = filter
        self.bound = bound
        self.journalAtBegin = journalAtBegin
        self.isAfterRejection = isAfterRejection
    }
}

/// Who brings the rows of a resource, as far as a local write over them is concerned.
private struct Tenure {
    let floor: Int64
    let state: ResourceRecord.State
    /// Whether a filter has it as member.
    let isHeld: Bool
    /// Whether no filter has it as member any more, by the server's word, while there are filters that may get it back.
    let isLetGo: Bool
    /// Whether a list is being walked.
    let isWalked: Bool
}

/// What becomes of a confirmed overlay.
private enum Release {
    case stays, goes
    /// Nothing will bring it from the server: it becomes the row.
    case becomesRow
}

extension Transaction {
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
        for row in entry.rows { try settleUnlessDamaged(at: row) }
    }

    /// As ``settle(at:after:)``; what cannot be read stays, and is found by a walk through the store: it must not keep
    /// everything else from being stored.
    @discardableResult
    private mutating func settleUnlessDamaged(at row: RowKey, after end: RunEnd? = nil) throws -> Int {
        do {
            return try settle(at: row, after: end)
        } catch let error as StoreError {
            guard case .damaged = error else { throw error }
            return 0
        }
    }

    /// Releases what may be where floors or rows have changed in this transaction.
    mutating func settle() throws {
        while let resource = unsettled.popFirst() {
            for row in try tables.confirmedRows(of: resource, in: engine) { try settleUnlessDamaged(at: row) }
        }
    }

    /// Releases what the end of a run allows, of the resources its filter holds, and of those that no filter holds.
    ///
    /// - Parameter most: the most rows to look at that have something to release.
    /// - Returns: whether there may be more.
    package mutating func settle(after end: RunEnd, most: Int = 256) throws -> Bool {
        var concerned: [ResourceKey: Bool] = [:]
        var released = 0
        for row in try tables.confirmedRows(in: engine) {
            let resource = row.resource
            if concerned[resource] == nil {
                concerned[resource] = try member(ofFilter: end.filter, resource) != nil || !isMember(resource)
            }
            guard concerned[resource] == true else { continue }
            if released >= most { return true }
            if try settleUnlessDamaged(at: row, after: end) > 0 { released += 1 }
        }
        return false
    }

    /// Releases what the end of a pass over a list allows.
    mutating func settle(after pass: ListPass, isWhole: Bool) throws {
        for row in try tables.confirmedRows(of: pass.resource, in: engine) {
            if isWhole, try !isMember(pass.resource) {
                for layer in try tables.stack(at: row, in: engine).layers {
                    guard let acceptance = layer.record.acceptance, acceptance < pass.journalAtBegin else { break }
                    _ = try takeOverlay(at: row, sequence: layer.sequence)
                }
            }
            try settle(at: row)
        }
    }

    /// Takes what is confirmed over a resource away, because the host has given up the last filter that held it.
    mutating func dropConfirmed(of resource: ResourceKey) throws {
        guard try record(of: resource)?.overlays ?? 0 > 0 else { return }
        for stack in try tables.stacks(of: resource, in: engine) {
            for layer in stack.layers where layer.record.acceptance != nil {
                _ = try takeOverlay(at: stack.key, sequence: layer.sequence)
            }
        }
    }

    /// Releases the confirmed overlays of a row, the lowest first and none above one that stays: what lies beneath a
    /// released one is shown again.
    ///
    /// - Returns: how many were released.
    @discardableResult
    mutating func settle(at key: RowKey, after end: RunEnd? = nil) throws -> Int {
        let layers = try tables.stack(at: key, in: engine).layers
        guard layers.first?.record.acceptance != nil else { return 0 }
        let tenure = try tenure(of: key.resource)
        var released = 0
        for layer in layers {
            guard let acceptance = layer.record.acceptance else { break }
            switch Self.release(layer.record, acceptance, tenure, end) {
            case .stays: return released
            case .goes: break
            case .becomesRow: try makeRow(at: key, layer.sequence)
            }
            _ = try takeOverlay(at: key, sequence: layer.sequence)
            released += 1
        }
        return released
    }
}

// MARK: - Deciding

extension Transaction {
    private borrowing func tenure(of resource: ResourceKey) throws -> Tenure {
        let record = try record(of: resource) ?? ResourceRecord()
        let isHeld = try isMember(resource)
        var isLetGo = false
        if !isHeld, record.state == .hidden || (record.state == .empty && record.snapshotPath != nil) {
            isLetGo = try !filters().isEmpty
        }
        return Tenure(
            floor: record.floor, state: record.state, isHeld: isHeld, isLetGo: isLetGo,
            isWalked: room.passes.isUnderWay(over: resource))
    }

    private static func release(
        _ overlay: OverlayRecord, _ acceptance: Int64, _ tenure: Tenure, _ end: RunEnd?
    ) -> Release {
        // One row is not the resource: what was evicted comes again as a whole, or not at all.
        if !tenure.isHeld, tenure.state == .evicted { return .stays }
        if !tenure.isHeld, !tenure.isLetGo { return tenure.isWalked ? .stays : .becomesRow }
        // Rows that are not here cannot be shown in its place.
        if tenure.isHeld, tenure.state == .evicted || tenure.state == .empty { return .stays }
        if let sequence = overlay.serverSequence {
            if tenure.floor >= sequence { return .goes }
            guard let end else { return .stays }
            if end.bound >= sequence { return .goes }
            if !end.isAfterRejection { return .stays }
        }
        guard let end else { return .stays }
        return end.journalAtBegin > acceptance ? .goes : .stays
    }

    /// Makes what an overlay shows the server's row.
    private mutating func makeRow(at key: RowKey, _ sequence: Int64) throws {
        guard let layer = try storedOverlay(Self.overlayKey(key, sequence)) else { return }
        if layer.record.kind == .tombstone {
            try removeRow(at: key)
        } else if let row = layer.content, row.payload.count <= Limits.payload {
            // Only what a patch makes can be too long for a row; what lies beneath then stays.
            try put(row.payload, at: key, updatedAt: row.updatedAt, codec: row.codec)
        }
    }
}
