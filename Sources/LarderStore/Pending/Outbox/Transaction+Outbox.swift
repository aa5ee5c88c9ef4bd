internal import LarderEngine
package import LarderFormat

extension Transaction {
    /// Appends an entry to its lane and applies its effects over rows, in one commit with the transaction's other
    /// changes.
    ///
    /// The commit is fully durable, whatever durability the write requested.
    ///
    /// - Parameter effects: the changes that readers see from this commit on; each row at most once.
    /// - Throws: ``StoreError/duplicateEntry(_:)``; ``StoreError/invalid(_:)`` for a lane, key or payload beyond the
    ///   limits, for a header field that would store credentials, and for a patch that is not JSON;
    ///   ``StoreError/damaged(table:reason:)`` for a patch over a damaged row. Nothing of the entry is kept then, even
    ///   if the transaction goes on.
    @discardableResult
    package mutating func enqueue(_ draft: OutboxDraft, effects: [RowEffect] = []) throws -> OutboxEntry {
        try check(draft)
        let sequence = try next(\.nextOutboxSequence)
        return try insert(draft, sequence: sequence, layers: try layers(effects, of: draft, sequence: sequence))
    }

    /// Replaces the state of an entry's delivery, if the stored one equals `old`.
    ///
    /// The commit is fully durable, whatever durability the write requested.
    ///
    /// - Returns: false, and nothing is changed, when the entry does not exist or its delivery differs from `old`.
    /// - Throws: ``StoreError/damaged(table:reason:)`` for a damaged delivery; ``EngineError``.
    package mutating func updateDelivery(
        of id: UUIDBytes, from old: OutboxDelivery, to new: OutboxDelivery
    ) throws -> Bool {
        guard var record = try tables.delivery(id, in: engine), record.delivery == old else { return false }
        writer.requireFullDurability()
        if new == old { return true }
        let (was, isNow) = (old.state.isPending, new.state.isPending)
        if was != isNow {
            try adjustPendingCounts(entries: isNow ? 1 : -1, byteCount: isNow ? record.byteCount : -record.byteCount)
        }
        record.delivery = new
        try put(record, of: id)
        return true
    }

    /// Removes an entry that the server has accepted, journals that, and confirms or releases its overlays.
    ///
    /// - Parameters:
    ///   - sequence: the server's sequence of the write, where it reported one.
    ///   - time: milliseconds since 1970-01-01 UTC.
    /// - Throws: ``StoreError/unknownEntry(_:)``.
    package mutating func completeEntry(_ id: UUIDBytes, sequence: Int64? = nil, at time: Int64) throws {
        let entry = try removeEntry(id, keepsBlob: false)
        let number = try journalOutcome(entry, "accepted", nil, at: time)
        try confirmOverlays(of: entry, serverSequence: sequence, acceptance: number)
    }

    /// Makes an entry that the server refused a dead letter, journals that, and removes its overlays.
    ///
    /// The changes of the overlays are kept with the entry, up to ``Limits/withdrawnPayloads``.
    ///
    /// - Parameters:
    ///   - delivery: the state of its delivery; `state`, `dueAt` and `batch` are set here.
    ///   - detail: the reason, as plain text.
    /// - Throws: ``StoreError/unknownEntry(_:)``.
    package mutating func rejectEntry(
        _ id: UUIDBytes, _ delivery: OutboxDelivery, detail: String?, at time: Int64
    ) throws {
        guard let entry = try outboxHead(id) else { throw StoreError.unknownEntry(id) }
        var rejected = delivery
        rejected.state = .rejected
        rejected.dueAt = nil
        rejected.batch = nil
        _ = try updateDelivery(of: id, from: entry.delivery, to: rejected)
        try removeDeduplication(of: entry.draft)
        _ = try journalOutcome(entry, "rejected", detail, at: time)
        try storeWithdrawnOverlays(of: entry)
        try removeOverlays(of: entry)
    }

