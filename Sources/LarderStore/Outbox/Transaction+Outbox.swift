internal import LarderEngine
public import LarderFormat

extension Transaction {
    /// Appends an entry to its lane, in one commit with whatever else this transaction changes.
    ///
    /// The commit is fully durable, whatever durability the write asked for.
    ///
    /// - Throws: ``StoreError/duplicateEntry(_:)``, ``StoreError/invalid(_:)`` for a lane or payload beyond the limits.
    @discardableResult
    public mutating func enqueue(_ draft: OutboxDraft) throws -> OutboxEntry {
        do throws(FormatError) {
            try Limits.check(lane: draft.lane)
            try Limits.check(payload: draft.payload.count)
        } catch {
            throw StoreError.invalid(error)
        }
        if try tables.outboxIndex(draft.id, in: engine) != nil { throw StoreError.duplicateEntry(draft.id) }
        engine.requireFullDurability()
        let sequence = try next(\.nextOutboxSequence)
        let record = OutboxRecord(
            entryID: draft.id, createdAt: draft.createdAt, mutationType: draft.mutationType, method: draft.method,
            endpoint: draft.endpoint, payload: draft.payload)
        try put(body: record.encode(), in: .outbox) { (key) throws(FormatError) in
            try OutboxRecord.appendKey(lane: draft.lane, sequence: sequence, to: &key)
        }
        try put(body: OutboxIndexRecord(lane: draft.lane, sequence: sequence).encode(), in: .outbox) {
            (key) throws(FormatError) in try OutboxIndexRecord.appendKey(draft.id, to: &key)
        }
        effects.changes.noteLane(draft.lane)
        return OutboxEntry(lane: draft.lane, sequence: sequence, record: record)
    }

    /// Takes an entry out of the outbox and records how it ended, in one commit with whatever else changes.
    ///
    /// The commit is fully durable, whatever durability the write asked for.
    ///
    /// - Parameters:
    ///   - outcome: one word, such as `accepted`.
    ///   - time: milliseconds since 1970-01-01 UTC.
    /// - Throws: ``StoreError/unknownEntry(_:)``.
    public mutating func acknowledge(
        _ id: UUIDBytes, outcome: String, detail: String? = nil, at time: Int64
    ) throws {
        guard let place = try tables.outboxIndex(id, in: engine) else { throw StoreError.unknownEntry(id) }
        engine.requireFullDurability()
        try remove(
            key: Self.key { (key) throws(FormatError) in
                try OutboxRecord.appendKey(lane: place.lane, sequence: place.sequence, to: &key)
            }, in: .outbox)
        try remove(
            key: Self.key { (key) throws(FormatError) in try OutboxIndexRecord.appendKey(id, to: &key) },
            in: .outbox)
        let event = JournalRecord.Event.outcome(
            .init(entryID: id, lane: place.lane, sequence: place.sequence, outcome: outcome, detail: detail))
        try note(JournalRecord(time: time, event: event))
        effects.changes.noteLane(place.lane)
    }

    /// Adds to the journal, and drops what is older than its newest records.
    mutating func note(_ record: JournalRecord) throws {
        let sequence = try next(\.nextJournalSequence)
        try put(body: record.encode(), in: .journal) { (key) throws(FormatError) in
            try JournalRecord.appendKey(sequence, to: &key)
        }
        let oldest = sequence - Int64(Limits.journalRecords)
        guard oldest >= 0 else { return }
        // Numbers are given without a gap, so as one comes in, one goes.
        try remove(
            key: Self.key { (key) throws(FormatError) in try JournalRecord.appendKey(oldest, to: &key) },
            in: .journal)
    }
}
