internal import LarderEngine
public import LarderFormat

extension ReadView {
    /// The entries of a lane, or of every lane, each lane in order.
    ///
    /// - Parameter limit: the most entries to read.
    public borrowing func outboxEntries(lane: String? = nil, limit: Int = .max) throws -> [OutboxEntry] {
        var entries: [OutboxEntry] = []
        if limit <= 0 { return entries }
        try tables.forEach(.outbox, prefix: lane.map(OutboxRecord.prefix) ?? [], in: transaction) { key, body in
            let entry = try decoding(.outbox) { () throws(FormatError) -> OutboxEntry? in
                switch try OutboxKey(decoding: key) {
                case .index: nil
                case .entry(let lane, let sequence):
                    OutboxEntry(lane: lane, sequence: sequence, record: try OutboxRecord(decoding: body))
                }
            }
            // The index lies behind all lanes.
            guard let entry else { return false }
            entries.append(entry)
            return entries.count < limit
        }
        return entries
    }

    /// The entry with an identity, or nil.
    public borrowing func outboxEntry(_ id: UUIDBytes) throws -> OutboxEntry? {
        guard let place = try tables.outboxIndex(id, in: transaction) else { return nil }
        let record = try tables.record(
            .outbox, in: transaction,
            key: { (key) throws(FormatError) in
                try OutboxRecord.appendKey(lane: place.lane, sequence: place.sequence, to: &key)
            },
            OutboxRecord.init(decoding:))
        return record.map { OutboxEntry(lane: place.lane, sequence: place.sequence, record: $0) }
    }

    /// How entries left the outbox, the oldest first; the newest thousand are kept.
    public borrowing func outboxOutcomes() throws -> [OutboxOutcome] {
        var outcomes: [OutboxOutcome] = []
        try tables.forEach(.journal, prefix: [], in: transaction) { _, body in
            let record = try decoding(.journal) { () throws(FormatError) in try JournalRecord(decoding: body) }
            if case .outcome(let outcome) = record.event {
                outcomes.append(
                    OutboxOutcome(
                        id: outcome.entryID, lane: outcome.lane, sequence: outcome.sequence, time: record.time,
                        outcome: outcome.outcome, detail: outcome.detail))
            }
            return true
        }
        return outcomes
    }
}