    /// Removes an entry and its overlays, and records its outcome.
    ///
    /// The commit is fully durable, whatever durability the write requested.
    ///
    /// - Parameters:
    ///   - outcome: one word, such as `dropped`. For `accepted` there is ``completeEntry(_:sequence:at:)``.
    ///   - time: milliseconds since 1970-01-01 UTC.
    /// - Throws: ``StoreError/unknownEntry(_:)``.
    package mutating func removeEntry(
        _ id: UUIDBytes, outcome: String, detail: String? = nil, at time: Int64
    ) throws {
        let entry = try removeEntry(id, keepsBlob: false)
        _ = try journalOutcome(entry, outcome, detail, at: time)
        try removeOverlays(of: entry)
    }

    /// As ``removeEntry(_:outcome:detail:at:)``, for an entry whose delivery is damaged.
    mutating func removeUndeliverable(_ entry: OutboxEntry, outcome: String, detail: String?, at time: Int64) throws {
        writer.requireFullDurability()
        try removeEntry(entry.draft, OutboxDeliveryRecord(lane: entry.lane, sequence: entry.sequence))
        if let blob = entry.draft.blob { try discardBlob(blob.number) }
        _ = try journalOutcome(entry, outcome, detail, at: time)
        try removeOverlays(of: entry)
    }

    /// Returns the number and size of the entries to be sent, this transaction's own changes included.
    ///
    /// - Throws: ``StoreError/damaged(table:reason:)`` when the counters are damaged; `EngineError`.
    public borrowing func pendingOutbox() throws -> PendingOutbox { try pendingCounts() }

    /// Returns the newest entry of an account in a lane, without body and header fields; or nil.
    ///
    /// - Throws: ``StoreError/damaged(table:reason:)``, ``EngineError``.
    package borrowing func lastOutboxHead(lane: String, account: String?) throws -> OutboxEntry? {
        try tables.lastHead(lane: lane, account: account, in: engine)
    }

    /// Returns the bytes that an entry counts for in ``pendingOutbox()``; 0 when there is none.
    ///
    /// - Throws: ``StoreError/damaged(table:reason:)`` for a damaged delivery; ``EngineError``.
    package borrowing func outboxByteCount(of id: UUIDBytes) throws -> Int64 {
        try tables.delivery(id, in: engine)?.byteCount ?? 0
    }

    /// Returns the readable entries by lane, without body and header fields. A damaged one must not keep the others
    /// from being changed.
    ///
    /// - Throws: ``EngineError``.
    package borrowing func readableOutboxHeads() throws -> [OutboxEntry] {
        try tables.readableHeads(in: engine).entries
    }
}

// MARK: - Records

extension Transaction {
    borrowing func check(_ draft: OutboxDraft) throws {
        do throws(FormatError) {
            try Limits.check(lane: draft.lane)
            try draft.checkContent(without: shared.credentialFields)
        } catch {
            throw StoreError.invalid(error)
        }
        precondition(draft.mostAttempts > 0, "an entry has at least one attempt")
        if try tables.delivery(draft.id, in: engine) != nil { throw StoreError.duplicateEntry(draft.id) }
    }

    /// Returns the overlays of an entry's effects, checked and encoded but not stored.
    mutating func layers(
        _ effects: [RowEffect], of draft: OutboxDraft, sequence: Int64
    ) throws -> [PreparedLayer] {
        var layers: [PreparedLayer] = []
        for effect in effects {
            layers.append(
                try preparedLayer(
                    of: effect, updatedAt: draft.createdAt, entryID: draft.id, account: draft.account,
                    sequence: sequence))
        }
        return layers
    }

    mutating func insert(
        _ draft: OutboxDraft, sequence: Int64, layers: [PreparedLayer]
    ) throws -> OutboxEntry {
        writer.requireFullDurability()
        let entry = OutboxEntry(draft: draft, sequence: sequence, rows: layers.map(\.row))
        let byteCount = try put(entry)
        let delivery = OutboxDeliveryRecord(lane: draft.lane, sequence: sequence, byteCount: byteCount)
        try put(delivery, of: draft.id)
        try addDeduplication(of: draft)
        try adjustPendingCounts(entries: 1, byteCount: byteCount)
        for layer in layers { try applyLayer(layer) }
        return entry
    }

