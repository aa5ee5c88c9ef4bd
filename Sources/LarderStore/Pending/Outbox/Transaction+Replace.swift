internal import LarderEngine
package import LarderFormat

extension Transaction {
    /// Puts another entry in the place of one, in one commit: what stood behind it stands behind the other, and what came
    /// after it comes after the other.
    ///
    /// The old one leaves with `outcome` in the journal, and its overlays with it. A blob that both name is handed on.
    ///
    /// - Parameters:
    ///   - draft: with an identity of its own; its lane is not looked at, as it takes over the old one's.
    ///   - effects: nil: those that the old one had when it was rejected; none, where they cannot be laid for damage.
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
        _ = try take(id, keepsBlob: draft.blob != nil && draft.blob == old.draft.blob)
        _ = try journal(old, outcome, detail ?? Self.replacedDetail + "\(draft.id)", at: time)
        let entry = try insert(draft, sequence: old.sequence, layers: layers)
        // Only now: in between, what lies above the old ones would seem to be free.
        try withdrawOverlays(of: old, but: layers.map(\.row))
        for dependent in dependents { try follow(dependent, draft.id, insteadOf: id) }
        return entry
    }

    /// Has an entry come after another one, and counts its bytes anew: a zero byte of an identity is stored as two.
    private mutating func follow(_ entry: OutboxEntry, _ id: UUIDBytes, insteadOf old: UUIDBytes) throws {
        let before = entry.headRecord
        var record = before
        record.draft.after = before.draft.after.map { $0 == old ? id : $0 }
        _ = try put(record, at: .head(lane: entry.lane, sequence: entry.sequence))
        let growth = Int64(record.encode().count - before.encode().count)
        if growth != 0, var delivery = try tables.delivery(entry.id, in: engine) {
            if delivery.delivery.state.isPending { try countPending(entries: 0, byteCount: growth) }
            delivery.byteCount += growth
            try put(delivery, of: entry.id)
        }
        noteEntry(entry.id, lane: entry.lane)
    }

    /// What the detail of an outcome begins with that names the entry which took the place of another.
    package static var replacedDetail: String { "replaced by " }
}
