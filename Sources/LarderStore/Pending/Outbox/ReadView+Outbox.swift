internal import LarderEngine
public import LarderFormat

extension StoreReader where Self: ~Copyable & ~Escapable {
    /// Returns the entries of a lane, or of every lane, each lane in order.
    ///
    /// - Parameters:
    ///   - lane: the lane; nil for every lane.
    ///   - place: with a lane, only entries above this sequence.
    ///   - limit: the most entries to read.
    /// - Throws: ``StoreError/damaged(table:reason:)``; ``StoreError/invalid(_:)`` for a lane beyond the limits.
    public borrowing func outboxEntries(
        lane: String? = nil, after place: Int64 = -1, limit: Int = .max
    ) throws -> [OutboxEntry] {
        try tables.heads(lane: lane, after: place, limit: limit, in: engine).map {
            try tables.entryWithBody($0, in: engine)
        }
    }

    /// Returns the entry with an identity, or nil.
    ///
    /// - Throws: ``StoreError/damaged(table:reason:)``, `EngineError`.
    public borrowing func outboxEntry(_ id: UUIDBytes) throws -> OutboxEntry? { try tables.entry(id, in: engine) }

    /// Returns the entry with an identity, without body and header fields; or nil.
    ///
    /// - Throws: as ``outboxEntry(_:)``.
    package borrowing func outboxHead(_ id: UUIDBytes) throws -> OutboxEntry? { try tables.head(id, in: engine) }

    /// Returns the outcomes of entries, the oldest first, as far as the journal goes back: it keeps its newest thousand
    /// records.
    ///
    /// - Throws: ``StoreError/damaged(table:reason:)``, `EngineError`.
    public borrowing func outboxOutcomes() throws -> [OutboxOutcome] {
        try tables.journal(in: engine) { if case .outcome(let outcome) = $0 { outcome } else { nil } }
    }
}

extension ReadView {
    /// Returns the readable entries of a lane, without body and header fields. A damaged one must not hide those behind
    /// it.
    ///
    /// - Throws: ``EngineError``.
    package borrowing func readableOutboxHeads(lane: String) throws -> [OutboxEntry] {
        // The keys of other lanes may begin with those of this one.
        try tables.readableHeads(lane: lane, in: transaction).entries.filter { $0.lane.equalsBytewise(lane) }
    }

    /// Returns the readable entries by lane, without body and header fields, and the number of the others. A damaged
    /// record must not keep the rest from being sent.
    ///
    /// - Throws: ``EngineError``.
    package borrowing func readableOutboxHeads() throws -> (entries: [OutboxEntry], damaged: Int) {
        try tables.readableHeads(in: transaction)
    }

    /// Returns the entries of one lane or all that can be read as a whole, each lane in order, and the number of the
    /// others.
    ///
    /// - Throws: ``EngineError``.
    package borrowing func readableOutboxEntries(
        lane: String? = nil
    ) throws -> (entries: [OutboxEntry], damaged: Int) {
        var (heads, damaged) = try tables.readableHeads(lane: lane, in: transaction)
        // The keys of other lanes may begin with those of this one.
        if let lane { heads.removeAll { !$0.lane.equalsBytewise(lane) } }
        let entries = try heads.compactMap { head in
            do {
                return try tables.entryWithBody(head, in: transaction)
            } catch StoreError.damaged {
                damaged += 1
                return nil
            }
        }
        return (entries, damaged)
    }

    /// Returns the state of an entry's delivery, or nil when there is no such entry; cheaper than the entry.
    ///
    /// - Throws: ``StoreError/damaged(table:reason:)``, `EngineError`.
    public borrowing func outboxDelivery(_ id: UUIDBytes) throws -> OutboxDelivery? {
        try tables.delivery(id, in: transaction)?.delivery
    }

    /// Returns the number and size of the entries to be sent.
    ///
    /// - Throws: ``StoreError/damaged(table:reason:)`` when the counters are damaged; `EngineError`.
    public borrowing func pendingOutbox() throws -> PendingOutbox {
        PendingOutbox(try tables.counters(in: transaction))
    }
}
