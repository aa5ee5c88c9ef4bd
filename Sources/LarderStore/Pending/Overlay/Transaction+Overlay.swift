internal import LarderEngine
public import LarderFormat

extension Transaction {
    /// Lays a local write over a row, be there one or not; readers see it from this commit on.
    ///
    /// It stays until it is withdrawn, or confirmed and released, whatever happens to the server's rows meanwhile. Several
    /// may lie over one row; the one with the highest sequence is shown, and patches above this one are made anew. One of
    /// the same row and sequence is replaced.
    ///
    /// - Parameters:
    ///   - updatedAt: milliseconds since 1970-01-01 UTC.
    ///   - entryID: the outbox entry whose effect it is.
    ///   - sequence: that entry's sequence, or nil to take the next one of the outbox.
    /// - Returns: its sequence.
    /// - Throws: ``StoreError/invalid(_:)`` for a key or payload beyond the format's limits, a sequence that was not given
    ///   yet, and a patch that is no JSON, or makes a row beyond the limits; ``StoreError/damaged(table:reason:)``;
    ///   ``EngineError``.
    @discardableResult
    package mutating func layOver(
        _ change: OverlayChange, at key: RowKey, updatedAt: Int64, entryID: UUIDBytes? = nil,
        sequence: Int64? = nil
    ) throws -> Int64 {
        let sequence = try sequence ?? next(\.nextOutboxSequence)
        let effect = RowEffect(change, at: key)
        try lay(preparedLayer(of: effect, updatedAt: updatedAt, entryID: entryID, sequence: sequence))
        return sequence
    }

    /// All of an overlay that can be refused, before anything is changed: ``lay(_:)`` then fails only with the medium.
    ///
    /// - Throws: as ``layOver(_:at:updatedAt:entryID:sequence:)``.
    borrowing func preparedLayer(
        of effect: RowEffect, updatedAt: Int64, entryID: UUIDBytes?, sequence: Int64
    ) throws -> PreparedLayer {
        guard try sequence >= 0 && sequence < nextOutboxSequence() else {
            throw StoreError.invalid(.invalidValue(field: "sequence", value: sequence))
        }
        let encoded = try Self.overlayKey(effect.key, sequence)
        let base = try base(of: effect.change, at: effect.key, sequence)
        var layer = try OverlayLayer(effect.change, sequence: sequence, updatedAt: updatedAt, base: base)
        layer.record.entryID = entryID
        // It reads the resource too, whose count of overlays changes with this one.
        layer.record.base = try serverChecksum(at: effect.key)
        return PreparedLayer(row: effect.key, key: encoded, layer: layer)
    }

    /// Lays an overlay over its row.
    mutating func lay(_ prepared: PreparedLayer) throws {
        try changingShown(at: prepared.row) { transaction in
            let overlays = transaction.tables.overlay
            let isNew = try transaction.engine.value(forKey: prepared.key.rawSpan, in: overlays) == nil
            try transaction.put(prepared.layer, key: prepared.key)
            if isNew { try transaction.count(1, of: prepared.row.resource) }
            try transaction.remakePatches(at: prepared.row)
        }
    }

    /// Changes what an overlay does to its row, and makes the patches above it anew; it is pending again, and the row it
    /// was made from stays noted with it.
    ///
    /// - Parameter updatedAt: milliseconds since 1970-01-01 UTC; nil: as before.
    /// - Returns: false when it is not there.
    /// - Throws: as ``layOver(_:at:updatedAt:entryID:sequence:)``.
    @discardableResult
    package mutating func changeOverlay(
        at key: RowKey, sequence: Int64, to change: OverlayChange, updatedAt: Int64? = nil
    ) throws -> Bool {
        guard let old = try storedOverlay(Self.overlayKey(key, sequence)) else { return false }
        try layOver(
            change, at: key, updatedAt: updatedAt ?? old.record.updatedAt, entryID: old.record.entryID,
            sequence: sequence)
        guard var layer = try storedOverlay(Self.overlayKey(key, sequence)) else { return false }
        layer.record.base = old.record.base
        layer.record.basePayload = old.record.basePayload
        try put(layer, key: Self.overlayKey(key, sequence))
        return true
    }

    /// Marks an overlay as confirmed by the server; nothing is released yet.
    ///
    /// - Parameters:
    ///   - serverSequence: the server's sequence of the write, where it reported one.
    ///   - acceptance: the journal's sequence of the server's answer; nil for now.
    /// - Returns: false when it is not there.
    @discardableResult
    package mutating func confirmOverlay(
        at key: RowKey, sequence: Int64, serverSequence: Int64? = nil, acceptance: Int64? = nil
    ) throws -> Bool {
        let encoded = try Self.overlayKey(key, sequence)
        guard var layer = try storedOverlay(encoded) else { return false }
        // Numbers begin at 1, so the one before the next is none below 0.
        layer.record.acceptance = try acceptance ?? (nextJournalSequence() - 1)
        layer.record.serverSequence = serverSequence
        try put(layer, key: encoded)
        return true
    }

