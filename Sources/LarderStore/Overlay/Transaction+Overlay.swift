internal import LarderEngine
public import LarderFormat

extension Transaction {
    /// Lays a local write over a row, be there one or not; readers see it from this commit on.
    ///
    /// It stays until ``removeOverlay(at:sequence:)``, whatever happens to the server's rows meanwhile. Several may lie
    /// over one row; the one with the highest sequence is shown.
    ///
    /// - Parameters:
    ///   - updatedAt: milliseconds since 1970-01-01 UTC.
    ///   - entryID: the outbox entry whose effect it is.
    ///   - sequence: that entry's sequence, or nil to take the next one of the outbox.
    /// - Returns: its sequence.
    /// - Throws: ``StoreError/invalid(_:)`` for a key or payload beyond the format's limits, or a sequence that was not
    ///   given yet; ``EngineError``.
    @discardableResult
    public mutating func layOver(
        _ change: OverlayChange, at key: RowKey, updatedAt: Int64, entryID: UUIDBytes? = nil,
        sequence: Int64? = nil
    ) throws -> Int64 {
        let sequence = try sequence ?? next(\.nextOutboxSequence)
        guard try sequence >= 0 && sequence < nextOutboxSequence() else {
            throw StoreError.invalid(.invalidValue(field: "sequence", value: sequence))
        }
        let (kind, payload, codec): (OverlayRecord.Kind, [UInt8], PayloadCodec) =
            switch change {
            case .replacement(let payload, let codec): (.replacement, payload, codec)
            case .removal: (.tombstone, [], .opaque)
            }
        do throws(FormatError) {
            try Limits.check(payload: payload.count)
        } catch {
            throw StoreError.invalid(error)
        }
        let record = OverlayRecord(
            kind: kind, updatedAt: updatedAt, entryID: entryID, base: try serverChecksum(at: key))
        let encoded = try Self.overlayKey(key, sequence)
        let isNew = try engine.value(forKey: encoded.rawSpan, in: tables.overlay) == nil
        try put(record, payload.rawSpan, codec: codec, key: encoded)
        if isNew { try count(1, of: key.resource) }
        try noteMerged(key)
        return sequence
    }

    /// Marks an overlay as confirmed by the server.
    ///
    /// - Returns: false when it is not there.
    @discardableResult
    public mutating func confirmOverlay(at key: RowKey, sequence: Int64) throws -> Bool {
        let encoded = try Self.overlayKey(key, sequence)
        guard let (record, payload, codec) = try storedOverlay(encoded) else { return false }
        var confirmed = record
        confirmed.state = .confirmed
        if confirmed != record { try put(confirmed, payload.rawSpan, codec: codec, key: encoded) }
        return true
    }

    /// Takes an overlay away: what lies beneath is shown again.
    ///
    /// - Returns: false when it was not there.
    @discardableResult
    public mutating func removeOverlay(at key: RowKey, sequence: Int64) throws -> Bool {
        guard try remove(key: Self.overlayKey(key, sequence), in: .overlay) else { return false }
        try count(-1, of: key.resource)
        try noteMerged(key)
        return true
    }

    /// Confirms the overlays of an accepted entry, or releases them where nothing will bring them back.
    ///
    /// - Parameters:
    ///   - serverSequence: the server's sequence of the write, where it reported one.
    ///   - acceptance: the journal's sequence of the outcome.
    mutating func confirmOverlays(of entry: OutboxEntry, serverSequence: Int64?, acceptance: Int64) throws {
        for row in entry.rows { try confirmOverlay(at: row, sequence: entry.sequence) }
    }

    /// Takes the overlays of an entry away.
    mutating func withdrawOverlays(of entry: OutboxEntry) throws {
        for row in entry.rows { try removeOverlay(at: row, sequence: entry.sequence) }
    }

    /// The overlays of a resource, by row and then by sequence, this transaction's own changes included.
    public borrowing func overlays(of resource: ResourceKey) throws -> [Overlay] {
        try tables.overlays(of: resource, in: engine)
    }

    /// The overlays of a row, the one that is shown last.
    public borrowing func overlays(at key: RowKey) throws -> [Overlay] {
        try tables.overlays(at: key, in: engine)
    }

    private borrowing func storedOverlay(
        _ key: [UInt8]
    ) throws -> (record: OverlayRecord, payload: [UInt8], codec: PayloadCodec)? {
        guard let value = try engine.value(forKey: key.rawSpan, in: tables.overlay) else { return nil }
        return try decoding(.overlay) { () throws(FormatError) in
            let body = try OverlayBody(body: try Record.open(value, key: key.rawSpan, seed: TableName.overlay.seed))
            return (body.record, [UInt8](copying: body.payload), try RecordHeader.payloadCodec(in: value))
        }
    }

    private static func overlayKey(_ key: RowKey, _ sequence: Int64) throws(StoreError) -> [UInt8] {
        try Self.key { (buffer) throws(FormatError) in try OverlayKey.append(key, sequence: sequence, to: &buffer) }
    }

    private mutating func put(
        _ record: OverlayRecord, _ payload: RawSpan, codec: PayloadCodec, key: [UInt8]
    ) throws {
        let body = record.encode(payload: payload)
        let value = Record.seal(
            body: body.rawSpan, codec: codec.rawValue, key: key.rawSpan, seed: TableName.overlay.seed)
        try put(value.rawSpan, key: key.rawSpan, in: .overlay)
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

    /// Tells observers what is shown at `key` from now on.
    private mutating func noteMerged(_ key: RowKey) throws {
        let isShown = try tables.mergedRow(at: key, in: engine) != nil
        if isShown { effects.changes.noteUpsert(key) } else { effects.changes.noteRemoval(key) }
    }
}
