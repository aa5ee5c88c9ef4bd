internal import LarderEngine
internal import LarderFormat

// What a rejected entry did to rows, kept for its successor.
extension Transaction {
    /// Has an entry keep what its overlays do to rows, if all of them can be read and are not too long.
    mutating func keepOverlays(of entry: OutboxEntry) throws {
        do {
            let overlays = try entry.rows.compactMap { row in
                try storedOverlay(Self.overlayKey(row, entry.sequence)).map {
                    OverlayRecord($0.change, updatedAt: $0.updatedAt)
                }
            }
            let length = overlays.reduce(0) { $0 + ($1.change.content?.count ?? 0) }
            guard !overlays.isEmpty, overlays.count == entry.rows.count, length <= Limits.withdrawnPayloads,
                var body = try tables.outboxRecord(
                    .body(sequence: entry.sequence), in: engine, as: OutboxBodyRecord.self),
                var delivery = try tables.delivery(entry.id, in: engine)
            else { return }
            let before = body.encode().count
            body.withdrawn = overlays
            _ = try put(body, at: .body(sequence: entry.sequence))
            delivery.byteCount += Int64(body.encode().count - before)
            try put(delivery, of: entry.id)
        } catch StoreError.damaged {
            // A retry shows nothing then, until the server's rows do.
        }
    }

    /// What an entry did to rows before it was rejected, as the effect of its successor; nothing where that was not kept, or where it or a
    /// row beneath a patch is damaged: the write must be sent all the same.
    mutating func withdrawnLayers(of entry: OutboxEntry, for draft: OutboxDraft) throws -> [PreparedLayer] {
        do {
            let body = try tables.outboxRecord(.body(sequence: entry.sequence), in: engine, as: OutboxBodyRecord.self)
            // A part of an effect is none.
            guard let withdrawn = body?.withdrawn, withdrawn.count == entry.rows.count else { return [] }
            let effects = zip(entry.rows, withdrawn).map { RowEffect($1.change, at: $0) }
            return try layers(effects, of: draft, sequence: entry.sequence)
        } catch StoreError.damaged {
            return []
        }
    }
}
