internal import LarderEngine
public import LarderFormat

extension StoreReader where Self: ~Copyable & ~Escapable {
    /// The entries of a lane, or of every lane, each lane in order.
    ///
    /// - Parameters:
    ///   - place: of one lane, only those behind this sequence.
    ///   - limit: the most entries to read.
    public borrowing func outboxEntries(
        lane: String? = nil, after place: Int64 = -1, limit: Int = .max
    ) throws -> [OutboxEntry] {
        try tables.heads(lane: lane, after: place, limit: limit, in: engine).map { try tables.whole($0, in: engine) }
    }

    /// The entry with an identity, or nil.
    public borrowing func outboxEntry(_ id: UUIDBytes) throws -> OutboxEntry? { try tables.entry(id, in: engine) }

    /// The entry with an identity without what it sends, neither body nor header fields; or nil.
    package borrowing func outboxHead(_ id: UUIDBytes) throws -> OutboxEntry? { try tables.head(id, in: engine) }

    /// How entries left the outbox, the oldest first; the newest thousand are kept.
    public borrowing func outboxOutcomes() throws -> [OutboxOutcome] {
        try tables.journal(in: engine) { if case .outcome(let outcome) = $0 { outcome } else { nil } }
    }
}

extension ReadView {
    /// The entries of a lane, without what they send; those that are damaged must not keep those behind them from being seen.
    package borrowing func readableOutboxHeads(lane: String) throws -> [OutboxEntry] {
        // The keys of other lanes may begin with those of this one.
        try tables.readableHeads(lane: lane, in: transaction).entries.filter { $0.lane.equalsBytewise(lane) }
    }

    /// The entries that can be read, by lane, without what they send, and how many there are besides: one damaged record must not
    /// keep the rest from being sent.
    package borrowing func readableOutboxHeads() throws -> (entries: [OutboxEntry], damaged: Int) {
        try tables.readableHeads(in: transaction)
    }

    /// The entries that can be read whole, of a lane or of every lane, each lane in order, and how many there are besides.
    package borrowing func readableOutboxEntries(
        lane: String? = nil
    ) throws -> (entries: [OutboxEntry], damaged: Int) {
        var (heads, damaged) = try tables.readableHeads(lane: lane, in: transaction)
        // The keys of other lanes may begin with those of this one.
        if let lane { heads.removeAll { !$0.lane.equalsBytewise(lane) } }
        let entries = try heads.compactMap { head in
            do {
                return try tables.whole(head, in: transaction)
            } catch StoreError.damaged {
                damaged += 1
                return nil
            }
        }
        return (entries, damaged)
    }

    /// How the delivery of an entry goes, or nil when there is no such entry; cheaper than the entry.
    public borrowing func outboxDelivery(_ id: UUIDBytes) throws -> OutboxDelivery? {
        try tables.delivery(id, in: transaction)?.delivery
    }

    /// What is to be sent.
    public borrowing func pendingOutbox() throws -> PendingOutbox {
        PendingOutbox(try tables.counters(in: transaction))
    }
}
