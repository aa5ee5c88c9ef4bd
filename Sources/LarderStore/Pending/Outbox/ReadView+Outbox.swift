internal import LarderEngine
public import LarderFormat

extension ReadView {
    /// The entries of a lane, or of every lane, each lane in order.
    ///
    /// - Parameter limit: the most entries to read.
    public borrowing func outboxEntries(lane: String? = nil, limit: Int = .max) throws -> [OutboxEntry] {
        try tables.entries(lane: lane, limit: limit, in: transaction)
    }

    /// The entries of a lane behind a place, in order.
    ///
    /// - Complexity: a look at each entry of the lane, and a copy of those behind.
    public borrowing func outboxEntries(lane: String, after sequence: Int64) throws -> [OutboxEntry] {
        try tables.entries(lane: lane, after: sequence, limit: .max, in: transaction)
    }

    /// As ``outboxEntries(lane:after:)``, without those of which not both records can be read: one
    /// that is damaged must not keep those behind it from being seen.
    package borrowing func readableOutboxEntries(lane: String, after sequence: Int64) throws -> [OutboxEntry] {
        do {
            return try outboxEntries(lane: lane, after: sequence).filter { try outboxDelivery($0.id) != nil }
        } catch StoreError.damaged {
            return try readableOutboxEntries().entries.filter { entry in
                entry.sequence > sequence && entry.lane.equalsBytewise(lane)
            }
        }
    }

    /// The entry with an identity, or nil.
    public borrowing func outboxEntry(_ id: UUIDBytes) throws -> OutboxEntry? {
        try tables.entry(id, in: transaction)
    }

    /// The entries that can be read, by lane, and how many records there are besides: one damaged record must not keep the rest
    /// from being sent.
    package borrowing func readableOutboxEntries() throws -> (entries: [OutboxEntry], damaged: Int) {
        try tables.readableEntries(in: transaction)
    }

    /// How the delivery of an entry goes, or nil when there is no such entry; cheaper than the entry.
    public borrowing func outboxDelivery(_ id: UUIDBytes) throws -> OutboxDelivery? {
        try tables.delivery(id, in: transaction)?.delivery
    }

    /// What is to be sent.
    public borrowing func pendingOutbox() throws -> PendingOutbox {
        PendingOutbox(try tables.counters(in: transaction))
    }

    /// How entries left the outbox, the oldest first; the newest thousand are kept.
    public borrowing func outboxOutcomes() throws -> [OutboxOutcome] {
        try tables.outcomes(in: transaction)
    }
}

extension Tables {
    func outcomes<Source: TableReader & ~Copyable>(in source: borrowing Source) throws -> [OutboxOutcome] {
        var outcomes: [OutboxOutcome] = []
        try forEach(.journal, prefix: [], in: source) { _, body in
            let record = try decoding(.journal) { () throws(FormatError) in try JournalRecord(decoding: body) }
            if case .outcome(let outcome) = record.event { outcomes.append(outcome) }
            return true
        }
        return outcomes
    }
}
