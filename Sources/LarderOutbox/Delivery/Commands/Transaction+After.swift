internal import LarderFormat
internal import LarderStore

extension Transaction {
    /// The entry that a new one waits for which is to come after `id`: that one, or what has taken its place.
    ///
    /// The journal is bounded: of an entry that neither it nor the outbox knows (any more), nobody can tell how it ended,
    /// and it counts as accepted.
    ///
    /// - Throws: ``OutboxError/afterRejected(_:)`` when it left without being accepted, and nothing took its place.
    /// - Complexity: O(1) for one that is in the outbox; else a look at every entry and the whole journal.
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

    /// How an entry left; nil where nobody can tell, a damaged journal among it.
    private borrowing func lastOutcome(of id: UUIDBytes) throws -> OutboxOutcome? {
        do {
            return try outboxOutcomes().last { $0.id == id }
        } catch StoreError.damaged {
            return nil
        }
    }

    /// What took the place of an entry that left, as far as anything says so.
    private borrowing func successor(of outcome: OutboxOutcome) throws -> UUIDBytes? {
        if let entry = try readableOutboxHeads().first(where: { $0.draft.predecessor == outcome.id }) {
            return entry.id
        }
        if outcome.outcome == Settlement.outcome {
            return try conflicts().last { $0.entryID == outcome.id }?.successor
        }
        guard let detail = outcome.detail, detail.hasPrefix(Self.replacedDetail) else { return nil }
        return UUIDBytes(String(detail.dropFirst(Self.replacedDetail.count)))
    }
}
