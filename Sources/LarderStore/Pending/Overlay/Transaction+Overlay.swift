internal import LarderEngine
public import LarderFormat
internal import LarderJSON

extension Transaction {
    /// Applies a local write over a row, whether the row exists or not; readers see it from this commit on.
    ///
    /// It stays until it is withdrawn, or confirmed and released, whatever happens to the server's rows meanwhile. A
    /// row may have several overlays: the one with the highest sequence is shown, and patches above this one are
    /// recomputed. An overlay of the same row and sequence is replaced.
    ///
    /// - Parameters:
    ///   - updatedAt: milliseconds since 1970-01-01 UTC.
    ///   - entryID: the outbox entry whose effect it is.
    ///   - account: the account that makes it.
    ///   - sequence: that entry's sequence, or nil to use the next one of the outbox.
    /// - Returns: its sequence.
    /// - Throws: ``StoreError/invalid(_:)`` for a key or payload beyond the format's limits, a sequence that was not
    ///   assigned yet, and a patch that is not JSON or results in a row beyond the limits;
    ///   ``StoreError/damaged(table:reason:)``; ``EngineError``.
    @discardableResult
    package mutating func applyOverlay(
        _ change: OverlayChange, at key: RowKey, updatedAt: Int64, entryID: UUIDBytes? = nil, account: String? = nil,
        sequence: Int64? = nil
    ) throws -> Int64 {
        let sequence = try sequence ?? next(\.nextOutboxSequence)
        let effect = RowEffect(change, at: key)
        try applyLayer(
            preparedLayer(of: effect, updatedAt: updatedAt, entryID: entryID, account: account, sequence: sequence))
        return sequence
    }

    /// Checks and encodes an overlay before anything is written, so that ``applyLayer(_:)`` fails only when storage does.
    ///
    /// - Throws: as ``applyOverlay(_:at:updatedAt:entryID:account:sequence:)``.
    mutating func preparedLayer(
        of effect: RowEffect, updatedAt: Int64, entryID: UUIDBytes?, account: String?, sequence: Int64
    ) throws -> PreparedLayer {
        guard try sequence >= 0 && sequence < nextOutboxSequence() else {
            throw StoreError.invalid(.invalidValue(field: "sequence", value: sequence))
        }
        let encoded = try Self.overlayKey(effect.key, sequence)
        var record = OverlayRecord(effect.change, updatedAt: updatedAt, entryID: entryID, account: account)
        // This also reads the resource, whose count of overlaid rows changes with this overlay, and restores a damaged
        // one.
        record.base = try serverChecksum(at: effect.key)
        let (beneath, isTop) = try rowBeneath(effect, sequence, encoded)
        let row: RowContent?
        do throws(FormatError) {
            try Limits.check(payload: effect.change.content?.count ?? 0)
            // A patch that is not JSON has no result, whatever the row.
            if let patch = effect.change.patch, JSONMergePatch(patch) == nil {
                throw .invalidValue(field: "patch", value: Int64(patch.count))
            }
            row = try record.applied(to: .success(beneath)).get()
            try Limits.check(payload: row?.payload.count ?? 0)
        } catch {
            throw StoreError.invalid(error)
        }
        if let beneath, beneath.codec == .json, beneath.payload.count <= Limits.basePayload {
            record.basePayload = beneath.payload
        }
        return PreparedLayer(row: effect.key, key: encoded, record: record, top: isTop ? .some(row) : nil)
    }

    /// Stores an overlay and updates the row that readers see.
    mutating func applyLayer(_ prepared: PreparedLayer) throws {
        try put(body: prepared.record.encode(), key: prepared.key, in: .overlay)
        // The row beneath the highest overlay is the one shown before: no other overlay has to be read.
        if let row = prepared.top {
            try storeTopRow(row, at: prepared.row)
        } else {
            try refreshOverlay(at: prepared.row)
        }
    }

    /// Replaces the change of an overlay, and recomputes the patches above it. The overlay is pending again, and keeps
    /// the base row it was made from.
    ///
    /// - Parameter updatedAt: milliseconds since 1970-01-01 UTC; nil keeps the old time.
    /// - Returns: false when there is no such overlay.
    /// - Throws: as ``applyOverlay(_:at:updatedAt:entryID:account:sequence:)``.
    @discardableResult
    package mutating func changeOverlay(
        at key: RowKey, sequence: Int64, to change: OverlayChange, updatedAt: Int64? = nil
    ) throws -> Bool {
        guard let old = try storedOverlay(Self.overlayKey(key, sequence)) else { return false }
        var prepared = try preparedLayer(
            of: RowEffect(change, at: key), updatedAt: updatedAt ?? old.updatedAt, entryID: old.entryID,
            account: old.account, sequence: sequence)
        prepared.record.base = old.base
        prepared.record.basePayload = old.basePayload
        try applyLayer(prepared)
        return true
    }

