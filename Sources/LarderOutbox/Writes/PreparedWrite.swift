public import LarderFormat
public import LarderStore

/// A write with its identity and key, ready to be enqueued in a transaction of the host's.
///
/// Write closures may run more than once; the identity is minted before, so that all of them enqueue one entry.
public struct PreparedWrite: Sendable {
    /// The identity it will have, and its idempotency key.
    public var id: UUIDBytes { draft.id }
    package var draft: OutboxDraft
    package var effects: [RowEffect]
    package var bounds: OutboxBounds

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
    /// An entry that it is to come after, and that nobody knows (any more), counts as accepted: the journal is bounded.
    ///
    /// - Returns: the new entry, or the unfinished one with the same deduplication key and content.
    /// - Throws: ``OutboxError/notSignedIn`` when the account it was prepared under has been signed out by a ``Session``
    ///   since; ``OutboxError/full(_:)``, ``OutboxError/deduplicationMismatch(_:)``, ``OutboxError/afterRejected(_:)``;
    ///   ``StoreError/invalid(_:)`` for a lane, key or payload beyond the limits.
    /// - Complexity: a look at every entry when there is a deduplication key or no room, and at the journal when it is to
    ///   come after one that has left; else constant.
    @discardableResult
    public mutating func enqueue(_ write: PreparedWrite) throws -> Enqueued {
        try checkSignedIn(as: write.draft.account)
        if let known = try unfinished(write.draft) {
            // Its body is there already, and nobody is to name this one.
            if let blob = write.draft.blob, blob != known.draft.blob { try discardBlob(blob.number) }
            return .alreadyQueued(known.id)
        }
        var draft = write.draft
        draft.after = try draft.after.map { try predecessor($0) }
        // What throws has changed nothing, should the transaction go on.
        let retired = try retired(for: write)
        try enqueue(draft, effects: write.effects)
        for id in retired { try retire(id) }
        return .queued(write.id)
    }

    private borrowing func unfinished(_ draft: OutboxDraft) throws -> OutboxEntry? {
        guard let key = draft.deduplicationKey else { return nil }
        let entries = try outboxEntries()
        let known = entries.first {
            $0.draft.deduplicationKey?.utf8.elementsEqual(key.utf8) == true && $0.draft.account == draft.account
                && $0.delivery.state != .rejected
        }
        guard let known else { return nil }
        guard known.draft.fingerprint == draft.fingerprint else { throw OutboxError.deduplicationMismatch(known.id) }
        return known
    }
}
