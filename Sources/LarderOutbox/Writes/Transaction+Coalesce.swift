internal import LarderFormat
internal import LarderStore

// Changes of an entry that was never sent: manual ones, or by a write that is merged into it.
extension Transaction {
    /// Merges a write that requests it into the entry before it.
    ///
    /// - Returns: that entry, or nil when the write is to be an entry of its own.
    mutating func coalesce(_ write: PreparedWrite) throws -> UUIDBytes? {
        guard let coalescing = write.coalescing, let older = try untriedEntry(before: write.draft) else { return nil }
        var merged = write.draft
        guard coalescing.mergeBody(of: older.draft, into: &merged) else { return nil }
        merged.fingerprint = merged.contentFingerprint()
        guard let shown = try shownEffects(of: older, besides: write.effects),
            let effects = coalescing.effects(shown, write.effects),
            try fits(merged, inPlaceOf: older.draft, write.bounds)
        else { return nil }
        do {
            try check(effects, of: older, at: write.draft.createdAt)
        } catch StoreError.damaged, StoreError.invalid {
            // The effects of the older entry must not prevent the newer write from being an entry of its own.
            return nil
        }
        return try amendEntry(older.id, with: merged, effects: effects, at: write.draft.createdAt)?.id
    }

    /// Returns the last entry of a write's lane, if the state of the outbox allows the write to be merged into it.
    private borrowing func untriedEntry(before draft: OutboxDraft) throws -> OutboxEntry? {
        do {
            // Only the last: an entry behind another was made from that one's content, and must be sent after it.
            guard let last = try lastOutboxHead(lane: draft.lane, account: draft.account), last.delivery.isUntried,
                let entry = try outboxEntry(last.id), entry.draft.canMerge(draft)
            else { return nil }
            let isAwaited = try readableOutboxHeads().contains { $0.draft.after.contains(entry.id) }
            return isAwaited ? nil : entry
        } catch StoreError.damaged {
            // A damaged entry must not prevent a write from being enqueued.
            return nil
        }
    }

    /// Returns the effects of an entry as its overlays are now; nil when another overlay is above them in a row of
    /// `newer`, or one cannot be read.
    private borrowing func shownEffects(of entry: OutboxEntry, besides newer: [RowEffect]) throws -> [RowEffect]? {
        do {
            for effect in newer {
                let isHidden = try overlays(at: effect.key).contains { $0.sequence > entry.sequence }
                if isHidden { return nil }
            }
            return try entry.rows.compactMap { row in
                let overlay = try overlays(at: row).first { $0.sequence == entry.sequence }
                return overlay.map { RowEffect($0.change, at: row) }
            }
        } catch StoreError.damaged {
            return nil
        }
    }

    /// Whether a body fits into the bounds in place of another.
    borrowing func fits(_ draft: OutboxDraft, inPlaceOf old: OutboxDraft, _ bounds: OutboxBounds) throws -> Bool {
        let growth = draft.bodyBytes - old.bodyBytes
        // A body that becomes shorter always fits, also where the bounds were lowered since.
        if growth <= 0 { return true }
        let (sum, isTooMuch) = try pendingOutbox().byteCount.addingReportingOverflow(growth)
        return !isTooMuch && sum <= bounds.byteCount
    }
}

extension OutboxDraft {
    /// Whether a newer write is the same request except for its body, under the same conditions.
    fileprivate func canMerge(_ newer: OutboxDraft) -> Bool {
        func isSame(_ left: String, _ right: String) -> Bool { left.utf8.elementsEqual(right.utf8) }
        return id != newer.id && entity == newer.entity && isSame(mutationType, newer.mutationType)
            && isSame(method, newer.method) && isSame(endpoint, newer.endpoint) && fields == newer.fields
            && mostAttempts == newer.mostAttempts && loadsResponse == newer.loadsResponse
            && Set(after) == Set(newer.after) && deduplicationKey == nil && newer.deduplicationKey == nil
    }
}
