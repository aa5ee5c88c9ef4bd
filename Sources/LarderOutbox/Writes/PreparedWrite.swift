public import LarderFormat
public import LarderStore

/// A write with its identity and key, to enqueue in a transaction of the host's.
///
/// Write closures may run more than once; the identity is made before, so that all runs enqueue one entry.
public struct PreparedWrite: Sendable {
    /// The identity it will have, and its idempotency key, unless it is merged into another.
    public var id: UUIDBytes { draft.id }
    package var draft: OutboxDraft
    package var effects: [RowEffect]
    package var bounds: OutboxBounds
    /// The way it is merged into another; nil: not at all.
    package var coalescing: Coalescing?
    /// The server that it is for; nil: the one that the others are for.
    package var server: String?
    /// When it was sent under its identity before it was enqueued, without a response; nil when it was not.
    package var triedAt: Int64?

    /// A write of these parts.
    package init(draft: OutboxDraft, effects: [RowEffect], bounds: OutboxBounds) {
        self.draft = draft
        self.effects = effects
        self.bounds = bounds
    }
}

extension Transaction {
    /// Enqueues a write in one commit with the other changes of this transaction.
    ///
    /// An unknown entry that it comes after counts as accepted: the journal is bounded.
    ///
    /// - Returns: the new entry, the unfinished one with the same deduplication key and content, or the one that it was
    ///   merged into.
    /// - Throws: ``OutboxError/notSignedIn`` when the account it was prepared under has been signed out by a
    ///   ``Session`` since; ``OutboxError/full(_:)`` when the outbox has no space for it;
    ///   ``OutboxError/deduplicationMismatch(_:)`` for another content under its key; ``OutboxError/afterRejected(_:)``
    ///   when it comes after an entry that was not accepted; `StoreError.invalid(_:)` for a lane, key or payload
    ///   beyond the limits; `ServerMismatch` while writes or points of another server are unsent.
    /// - Complexity: O(entries) when it does not fit, or may be merged, and O(journal) when it comes after an entry
    ///   that has left; otherwise constant.
    @discardableResult
    public mutating func enqueue(_ write: PreparedWrite) throws -> Enqueued {
        try checkSignedIn(as: write.draft.account)
        if let server = write.server { try bindServer(server, to: .outbox) }
        if let known = try unfinished(write.draft) {
            // The entry has its body already, and no entry is to name this one.
            if let blob = write.draft.blob, blob != known.draft.blob { try discardBlob(blob.number) }
            return .alreadyQueued(known.id)
        }
        var write = write
        write.draft.after = try write.draft.after.map { try predecessor($0) }
        if let other = try coalesce(write) { return .coalesced(other) }
        // Before any change: a failed call must change nothing, because the transaction may go on.
        let retired = try entriesToRetire(for: write)
        let entry = try enqueue(write.draft, effects: write.effects)
        for id in retired { try retire(id) }
        if let triedAt = write.triedAt { try markTried(entry, at: triedAt) }
        return .queued(write.id)
    }

    /// Records that the server may have the entry already, so that it is neither changed nor treated as never sent.
    private mutating func markTried(_ entry: OutboxEntry, at time: Int64) throws {
        var tried = entry.delivery
        tried.tries = 1
        tried.isInDoubt = true
        tried.firstTriedAt = time
        tried.lastTriedAt = time
        _ = try updateDelivery(of: entry.id, from: entry.delivery, to: tried)
    }

    private borrowing func unfinished(_ draft: OutboxDraft) throws -> OutboxEntry? {
        guard let known = try outboxHead(duplicatedBy: draft) else { return nil }
        guard known.draft.fingerprint == draft.fingerprint else { throw OutboxError.deduplicationMismatch(known.id) }
        return known
    }
}