    /// Removes an entry and its delivery, discards its blob unless it is kept, and updates the counts.
    mutating func removeEntry(_ id: UUIDBytes, keepsBlob: Bool) throws -> OutboxEntry {
        guard let delivery = try tables.delivery(id, in: engine), let entry = try outboxHead(id) else {
            throw StoreError.unknownEntry(id)
        }
        writer.requireFullDurability()
        try removeEntry(entry.draft, delivery)
        if !keepsBlob, let blob = entry.draft.blob { try discardBlob(blob.number) }
        return entry
    }

    /// Removes the records of an entry, and updates the counts.
    mutating func removeEntry(_ draft: OutboxDraft, _ delivery: OutboxDeliveryRecord) throws {
        try removeRecords(of: draft.id, lane: delivery.lane, sequence: delivery.sequence)
        try removeDeduplication(of: draft)
        if delivery.delivery.state.isPending { try adjustPendingCounts(entries: -1, byteCount: -delivery.byteCount) }
    }

    /// Removes head, body and delivery of an entry.
    mutating func removeRecords(of id: UUIDBytes, lane: String, sequence: Int64) throws {
        let keys: [OutboxKey] = [
            .head(lane: lane, sequence: sequence), .body(sequence: sequence), .delivery(entryID: id),
        ]
        for key in keys { try remove(key: try Self.outboxKey(key), in: .outbox) }
        markEntryChanged(id, lane: lane)
    }

    static func outboxKey(_ key: OutboxKey) throws(StoreError) -> [UInt8] {
        try Self.key { try key.append(to: &$0) }
    }

    /// Stores head and body of an entry.
    ///
    /// - Returns: the bytes that it counts for.
    mutating func put(_ entry: OutboxEntry) throws -> Int64 {
        let head = try put(entry.headRecord, at: .head(lane: entry.lane, sequence: entry.sequence))
        let body = try put(OutboxBodyRecord(entry.draft), at: .body(sequence: entry.sequence))
        return (head + body).clampedSum(entry.draft.blob?.byteCount ?? 0)
    }

    /// Stores a record.
    ///
    /// - Returns: its size in bytes.
    mutating func put(_ record: some TupleRecord, at place: OutboxKey) throws -> Int64 {
        let (key, body) = (try Self.outboxKey(place), record.encode())
        try put(body: body, key: key, in: .outbox)
        return Int64(key.count + RecordHeader.size + body.count)
    }

    /// Stores the state of the delivery of an entry.
    mutating func put(_ record: OutboxDeliveryRecord, of id: UUIDBytes) throws {
        _ = try put(record, at: .delivery(entryID: id))
        markEntryChanged(id, lane: record.lane)
    }

    /// Records the outcome of an entry in the journal, and returns the record's sequence, which is above all earlier
    /// ones.
    mutating func journalOutcome(
        _ entry: OutboxEntry, _ outcome: String, _ detail: String?, at time: Int64
    ) throws -> Int64 {
        try journalOutcome(entry.id, lane: entry.lane, sequence: entry.sequence, outcome, detail, at: time)
    }

    @discardableResult
    mutating func journalOutcome(
        _ id: UUIDBytes, lane: String, sequence: Int64, _ outcome: String, _ detail: String?, at time: Int64
    ) throws -> Int64 {
        let record = OutboxOutcome(
            id: id, lane: lane, sequence: sequence, time: time, outcome: outcome, detail: detail)
        return try appendJournalRecord(JournalRecord(time: time, event: .outcome(record)))
    }

    /// Adds a record to the journal, and removes the one that is too old now.
    ///
    /// - Returns: its sequence.
    @discardableResult
    mutating func appendJournalRecord(_ record: JournalRecord) throws -> Int64 {
        let sequence = try next(\.nextJournalSequence)
        try put(body: record.encode(), in: .journal) { try JournalRecord.appendKey(sequence, to: &$0) }
        let oldest = sequence - Int64(Limits.journalRecords)
        guard oldest >= 0 else { return sequence }
        // Sequences have no gaps, so each new record makes exactly one too old.
        try remove(key: Self.key { try JournalRecord.appendKey(oldest, to: &$0) }, in: .journal)
        return sequence
    }
}
