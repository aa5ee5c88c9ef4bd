internal import LarderEngine
package import LarderFormat

extension Transaction {
    /// Changes what an entry sends that was never sent, and what readers see of it, in one commit with whatever else this
    /// transaction changes.
    ///
    /// Its body, header fields and fingerprint become those of `draft`; nothing else of the draft is looked at. Identity, key,
    /// lane, place and all else stay, so it is the same entry, and the journal is told nothing. A blob that it does not name any
    /// more is given up. The row that an overlay was made from stays noted with it.
    ///
    /// The commit is fully durable, whatever durability the write asked for.
    ///
    /// - Parameters:
    ///   - effects: in place of those it has; each row at most once. An overlay of a row that is not among them is taken away.
    ///   - time: of the change, for the overlays; in milliseconds since 1970-01-01 UTC.
    /// - Returns: nil, and nothing is changed, when a send was begun or it is not to be sent
    ///   (``OutboxDelivery/isUntried``).
    /// - Throws: ``StoreError/unknownEntry(_:)``, ``StoreError/invalid(_:)`` for a payload beyond the limits and for a
    ///   header field that would store credentials; as ``layOver(_:at:updatedAt:entryID:account:sequence:)``.
    @discardableResult
    package mutating func amendEntry(
        _ id: UUIDBytes, with draft: OutboxDraft, effects: [RowEffect], at time: Int64
    ) throws -> OutboxEntry? {
        guard var delivery = try tables.delivery(id, in: engine), let old = try outboxHead(id) else {
            throw StoreError.unknownEntry(id)
        }
        // A send is recorded before its first byte goes out, and what goes out is read from the table after that was committed.
        // Writers take turns: either this commits first, and every send reads what it says, or the record of the send does, and
        // is seen here. So nothing that is under way, or that the server may know, is ever changed.
        guard old.delivery.isUntried else { return nil }
        do throws(FormatError) {
            try draft.checkContent(without: shared.credentialFields)
        } catch {
            throw StoreError.invalid(error)
        }
        // What throws has changed nothing, should the transaction go on.
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
        try countPending(entries: 0, byteCount: byteCount - delivery.byteCount)
        delivery.byteCount = byteCount
        try put(delivery, of: id)
        try layAnew(effects, of: old, at: time)
        return entry
    }

    /// Throws what would keep the effects of an entry from being these; changes nothing.
    ///
    /// - Throws: as ``layOver(_:at:updatedAt:entryID:account:sequence:)``.
    package mutating func check(_ effects: [RowEffect], of entry: OutboxEntry, at time: Int64) throws {
        for effect in effects {
            _ = try preparedLayer(
                of: effect, updatedAt: time, entryID: entry.id, account: entry.draft.account, sequence: entry.sequence)
        }
    }

    /// Has the effects of an entry be these.
    private mutating func layAnew(_ effects: [RowEffect], of entry: OutboxEntry, at time: Int64) throws {
        for effect in effects {
            do {
                let isThere = try changeOverlay(
                    at: effect.key, sequence: entry.sequence, to: effect.change, updatedAt: time)
                if isThere { continue }
            } catch StoreError.damaged {
                // What it was made from is lost with the damaged one, whose place the new one takes.
            }
            try layOver(
                effect.change, at: effect.key, updatedAt: time, entryID: entry.id, account: entry.draft.account,
                sequence: entry.sequence)
        }
        try withdrawOverlays(of: entry, but: effects.map(\.key))
    }
}
