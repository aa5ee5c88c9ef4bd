internal import LarderEngine
package import LarderFormat

extension Transaction {
    /// Appends an entry to its lane and lays its effect over rows, in one commit with whatever else this transaction
    /// changes.
    ///
    /// The commit is fully durable, whatever durability the write asked for.
    ///
    /// - Parameter effects: what readers see from this commit on; each row at most once.
    /// - Throws: ``StoreError/duplicateEntry(_:)``, ``StoreError/invalid(_:)`` for a lane, key or payload beyond the limits,
    ///   for a header field that would store credentials, and for an effect that is none. Nothing of the entry is kept
    ///   then, also when the transaction goes on.
    @discardableResult
    package mutating func enqueue(_ draft: OutboxDraft, effects: [RowEffect] = []) throws -> OutboxEntry {
        try check(draft)
        let sequence = try next(\.nextOutboxSequence)
        return try insert(draft, sequence: sequence, layers: try layers(effects, of: draft, sequence: sequence))
    }

    /// Records how an entry's delivery goes from now on, if it goes as expected until now.
    ///
    /// The commit is fully durable, whatever durability the write asked for.
    ///
    /// - Returns: false, and nothing is changed, when the entry is gone or its delivery is another than `old`.
    package mutating func update(
        _ id: UUIDBytes, from old: OutboxDelivery, to new: OutboxDelivery
    ) throws -> Bool {
        guard var record = try tables.delivery(id, in: engine), record.delivery == old else { return false }
        writer.requireFullDurability()
        if new == old { return true }
        let (was, isNow) = (old.state.isPending, new.state.isPending)
        if was != isNow {
            try countPending(entries: isNow ? 1 : -1, byteCount: isNow ? record.byteCount : -record.byteCount)
        }
        record.delivery = new
        try put(record, of: id)
        return true
    }

    /// Takes an entry out of the outbox because the server has it: journals that, and confirms its overlays or releases
    /// them.
    ///
    /// - Parameters:
    ///   - sequence: the server's sequence of the write, where it reported one.
    ///   - time: milliseconds since 1970-01-01 UTC.
    /// - Throws: ``StoreError/unknownEntry(_:)``.
    package mutating func accept(_ id: UUIDBytes, sequence: Int64? = nil, at time: Int64) throws {
        let entry = try take(id, keepsBlob: false)
        let number = try journal(entry, "accepted", nil, at: time)
        try confirmOverlays(of: entry, serverSequence: sequence, acceptance: number)
    }

    /// Makes an entry a dead letter because the server refused it: journals that, and takes its overlays away. What they did to rows
    /// is kept with the entry, up to ``Limits/withdrawnPayloads``.
    ///
    /// - Parameters:
    ///   - delivery: how its delivery went; the state is set here.
    ///   - detail: why, for people.
    /// - Throws: ``StoreError/unknownEntry(_:)``.
    package mutating func reject(
        _ id: UUIDBytes, _ delivery: OutboxDelivery, detail: String?, at time: Int64
    ) throws {
        guard let entry = try outboxHead(id) else { throw StoreError.unknownEntry(id) }
        var rejected = delivery
        rejected.state = .rejected
        rejected.dueAt = nil
        rejected.batch = nil
        _ = try update(id, from: entry.delivery, to: rejected)
        try forgetDeduplication(of: entry.draft)
        _ = try journal(entry, "rejected", detail, at: time)
        try keepOverlays(of: entry)
        try withdrawOverlays(of: entry)
    }

    /// Takes an entry out of the outbox and records how it ended; what it laid over rows is taken away.
    ///
    /// The commit is fully durable, whatever durability the write asked for.
    ///
    /// - Parameters:
    ///   - outcome: one word, such as `dropped`. For `accepted` there is ``accept(_:sequence:at:)``.
    ///   - time: milliseconds since 1970-01-01 UTC.
    /// - Throws: ``StoreError/unknownEntry(_:)``.
    package mutating func acknowledge(
        _ id: UUIDBytes, outcome: String, detail: String? = nil, at time: Int64
    ) throws {
        let entry = try take(id, keepsBlob: false)
        _ = try journal(entry, outcome, detail, at: time)
        try withdrawOverlays(of: entry)
    }

    /// As ``acknowledge(_:outcome:detail:at:)``, for an entry whose delivery is damaged.
    mutating func removeUndeliverable(_ entry: OutboxEntry, outcome: String, detail: String?, at time: Int64) throws {
        writer.requireFullDurability()
        try removeEntry(entry.draft, OutboxDeliveryRecord(lane: entry.lane, sequence: entry.sequence))
        if let blob = entry.draft.blob { try discardBlob(blob.number) }
        _ = try journal(entry, outcome, detail, at: time)
        try withdrawOverlays(of: entry)
    }

