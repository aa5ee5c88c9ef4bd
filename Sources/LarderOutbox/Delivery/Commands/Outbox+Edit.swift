public import HTTPTypes
public import LarderFormat
public import LarderStore

extension Outbox {
    /// Changes what a write says that was never tried; it keeps its identity, its key and its place.
    ///
    /// What comes after it comes after what it says now. The journal is told nothing, as it is the same entry. A second tap under
    /// its deduplication key is one with another content from now on. Works without a network and while the outbox
    /// does not run, and also on a write of another account. In a conflict it counts as made when it was edited, where it has
    /// an effect on a row.
    ///
    /// - Parameters:
    ///   - body: in place of the one it has; a blob that it does not name any more is given up.
    ///   - fields: in place of those it has; nil: as they are, and for a first body JSON.
    ///   - effects: what readers see from now on, in place of what they saw of it; each row at most once.
    /// - Throws: ``OutboxError/alreadyTried(_:)`` when a send was begun; ``OutboxError/notApplicable(_:_:)`` when it is not to be sent
    ///   as it failed or was rejected untried; ``OutboxError/unknownEntry(_:)``; ``OutboxError/full(_:)`` when the new body is
    ///   longer and does not fit, whatever else makes room;
    ///   ``OutboxError/credentialField(_:)``; what the store throws. Nothing is changed then.
    public func edit(
        _ id: UUIDBytes, body: OutboxWrite.Body, fields: HTTPFields? = nil, effects: [RowEffect]
    ) async throws {
        let (now, bounds, credentials) = (store.host.now(), policy.bounds, store.credentialFields)
        try await store.write { transaction in
            guard let entry = try transaction.outboxEntry(id) else { throw OutboxError.unknownEntry(id) }
            var draft = entry.draft
            let hadBody = draft.bodyBytes > 0
            draft.take(body)
            if let fields {
                try draft.take(fields, without: credentials)
            } else if !hadBody, draft.fields.isEmpty, body != .none {
                try draft.take([.contentType: "application/json"], without: credentials)
            }
            if draft.payload != entry.draft.payload || draft.blob != entry.draft.blob {
                draft.fingerprint = draft.contentFingerprint()
            }
            // In one transaction with the change: as long as no send is recorded, none has read what it says.
            guard entry.delivery.tries == 0 else { throw OutboxError.alreadyTried(id) }
            if entry.delivery.isUntried, try !transaction.fits(draft, inPlaceOf: entry.draft, bounds) {
                throw OutboxError.full(try transaction.pendingOutbox())
            }
            guard try transaction.amendEntry(id, with: draft, effects: effects, at: now) != nil else {
                throw OutboxError.notApplicable(id, entry.delivery.state)
            }
        }
    }
}
