internal import LarderEngine
package import LarderFormat

extension Transaction {
    /// Replaces an entry by another one in its place, in one commit. Entries behind the old one are then behind the new
    /// one, and entries that came after it come after the new one.
    ///
    /// The old one is removed with its overlays, with `outcome` in the journal. A blob that both name is kept.
    ///
    /// - Parameters:
    ///   - draft: the new entry, with an identity of its own; its lane is ignored, as it gets the old one's.
    ///   - effects: nil for those that the old one had when it was rejected, or none where damage keeps them from being
    ///     used.
    ///   - outcome: one word, such as `superseded`.
    ///   - time: milliseconds since 1970-01-01 UTC.
    /// - Throws: ``StoreError/unknownEntry(_:)``; otherwise as ``enqueue(_:effects:)``.
    @discardableResult
    package mutating func replaceEntry(
        _ id: UUIDBytes, with draft: OutboxDraft, effects: [RowEffect]? = nil, outcome: String, detail: String? = nil,
        at time: Int64
    ) throws -> OutboxEntry {
        guard let old = try outboxHead(id) else { throw StoreError.unknownEntry(id) }
        var draft = draft
        draft.lane = old.lane
        draft.predecessor = id
        try check(draft)
        let dependents = try readableOutboxHeads().filter { $0.draft.after.contains(id) }
        let layers =
            if let effects {
                try self.layers(effects, of: draft, sequence: old.sequence)
            } else {
                try withdrawnLayers(of: old, for: draft)
            }
        _ = try removeEntry(id, keepsBlob: draft.blob != nil && draft.blob == old.draft.blob)
        _ = try journalOutcome(old, outcome, detail ?? Self.replacedDetail + "\(draft.id)", at: time)
        let entry = try insert(draft, sequence: old.sequence, layers: layers)
        // They are removed only now: before, the overlays above the old ones could be released.
        try removeOverlays(of: old, except: layers.map(\.row))
        for dependent in dependents { try updateDependency(of: dependent, to: draft.id, insteadOf: id) }
        return entry
    }

    /// Makes an entry come after another one, and recounts its bytes: a zero byte of an identity is stored as two.
    private mutating func updateDependency(of entry: OutboxEntry, to id: UUIDBytes, insteadOf old: UUIDBytes) throws {
        let before = entry.headRecord
        var record = before
        record.draft.after = before.draft.after.map { $0 == old ? id : $0 }
        _ = try put(record, at: .head(lane: entry.lane, sequence: entry.sequence))
        let growth = Int64(record.encode().count - before.encode().count)
        if growth != 0, var delivery = try tables.delivery(entry.id, in: engine) {
            if delivery.delivery.state.isPending { try adjustPendingCounts(entries: 0, byteCount: growth) }
            delivery.byteCount += growth
            try put(delivery, of: entry.id)
        }
        markEntryChanged(entry.id, lane: entry.lane)
    }

    /// The prefix of an outcome's detail that names the entry which replaced another.
    package static var replacedDetail: String { "replaced by " }
}
