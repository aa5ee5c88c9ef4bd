public import HTTPTypes
public import LarderFormat
public import LarderStore

extension Outbox {
    /// Changes the content of a write that was never tried; it keeps its identity, its key and its position.
    ///
    /// Entries that come after it come after the changed write. The journal has no record of the change, as it is the
    /// same entry. A second enqueue of the old content under its deduplication key is a mismatch from now on. Works
    /// without a network and while the outbox does not run, and also on a write of another account. In a conflict the
    /// write counts as made when it was edited, where it has an effect on a row.
    ///
    /// - Parameters:
    ///   - id: the entry to change.
    ///   - body: replaces the one it has; a blob that it does not name any more is discarded.
    ///   - fields: replace those it has; nil keeps them, or sets a JSON content type for a first body without fields.
    ///   - effects: the changes that readers see from now on, in place of those they saw; each row at most once.
    /// - Throws: ``OutboxError/alreadyTried(_:)`` when a send was begun; ``OutboxError/notApplicable(_:_:)`` when it is
    ///   not to be sent as it failed or was rejected untried; ``OutboxError/unknownEntry(_:)``;
    ///   ``OutboxError/full(_:)`` when the new body is longer and does not fit, as no other entry is retired for it;
    ///   ``OutboxError/credentialField(_:)`` for a field that carries credentials; as `Store.write(durability:_:)`.
    ///   Nothing is changed then.
    public func edit(
        _ id: UUIDBytes, body: OutboxWrite.Body, fields: HTTPFields? = nil, effects: [RowEffect]
    ) async throws {
        let (now, bounds, credentials) = (store.host.now(), policy.bounds, store.credentialFields)
        try await store.write { transaction in
            guard let entry = try transaction.outboxEntry(id) else { throw OutboxError.unknownEntry(id) }
            var draft = entry.draft
            let hadBody = draft.bodyBytes > 0
            draft.setBody(body)
            if let fields {
                try draft.setFields(fields, without: credentials)
            } else if !hadBody, draft.fields.isEmpty, body != .none {
                try draft.setFields([.contentType: "application/json"], without: credentials)
            }
            if draft.payload != entry.draft.payload || draft.blob != entry.draft.blob {
                draft.fingerprint = draft.contentFingerprint()
            }
            // In one transaction with the change: while no send is recorded, no request has read the content.
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
