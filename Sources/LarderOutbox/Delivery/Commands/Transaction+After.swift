internal import LarderFormat
internal import LarderStore

extension Transaction {
    /// Returns the entry that a new one waits for which is to come after `id`: that one, or the one that replaced it.
    ///
    /// The journal is bounded. An entry that neither it nor the outbox knows (any more) counts as accepted, because its
    /// outcome is unknown.
    ///
    /// - Throws: ``OutboxError/afterRejected(_:)`` when it left without being accepted, and no entry replaced it.
    /// - Complexity: O(1) for an entry in the outbox; otherwise every entry and the whole journal are read.
    borrowing func predecessor(_ id: UUIDBytes) throws -> UUIDBytes {
        var id = id
        var seen: Set<UUIDBytes> = []
        while seen.insert(id).inserted {
            if let entry = try outboxHead(id) {
                if entry.delivery.state == .rejected { throw OutboxError.afterRejected(id) }
                return id
            }
            guard let outcome = try lastOutcome(of: id), outcome.outcome != "accepted" else { return id }
            guard let next = try successor(of: outcome) else { throw OutboxError.afterRejected(id) }
            id = next
        }
        return id
    }

    /// Returns how an entry left; nil where that is unknown, also for a damaged journal.
    private borrowing func lastOutcome(of id: UUIDBytes) throws -> OutboxOutcome? {
        do {
            return try outboxOutcomes().last { $0.id == id }
        } catch StoreError.damaged {
            return nil
        }
    }

    /// Returns the entry that replaced one that left, as far as that is recorded.
    private borrowing func successor(of outcome: OutboxOutcome) throws -> UUIDBytes? {
        if let entry = try readableOutboxHeads().first(where: { $0.draft.predecessor == outcome.id }) {
            return entry.id
        }
        if outcome.outcome == PreparedResolution.outcome {
            return try conflicts().last { $0.entryID == outcome.id }?.successor
        }
        guard let detail = outcome.detail, detail.hasPrefix(Self.replacedDetail) else { return nil }
        return UUIDBytes(String(detail.dropFirst(Self.replacedDetail.count)))
    }
}