    /// Takes an overlay away: what lies beneath is shown again, and patches above are made anew.
    ///
    /// - Returns: false when it was not there.
    @discardableResult
    package mutating func removeOverlay(at key: RowKey, sequence: Int64) throws -> Bool {
        let isGone = try takeOverlay(at: key, sequence: sequence)
        if isGone { try settle(at: key) }
        return isGone
    }

    /// As ``removeOverlay(at:sequence:)``, without a look at whether those above may be released now.
    mutating func takeOverlay(at key: RowKey, sequence: Int64) throws -> Bool {
        let encoded = try Self.overlayKey(key, sequence)
        guard try engine.value(forKey: encoded.rawSpan, in: tables.overlay) != nil else { return false }
        try changingShown(at: key) { transaction in
            try transaction.remove(key: encoded, in: .overlay)
            try transaction.count(-1, of: key.resource)
            try transaction.remakePatches(at: key)
        }
        return true
    }

    /// Takes the overlays of an entry away.
    ///
    /// - Parameter kept: rows over which another lies in the place of this entry's by now.
    mutating func withdrawOverlays(of entry: OutboxEntry, but kept: [RowKey] = []) throws {
        for row in entry.rows where !kept.contains(row) { try removeOverlay(at: row, sequence: entry.sequence) }
    }

    /// The overlays of a resource, by row and then by sequence, this transaction's own changes included.
    public borrowing func overlays(of resource: ResourceKey) throws -> [Overlay] {
        try tables.overlays(of: resource, in: engine)
    }

    /// The overlays of a row, the one that is shown last.
    public borrowing func overlays(at key: RowKey) throws -> [Overlay] {
        try tables.overlays(at: key, in: engine)
    }

    /// The overlay of one entry over a row, or nil; others that lie there are not looked at.
    ///
    /// - Throws: ``StoreError/damaged(table:reason:)`` when this one is.
    public borrowing func overlay(at key: RowKey, sequence: Int64) throws -> Overlay? {
        try storedOverlay(Self.overlayKey(key, sequence)).map { Overlay(key, $0) }
    }

    /// The payload of the row that an overlay was made from, where it is kept; see ``Overlay/basePayload``.
    public borrowing func overlayBase(at key: RowKey, sequence: Int64) throws -> [UInt8]? {
        try storedOverlay(Self.overlayKey(key, sequence))?.record.basePayload
    }
}

// MARK: - Records

extension Transaction {
    /// What lies beneath an overlay that is about to be laid.
    private borrowing func base(
        of change: OverlayChange, at key: RowKey, _ sequence: Int64
    ) throws -> RowContent? {
        do {
            let stack = try tables.stack(at: key, in: engine)
            switch stack.beneath(sequence) {
            case .known(let content):
                if stack.restsOnServer(sequence) { _ = try serverContent(at: key) }
                return content
            case .unknown(let reason): throw StoreError.damaged(table: TableName.overlay.rawValue, reason: reason)
            case nil: return try serverContent(at: key)
            }
        } catch let error as StoreError {
            // Damage beneath keeps nobody from writing something else in its place.
            guard case .damaged = error else { throw error }
            if case .patch = change { throw error }
            return nil
        }
    }

    static func overlayKey(_ key: RowKey, _ sequence: Int64) throws(StoreError) -> [UInt8] {
        try Self.key { (buffer) throws(FormatError) in try OverlayKey.append(key, sequence: sequence, to: &buffer) }
    }

    borrowing func storedOverlay(_ key: [UInt8]) throws -> OverlayLayer? {
        guard let value = try engine.value(forKey: key.rawSpan, in: tables.overlay) else { return nil }
        return try decoding(.overlay) { () throws(FormatError) in
            try OverlayLayer(key: key.rawSpan, value: value)
        }
    }

    mutating func put(_ layer: OverlayLayer, key: [UInt8]) throws {
        try put(layer.sealed(key: key).rawSpan, key: key.rawSpan, in: .overlay)
    }

    /// The checksum of the server's row, or nil when there is none.
    private borrowing func serverChecksum(at key: RowKey) throws -> UInt64? {
        guard let source = try tables.rowSource(of: key.resource, in: engine) else { return nil }
        var buffer = KeyBuffer()
        try source.appendKey(type: key.type, key: key.key, to: &buffer)
        guard let value = try engine.value(forKey: buffer.bytes, in: tables.rows) else { return nil }
        return try Self.checksum(of: value)
    }

    /// Keeps the count that tells readers whether there is anything to look for.
    private mutating func count(_ change: Int64, of resource: ResourceKey) throws {
        // A count that was wrong on the medium is a finding, not a reason to stop writing.
        try update(resource) { $0.overlays = max(0, $0.overlays.addingReportingOverflow(change).partialValue) }
    }
}
