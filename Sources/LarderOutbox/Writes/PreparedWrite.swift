public import LarderFormat
public import LarderStore

/// A write with its identity and key, ready to be enqueued in a transaction of the host's.
///
/// Write closures may run more than once; the identity is minted before, so that all of them enqueue one entry.
public struct PreparedWrite: Sendable {
    /// The identity it will have, and its idempotency key, unless it is merged into another.
    public var id: UUIDBytes { draft.id }
    package var draft: OutboxDraft
    package var effects: [RowEffect]
    package var bounds: OutboxBounds
    /// How it is merged into another; nil: not at all.
    package var coalescing: Coalescing?
    /// When it was sent under its identity before it was enqueued, and not answered.
    package var triedAt: Int64?

    /// A write of these parts.
    package init(draft: OutboxDraft, effects: [RowEffect], bounds: OutboxBounds) {
        self.draft = draft
        self.effects = effects
        self.bounds = bounds
    }
}

extension Transaction {
    /// Enqueues a write in one commit with whatever else this transaction changes.
    ///
    /// - Returns: the new entry, the unfinished one with the same deduplication key and content, or the one that it was merged
    ///   into.
    /// - Throws: ``OutboxError/full(_:)``, ``OutboxError/deduplicationMismatch(_:)``, ``OutboxError/afterRejected(_:)``;
    ///   ``StoreError/invalid(_:)`` for a lane, key or payload beyond the limits.
    /// - Complexity: a look at every entry when there is a deduplication key or no room, or when it may be merged; else
    ///   constant.
    @discardableResult
    public mutating func enqueue(_ write: PreparedWrite) throws -> Enqueued {
        if let known = try unfinished(write.draft) { return .alreadyQueued(known) }
        for id in write.draft.after where try outboxEntry(id)?.delivery.state == .rejected {
            throw OutboxError.afterRejected(id)
        }
        if let other = try coalesce(write) { return .coalesced(other) }
        try makeRoom(for: write)
        let entry = try enqueue(write.draft, effects: write.effects)
        if let triedAt = write.triedAt { try noteTry(of: entry, at: triedAt) }
        return .queued(write.id)
    }

    /// The server may have it already: so nobody changes what it says, or takes it for one that was never sent.
    private mutating func noteTry(of entry: OutboxEntry, at time: Int64) throws {
        var tried = entry.delivery
        tried.tries = 1
        tried.isInDoubt = true
        tried.firstTriedAt = time
        tried.lastTriedAt = time
        _ = try update(entry.id, from: entry.delivery, to: tried)
    }

    private borrowing func unfinished(_ draft: OutboxDraft) throws -> UUIDBytes? {
        guard let key = draft.deduplicationKey else { return nil }
        let entries = try outboxEntries()
        let known = entries.first {
            $0.draft.deduplicationKey?.utf8.elementsEqual(key.utf8) == true && $0.draft.account == draft.account
                && $0.delivery.state != .rejected
        }
        guard let known else { return nil }
        guard known.draft.fingerprint == draft.fingerprint else { throw OutboxError.deduplicationMismatch(known.id) }
        return known.id
    }

    /// A write of its own fits only where there is room; what is already there is never lost for it.
    private mutating func makeRoom(for write: PreparedWrite) throws {
        let byteCount = write.draft.bodyBytes
        func isFull(_ pending: PendingOutbox) -> Bool {
            pending.entries >= write.bounds.entries
                || pending.byteCount.addingReportingOverflow(byteCount).partialValue > write.bounds.byteCount
        }
        let pending = try pendingOutbox()
        guard isFull(pending) else { return }
        guard write.bounds.whenFull == .retireOldest else { throw OutboxError.full(pending) }
        let oldest = try outboxEntries().filter { $0.delivery.state == .pending || $0.delivery.state == .waiting }
            .sorted { $0.sequence < $1.sequence }
        for entry in oldest where isFull(try pendingOutbox()) {
            var retired = entry.delivery
            retired.state = .failed
            retired.dueAt = nil
            retired.batch = nil
            retired.lastError = "it made room for a newer one"
            _ = try update(entry.id, from: entry.delivery, to: retired)
        }
        let left = try pendingOutbox()
        if isFull(left) { throw OutboxError.full(left) }
    }
}