    /// What is to be sent, this transaction's own changes included.
    public borrowing func pendingOutbox() throws -> PendingOutbox { try pendingCounts() }

    /// The newest entry of an account in a lane, without what it sends; or nil.
    package borrowing func lastOutboxHead(lane: String, account: String?) throws -> OutboxEntry? {
        try tables.lastHead(lane: lane, account: account, in: engine)
    }

    /// The bytes that an entry counts for in ``pendingOutbox()``; 0 where there is none.
    package borrowing func outboxByteCount(of id: UUIDBytes) throws -> Int64 {
        try tables.delivery(id, in: engine)?.byteCount ?? 0
    }

    /// The entries by lane, without what they send, and without those that cannot be read: one must not keep the others from being
    /// changed.
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

    /// What the effects of an entry lay over rows; all that can be refused of them is.
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
        try noteDeduplication(of: draft)
        try countPending(entries: 1, byteCount: byteCount)
        for layer in layers { try lay(layer) }
        return entry
    }

    /// Removes an entry and its delivery, gives its blob up, and counts.
    mutating func take(_ id: UUIDBytes, keepsBlob: Bool) throws -> OutboxEntry {
        guard let delivery = try tables.delivery(id, in: engine), let entry = try outboxHead(id) else {
            throw StoreError.unknownEntry(id)
        }
        writer.requireFullDurability()
        try removeEntry(entry.draft, delivery)
        if !keepsBlob, let blob = entry.draft.blob { try discardBlob(blob.number) }
        return entry
    }

    /// Removes the records of an entry, and counts.
    mutating func removeEntry(_ draft: OutboxDraft, _ delivery: OutboxDeliveryRecord) throws {
        try removeRecords(of: draft.id, lane: delivery.lane, sequence: delivery.sequence)
        try forgetDeduplication(of: draft)
        if delivery.delivery.state.isPending { try countPending(entries: -1, byteCount: -delivery.byteCount) }
    }

    /// Removes head, body and delivery of an entry.
    mutating func removeRecords(of id: UUIDBytes, lane: String, sequence: Int64) throws {
        let keys: [OutboxKey] = [
            .head(lane: lane, sequence: sequence), .body(sequence: sequence), .delivery(entryID: id),
        ]
        for key in keys { try remove(key: try Self.outboxKey(key), in: .outbox) }
        noteEntry(id, lane: lane)
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
    /// - Returns: its bytes.
    mutating func put(_ record: some TupleRecord, at place: OutboxKey) throws -> Int64 {
        let (key, body) = (try Self.outboxKey(place), record.encode())
        try put(body: body, key: key, in: .outbox)
        return Int64(key.count + RecordHeader.size + body.count)
    }

    /// Stores the state of the delivery of an entry.
    mutating func put(_ record: OutboxDeliveryRecord, of id: UUIDBytes) throws {
        _ = try put(record, at: .delivery(entryID: id))
        noteEntry(id, lane: record.lane)
    }

    /// Journals how an entry ended; the number of the record is above those of all that was journaled before.
    mutating func journal(
        _ entry: OutboxEntry, _ outcome: String, _ detail: String?, at time: Int64
    ) throws -> Int64 {
        try journal(entry.id, lane: entry.lane, sequence: entry.sequence, outcome, detail, at: time)
    }

    @discardableResult
    mutating func journal(
        _ id: UUIDBytes, lane: String, sequence: Int64, _ outcome: String, _ detail: String?, at time: Int64
    ) throws -> Int64 {
        let left = OutboxOutcome(
            id: id, lane: lane, sequence: sequence, time: time, outcome: outcome, detail: detail)
        return try note(JournalRecord(time: time, event: .outcome(left)))
    }

    /// Adds to the journal, and drops what is older than its newest records.
    ///
    /// - Returns: its sequence.
    @discardableResult
    mutating func note(_ record: JournalRecord) throws -> Int64 {
        let sequence = try next(\.nextJournalSequence)
        try put(body: record.encode(), in: .journal) { try JournalRecord.appendKey(sequence, to: &$0) }
        let oldest = sequence - Int64(Limits.journalRecords)
        guard oldest >= 0 else { return sequence }
        // Numbers are given without a gap, so as one comes in, one goes.
        try remove(key: Self.key { try JournalRecord.appendKey(oldest, to: &$0) }, in: .journal)
        return sequence
    }
}
