internal import LarderFormat
internal import LarderStore

// What an entry sends that was never sent is changed: by hand, or by a write that is merged into it.
extension Transaction {
    /// Merges a write that asks for it into the entry before it.
    ///
    /// - Returns: that entry, or nil when the write is to be an entry of its own.
    mutating func coalesce(_ write: PreparedWrite) throws -> UUIDBytes? {
        guard let coalescing = write.coalescing, let older = try untriedEntry(before: write.draft) else { return nil }
        var merged = write.draft
        guard coalescing.takeBody(of: older.draft, into: &merged) else { return nil }
        merged.fingerprint = merged.contentFingerprint()
        guard let shown = try shownEffects(of: older, besides: write.effects),
            let effects = coalescing.effects(shown, write.effects),
            try fits(merged, inPlaceOf: older.draft, write.bounds)
        else { return nil }
        do {
            try check(effects, of: older, at: write.draft.createdAt)
        } catch StoreError.damaged, StoreError.invalid {
            // What the older one does to rows must not keep the newer from being taken by itself.
            return nil
        }
        return try amendEntry(older.id, with: merged, effects: effects, at: write.draft.createdAt)?.id
    }

    /// The last entry of a write's lane, if the write may be merged into it as far as the outbox is concerned.
    private borrowing func untriedEntry(before draft: OutboxDraft) throws -> OutboxEntry? {
        do {
            // Only the last: what stands behind an entry was made after it, and is sent after what it was when that was made.
            guard let last = try lastOutboxHead(lane: draft.lane, account: draft.account), last.delivery.isUntried,
                let entry = try outboxEntry(last.id), entry.draft.takes(draft)
            else { return nil }
            let isAwaited = try readableOutboxHeads().contains { $0.draft.after.contains(entry.id) }
            return isAwaited ? nil : entry
        } catch StoreError.damaged {
            // A damaged entry keeps none from being enqueued.
            return nil
        }
    }

    /// The effects of an entry as they lie over rows; nil when something lies above them, or cannot be read, where `newer`
    /// effects have to be seen.
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

    /// Whether there is room for a body in the place of another.
    borrowing func fits(_ draft: OutboxDraft, inPlaceOf old: OutboxDraft, _ bounds: OutboxBounds) throws -> Bool {
        let growth = draft.bodyBytes - old.bodyBytes
        // What becomes less always fits, also where the bounds were lowered since.
        if growth <= 0 { return true }
        let (sum, isTooMuch) = try pendingOutbox().byteCount.addingReportingOverflow(growth)
        return !isTooMuch && sum <= bounds.byteCount
    }
}

extension OutboxDraft {
    /// Whether a newer write is the same request but for its body, under the same conditions.
    fileprivate func takes(_ newer: OutboxDraft) -> Bool {
        func isSame(_ left: String, _ right: String) -> Bool { left.utf8.elementsEqual(right.utf8) }
        return id != newer.id && entity == newer.entity && isSame(mutationType, newer.mutationType)
            && isSame(method, newer.method) && isSame(endpoint, newer.endpoint) && fields == newer.fields
            && mostAttempts == newer.mostAttempts && loadsAnswer == newer.loadsAnswer
            && Set(after) == Set(newer.after) && deduplicationKey == nil && newer.deduplicationKey == nil
    }
}
