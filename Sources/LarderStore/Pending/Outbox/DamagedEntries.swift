internal import LarderEngine
package import LarderFormat

// Entries whose head, body or delivery cannot be read. They are known by their identities, which are keys.
extension StoreReader where Self: ~Copyable & ~Escapable {
    /// Returns the identities of the entries that cannot be read as a whole.
    ///
    /// - Throws: ``EngineError``.
    package borrowing func damagedOutboxEntries() throws -> [UUIDBytes] { try tables.damagedEntries(in: engine) }
}

extension Tables {
    func damagedEntries(in source: ReadTransaction) throws -> [UUIDBytes] {
        let heads = try readableHeads(in: source).entries
        let readable = Set(heads.filter { (try? entryWithBody($0, in: source)) != nil }.map(\.id))
        var damaged: [UUIDBytes] = []
        try forEachRaw(.outbox, prefix: OutboxKey.deliveries, in: source) { entry in
            guard case .delivery(let id) = try? OutboxKey(decoding: entry.key) else { return true }
            if !readable.contains(id) { damaged.append(id) }
            return true
        }
        return damaged
    }
}

extension Transaction {
    /// Removes an entry that cannot be read, with its overlays, and records its outcome.
    ///
    /// Reads the whole outbox and all overlays. The number of a blob that the entry sends is lost with a damaged head;
    /// that blob stays. The commit is fully durable, whatever durability the write requested.
    ///
    /// - Parameters:
    ///   - outcome: one word, such as `dropped`.
    ///   - time: milliseconds since 1970-01-01 UTC.
    /// - Throws: ``StoreError/unknownEntry(_:)`` when no damaged entry is known by this identity, or neither its head
    ///   nor its delivery can be read.
    package mutating func removeDamagedEntry(_ id: UUIDBytes, outcome: String, at time: Int64) throws {
        guard try tables.damagedEntries(in: engine).contains(id) else { throw StoreError.unknownEntry(id) }
        let head = try tables.readableEntries(in: engine).first { $0.id == id }
        let place = try? tables.delivery(id, in: engine)
        guard let (lane, sequence) = head.map({ ($0.lane, $0.sequence) }) ?? place.map({ ($0.lane, $0.sequence) })
        else {
            throw StoreError.unknownEntry(id)
        }
        writer.requireFullDurability()
        try removeRecords(of: id, lane: lane, sequence: sequence)
        try removeDeduplication(of: id)
        if let blob = head?.draft.blob { try discardBlob(blob.number) }
        try recountPending()
        try journalOutcome(id, lane: lane, sequence: sequence, outcome, nil, at: time)
        for row in try overlaidRows(bySequence: sequence) { try removeOverlay(at: row, sequence: sequence) }
    }

    /// Removes an entry from every record of deduplication keys, because its own key cannot be read.
    private mutating func removeDeduplication(of id: UUIDBytes) throws {
        var found: [UInt64] = []
        let prefix = OutboxKey.deduplications
        _ = try tables.forEachReadable(.outbox, prefix: prefix, in: engine) { key, body throws(FormatError) in
            (try OutboxKey(decoding: key), try OutboxDeduplicationRecord(decoding: body))
        } _: { (key: OutboxKey, record: OutboxDeduplicationRecord) in
            if case .deduplication(let hash) = key, record.entries.contains(id) { found.append(hash) }
        }
        for hash in found { try removeDeduplication(of: id, hash) }
    }

    /// Recounts what is to be sent, because the share of a damaged entry cannot be read.
    private mutating func recountPending() throws {
        var (entries, byteCount): (Int64, Int64) = (0, 0)
        let prefix = OutboxKey.deliveries
        _ = try tables.forEachReadable(.outbox, prefix: prefix, in: engine) { _, body throws(FormatError) in
            try OutboxDeliveryRecord(decoding: body)
        } _: { record in
            guard record.delivery.state.isPending else { return }
            entries += 1
            byteCount = byteCount.clampedSum(record.byteCount)
        }
        let counted = try pendingCounts()
        try adjustPendingCounts(entries: entries - Int64(counted.entries), byteCount: byteCount - counted.byteCount)
    }

    /// Returns the rows with an overlay of this sequence.
    private borrowing func overlaidRows(bySequence sequence: Int64) throws -> [RowKey] {
        var rows: [RowKey] = []
        try tables.forEachRaw(.overlay, prefix: OverlayKey.writesPrefix, in: engine) { entry in
            if let (row, number) = try? OverlayKey.decode(entry.key), number == sequence { rows.append(row) }
            return true
        }
        return rows
    }
}