    /// Marks an overlay as confirmed by the server; nothing is released yet.
    ///
    /// - Parameters:
    ///   - timeline: the timeline of the server's response; nil for the present one.
    ///   - serverSequence: the server's sequence of the write, where it reported one.
    ///   - acceptance: the journal's sequence of the server's response; nil for the newest one in the journal.
    /// - Returns: false when there is no such overlay.
    /// - Throws: ``StoreError/invalid(_:)`` for a key beyond the limits; ``StoreError/damaged(table:reason:)``;
    ///   ``EngineError``.
    @discardableResult
    package mutating func confirmOverlay(
        at key: RowKey, sequence: Int64, timeline: Int64? = nil, serverSequence: Int64? = nil,
        acceptance: Int64? = nil
    ) throws -> Bool {
        let encoded = try Self.overlayKey(key, sequence)
        guard var record = try storedOverlay(encoded) else { return false }
        // Journal sequences begin at 1, so the one before the next is at least 0.
        record.acceptance = try acceptance ?? (nextJournalSequence() - 1)
        record.timeline = try timeline ?? appliedPosition().timeline
        record.serverSequence = serverSequence
        try put(body: record.encode(), key: encoded, in: .overlay)
        try updateLowestConfirmed(at: key)
        return true
    }

    /// Removes an overlay: the row beneath is shown again, and patches above are recomputed. Overlays above may be
    /// released.
    ///
    /// - Returns: false when there was no such overlay.
    /// - Throws: ``StoreError/invalid(_:)`` for a key beyond the limits; ``StoreError/damaged(table:reason:)``;
    ///   ``EngineError``.
    @discardableResult
    package mutating func removeOverlay(at key: RowKey, sequence: Int64) throws -> Bool {
        let isRemoved = try removeOverlayOnly(at: key, sequence: sequence)
        if isRemoved { try releaseOverlays(at: key) }
        return isRemoved
    }

    /// As ``removeOverlay(at:sequence:)``, without releasing the overlays above it.
    mutating func removeOverlayOnly(at key: RowKey, sequence: Int64) throws -> Bool {
        guard try remove(key: Self.overlayKey(key, sequence), in: .overlay) else { return false }
        try refreshOverlay(at: key)
        return true
    }

    /// Removes the overlays of an entry.
    ///
    /// - Parameter replaced: rows on which another overlay has already replaced this entry's.
    mutating func removeOverlays(of entry: OutboxEntry, except replaced: [RowKey] = []) throws {
        for row in entry.rows where !replaced.contains(row) { try removeOverlay(at: row, sequence: entry.sequence) }
    }

    /// Returns the overlay of one entry over a row, or nil. Other overlays of the row may be damaged.
    ///
    /// - Throws: ``StoreError/damaged(table:reason:)`` when this overlay is damaged.
    public borrowing func overlay(at key: RowKey, sequence: Int64) throws -> Overlay? {
        guard let record = try storedOverlay(Self.overlayKey(key, sequence)) else { return nil }
        let stack = try tables.stack(at: key, in: engine)
        let rows = try tables.rows(of: stack, in: engine)
        let place = stack.layers.firstIndex { $0.sequence == sequence }
        return Overlay(key, sequence, record, row: place.flatMap { try? rows[$0].get() })
    }
}

// MARK: - Records

/// An overlay that is about to be stored.
struct PreparedLayer: Sendable {
    let row: RowKey
    /// The key of its record.
    let key: [UInt8]
    var record: OverlayRecord
    /// The row after this overlay, or none, where the overlay is known to be the highest of its row.
    let top: RowContent??
}

extension Transaction {
    /// Returns the row beneath an overlay that is about to be stored, and whether readers are known to see that row
    /// now.
    private borrowing func rowBeneath(
        _ effect: RowEffect, _ sequence: Int64, _ key: [UInt8]
    ) throws -> (row: RowContent?, isTop: Bool) {
        do {
            let isTop = try tables.isAboveAll(key, effect.key, in: engine)
            if isTop, case .success(let row)? = try tables.shownRow(Self.shownKey(effect.key), in: engine)?.row {
                return (row, true)
            }
            var stack = try tables.stack(at: effect.key, in: engine)
            stack.layers.removeAll { $0.sequence >= sequence }
            let server = try tables.serverRow(at: effect.key, in: engine)
            let row = stack.rows { server }.last ?? server
            return (try decoding(.overlay) { () throws(FormatError) in try row.get() }, isTop && stack.layers.isEmpty)
        } catch let error as StoreError {
            // Damage beneath does not keep a replacement or a removal from being stored.
            guard case .damaged = error else { throw error }
            if effect.change.patch != nil { throw error }
            return (nil, false)
        }
    }

    static func overlayKey(_ key: RowKey, _ sequence: Int64) throws(StoreError) -> [UInt8] {
        try Self.key { try OverlayKey.append(key, sequence: sequence, to: &$0) }
    }

    borrowing func storedOverlay(_ key: [UInt8]) throws -> OverlayRecord? {
        try tables.record(key.rawSpan, .overlay, in: engine, OverlayRecord.init(decoding:))
    }

    /// Returns the checksum of the server's row, or nil when there is none.
    private mutating func serverChecksum(at key: RowKey) throws -> UInt64? {
        guard let source = try rowSource(of: key.resource) else { return nil }
        var buffer = KeyBuffer()
        try source.appendKey(type: key.type, key: key.key, to: &buffer)
        guard let value = try engine.value(forKey: buffer.bytes, in: tables.rows) else { return nil }
        return try Self.checksum(of: value)
    }
}
