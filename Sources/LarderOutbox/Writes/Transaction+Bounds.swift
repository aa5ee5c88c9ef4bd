internal import LarderFormat
internal import LarderStore

extension Transaction {
    /// Returns the entries that have to become dead letters before a write fits, the oldest first; none where it fits.
    ///
    /// - Throws: ``OutboxError/full(_:)`` where it does not fit even so, or the bounds retire no entries.
    borrowing func entriesToRetire(for write: PreparedWrite) throws -> [UUIDBytes] {
        let needed = Int64(write.draft.payload.count) + (write.draft.blob?.byteCount ?? 0)
        let pending = try pendingOutbox()
        var (entries, byteCount) = (pending.entries, pending.byteCount)
        func isFull(_ entries: Int, _ byteCount: Int64) -> Bool {
            entries >= write.bounds.entries
                || byteCount.addingReportingOverflow(needed).partialValue > write.bounds.byteCount
        }
        guard isFull(entries, byteCount) else { return [] }
        guard write.bounds.whenFull == .retireOldest else { throw OutboxError.full(pending) }
        var retired: [UUIDBytes] = []
        let oldest = try readableOutboxHeads().filter {
            $0.delivery.state == .pending || $0.delivery.state == .waiting
        }
        .sorted { $0.sequence < $1.sequence }
        for entry in oldest where isFull(entries, byteCount) {
            retired.append(entry.id)
            entries -= 1
            byteCount -= try outboxByteCount(of: entry.id)
        }
        if isFull(entries, byteCount) { throw OutboxError.full(pending) }
        return retired
    }

    /// Makes an entry a dead letter in state `failed`.
    mutating func retire(_ id: UUIDBytes) throws {
        if let batch = try outboxHead(id)?.delivery.batch { try dissolveBatch(batch) }
        guard let entry = try outboxHead(id) else { return }
        var retired = entry.delivery
        retired.state = .failed
        retired.dueAt = nil
        retired.lastError = "it was removed to make space for a newer one"
        _ = try updateDelivery(of: id, from: entry.delivery, to: retired)
    }
}
