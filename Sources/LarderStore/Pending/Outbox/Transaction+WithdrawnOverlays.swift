internal import LarderEngine
internal import LarderFormat

// The effects of a rejected entry on rows, kept for its successor.
extension Transaction {
    /// Keeps the changes of an entry's overlays with the entry, if all can be read and fit
    /// ``Limits/withdrawnPayloads``.
    mutating func storeWithdrawnOverlays(of entry: OutboxEntry) throws {
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
            // A retry then shows nothing until the server's rows do.
        }
    }

    /// Returns the overlays of a rejected entry, prepared as those of its successor.
    ///
    /// The result is empty when they were not kept, or they or a row beneath a patch are damaged: the write must be
    /// sent all the same.
    mutating func withdrawnLayers(of entry: OutboxEntry, for draft: OutboxDraft) throws -> [PreparedLayer] {
        do {
            let body = try tables.outboxRecord(.body(sequence: entry.sequence), in: engine, as: OutboxBodyRecord.self)
            // A part of an effect counts as none.
            guard let withdrawn = body?.withdrawn, withdrawn.count == entry.rows.count else { return [] }
            let effects = zip(entry.rows, withdrawn).map { RowEffect($1.change, at: $0) }
            return try layers(effects, of: draft, sequence: entry.sequence)
        } catch StoreError.damaged {
            return []
        }
    }
}
