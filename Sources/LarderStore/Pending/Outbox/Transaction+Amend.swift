internal import LarderEngine
package import LarderFormat

extension Transaction {
    /// Changes the content of an entry that was never sent, and its effects, in one commit with the transaction's other
    /// changes.
    ///
    /// Its body, header fields and fingerprint become those of `draft`, whose other parts are ignored. Identity, key,
    /// lane, sequence and all else stay, so it is the same entry, and nothing is added to the journal. A blob that it
    /// no longer names is discarded. An overlay that stays keeps the base row it was made from.
    ///
    /// The commit is fully durable, whatever durability the write requested.
    ///
    /// - Parameters:
    ///   - effects: the effects in place of the old ones; each row at most once. Overlays of other rows are removed.
    ///   - time: the time of the change, for the overlays, in milliseconds since 1970-01-01 UTC.
    /// - Returns: nil, and nothing is changed, when a send was begun or the entry is not to be sent
    ///   (``OutboxDelivery/isUntried``).
    /// - Throws: ``StoreError/unknownEntry(_:)``, ``StoreError/invalid(_:)`` for a payload beyond the limits and for a
    ///   header field that would store credentials; as ``applyOverlay(_:at:updatedAt:entryID:account:sequence:)``.
    @discardableResult
    package mutating func amendEntry(
        _ id: UUIDBytes, with draft: OutboxDraft, effects: [RowEffect], at time: Int64
    ) throws -> OutboxEntry? {
        guard var delivery = try tables.delivery(id, in: engine), let old = try outboxHead(id) else {
            throw StoreError.unknownEntry(id)
        }
        // A send is recorded before its first byte is sent, and its content is read from the table after that commit.
        // Writers run one after the other. If this commit is first, every send reads the new content; if the record of
        // the send is first, it is seen here. So a request that is under way, or that the server may know, never
        // changes.
        guard old.delivery.isUntried else { return nil }
        do throws(FormatError) {
            try draft.checkContent(without: shared.credentialFields)
        } catch {
            throw StoreError.invalid(error)
        }
        // A failed check changes nothing, in case the transaction goes on.
        try check(effects, of: old, at: time)
        writer.requireFullDurability()
        var amended = old.draft
        amended.payload = draft.payload
        amended.blob = draft.blob
        amended.fields = draft.fields
        amended.fingerprint = draft.fingerprint
        let entry = OutboxEntry(
            draft: amended, sequence: old.sequence, rows: effects.map(\.key), delivery: old.delivery)
        let byteCount = try put(entry)
        if let blob = old.draft.blob, blob != draft.blob { try discardBlob(blob.number) }
        try adjustPendingCounts(entries: 0, byteCount: byteCount - delivery.byteCount)
        delivery.byteCount = byteCount
        try put(delivery, of: id)
        try reapply(effects, of: old, at: time)
        return entry
    }

    /// Throws if these cannot become the effects of an entry; changes nothing.
    ///
    /// - Throws: as ``applyOverlay(_:at:updatedAt:entryID:account:sequence:)``.
    package mutating func check(_ effects: [RowEffect], of entry: OutboxEntry, at time: Int64) throws {
        for effect in effects {
            _ = try preparedLayer(
                of: effect, updatedAt: time, entryID: entry.id, account: entry.draft.account, sequence: entry.sequence)
        }
    }

    /// Replaces the effects of an entry.
    private mutating func reapply(_ effects: [RowEffect], of entry: OutboxEntry, at time: Int64) throws {
        for effect in effects {
            do {
                let exists = try changeOverlay(
                    at: effect.key, sequence: entry.sequence, to: effect.change, updatedAt: time)
                if exists { continue }
            } catch StoreError.damaged {
                // The base row is lost with the damaged overlay, which the new one replaces.
            }
            try applyOverlay(
                effect.change, at: effect.key, updatedAt: time, entryID: entry.id, account: entry.draft.account,
                sequence: entry.sequence)
        }
        try removeOverlays(of: entry, except: effects.map(\.key))
    }
}
