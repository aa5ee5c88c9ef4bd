internal import LarderEngine
internal import LarderFormat

// Entries of the outbox with their overlays, and points of buffers.

/// The entries that a salvage has kept.
struct SalvagedEntries {
    var ids: Set<UUIDBytes> = []
    /// The numbers of the blobs that they send.
    var blobs: Set<Int64> = []
}

extension SalvageRepair {
    /// Keeps the entries whose head and body are there; a delivery that is lost is made again.
    mutating func repairOutbox(
        _ blobs: [Int64: BlobRecord], _ transaction: inout Transaction
    ) throws -> SalvagedEntries {
        let (finished, rejected) = try outcomes(transaction)
        let records = try outboxRecords(transaction)
        var (kept, sequences) = (SalvagedEntries(), Set<Int64>())
        for (place, head) in records.heads {
            let id = head.draft.id
            let hasBlob = head.draft.blob.map { blobs[$0.number]?.byteCount == $0.byteCount } ?? true
            let isSendable = records.bodies[place.sequence] != nil && hasBlob
            guard isSendable, !finished.contains(id), !kept.ids.contains(id) else {
                if !finished.contains(id) { try reportLost(id, place, &transaction) }
                try transaction.removeRecords(of: id, lane: place.lane, sequence: place.sequence)
                continue
            }
            kept.ids.insert(id)
            sequences.insert(place.sequence)
            if let blob = head.draft.blob { kept.blobs.insert(blob.number) }
            if let body = records.bodies[place.sequence] {
                try keep(head, body, rejected.contains(id), at: place, records.deliveries[id], &transaction)
            }
        }
        for (id, delivery) in records.deliveries.sorted(by: { $0.value.sequence < $1.value.sequence })
        where !kept.ids.contains(id) {
            try transaction.remove(key: Transaction.outboxKey(.delivery(entryID: id)), in: .outbox)
            if !finished.contains(id), !report.lostWrites.contains(id) { try reportLost(id, delivery, &transaction) }
        }
        for sequence in records.bodies.keys.sorted() where !sequences.contains(sequence) {
            try transaction.remove(key: Transaction.outboxKey(.body(sequence: sequence)), in: .outbox)
        }
        report.writeCount = kept.ids.count
        return kept
    }

    private mutating func reportLost(
        _ id: UUIDBytes, _ place: OutboxDeliveryRecord, _ transaction: inout Transaction
    ) throws {
        report.lostWrites.append(id)
        try transaction.journalOutcome(
            id, lane: place.lane, sequence: place.sequence, "lost", "a part of it was damaged", at: now)
    }

    /// Stores what is derived of an entry: the rows that it lists, the bytes that it counts for, its deduplication key,
    /// and its delivery where that is lost.
    private func keep(
        _ found: OutboxHeadRecord, _ body: Body, _ wasRejected: Bool, at place: OutboxDeliveryRecord,
        _ known: OutboxDeliveryRecord?, _ transaction: inout Transaction
    ) throws {
        var (head, delivery) = (found, place)
        let overlaid = try head.rows.filter { row in
            let key = try Transaction.overlayKey(row, place.sequence)
            return try transaction.engine.value(forKey: key.rawSpan, in: transaction.tables.overlay) != nil
        }
        if let known, known.hasSamePosition(as: place) {
            delivery.delivery = known.delivery
        } else if body.hasWithdrawn || (wasRejected && overlaid.isEmpty) {
            delivery.delivery.tries = 1
            delivery.delivery.state = .rejected
        } else {
            // It may have been sent: its key prevents that it is executed twice.
            delivery.delivery.tries = 1
            delivery.delivery.isInDoubt = true
            delivery.delivery.firstTriedAt = head.draft.createdAt
            delivery.delivery.lastTriedAt = head.draft.createdAt
        }
        if delivery.delivery.state != .rejected { head.rows = overlaid }
        let headSize = try transaction.put(head, at: .head(lane: place.lane, sequence: place.sequence))
        let bodyKey = try Transaction.outboxKey(.body(sequence: place.sequence))
        delivery.byteCount = (headSize + Int64(bodyKey.count + body.size)).clampedSum(head.draft.blob?.byteCount ?? 0)
        try transaction.put(delivery, of: head.draft.id)
        guard delivery.delivery.state != .rejected else { return }
        var draft = head.draft
        draft.lane = place.lane
        try transaction.addDeduplication(of: draft)
        if delivery.delivery.state.isPending {
            try transaction.adjustPendingCounts(entries: 1, byteCount: delivery.byteCount)
        }
    }

    /// The part of a body that other records depend on.
    private struct Body {
        /// The bytes of its record's value.
        let size: Int
        /// Whether it has the effects of a rejected entry.
        let hasWithdrawn: Bool
    }

    private typealias OutboxRecords = (
        heads: [(place: OutboxDeliveryRecord, head: OutboxHeadRecord)], bodies: [Int64: Body],
        deliveries: [UUIDBytes: OutboxDeliveryRecord]
    )

    private func outboxRecords(_ transaction: borrowing Transaction) throws -> OutboxRecords {
        var found: OutboxRecords = ([], [:], [:])
        try transaction.tables.forEachRaw(.outbox, prefix: [], in: transaction.engine) { entry in
            let body = entry.value.extracting(droppingFirst: RecordHeader.size)
            switch try? OutboxKey(decoding: entry.key) {
            case .head(let lane, let sequence):
                guard let head = try? OutboxHeadRecord(decoding: body) else { break }
                found.heads.append((OutboxDeliveryRecord(lane: lane, sequence: sequence), head))
            case .body(let sequence):
                guard let record = try? OutboxBodyRecord(decoding: body) else { break }
                found.bodies[sequence] = Body(size: entry.value.byteCount, hasWithdrawn: !record.withdrawn.isEmpty)
            case .delivery(let id): found.deliveries[id] = try? OutboxDeliveryRecord(decoding: body)
            case .deduplication, nil: break
            }
            return true
        }
        return found
    }

    /// The entries that have left the outbox, and those that were rejected, as far as the journal has them: a page that no
    /// tree leads to may still have records of the former.
    private func outcomes(
        _ transaction: borrowing Transaction
    ) throws -> (finished: Set<UUIDBytes>, rejected: Set<UUIDBytes>) {
        let outcomes = try transaction.tables.journal(in: transaction.engine) { event in
            if case .outcome(let outcome) = event { outcome } else { nil }
        }
        let (rejected, finished) = (
            outcomes.filter { $0.outcome == "rejected" }, outcomes.filter { $0.outcome != "rejected" }
        )
        return (Set(finished.map(\.id)), Set(rejected.map(\.id)))
    }

    /// Removes the overlays of entries that are not there, and stores the rows that readers see.
    func repairOverlays(_ entries: SalvagedEntries, _ transaction: inout Transaction) throws {
        var rows: Set<RowKey> = []
        var orphans: [[UInt8]] = []
        try transaction.tables.forEachRaw(.overlay, prefix: OverlayKey.writesPrefix, in: transaction.engine) { entry in
            guard case (let row, _?)? = try? OverlayKey.decode(entry.key),
                let record = try? OverlayRecord(decoding: entry.value.extracting(droppingFirst: RecordHeader.size))
            else { return true }
            let isOfEntry = record.entryID.map(entries.ids.contains) ?? true
            if record.acceptance == nil, !isOfEntry {
                orphans.append([UInt8](copying: entry.key))
            } else {
                rows.insert(row)
            }
            return true
        }
        for key in orphans { try transaction.remove(key: key, in: .overlay) }
        for row in rows.sorted() { try transaction.refreshOverlay(at: row) }
    }

    /// Counts the points of each ring anew. An upload batch of which points are lost keeps its key and the others.
    func repairBuffers(_ transaction: inout Transaction) throws {
        var rings: [BufferName: BufferState] = [:]
        var points: [BufferName: [Int64]] = [:]
        try transaction.tables.forEachRaw(.buffers, prefix: [], in: transaction.engine) { entry in
            switch try? BufferKey(decoding: entry.key) {
            case .ring(let name):
                rings[name] = try? BufferState(decoding: entry.value.extracting(droppingFirst: RecordHeader.size))
            case .point(let name, let sequence): points[name, default: []].append(sequence)
            case nil: break
            }
            return true
        }
        for name in Set(rings.keys).union(points.keys) {
            var ring = rings[name] ?? BufferState()
            let sequences = points[name] ?? []
            ring.pointCount = sequences.count
            ring.nextSequence = max(ring.nextSequence, (sequences.last ?? 0).clampedSum(1))
            if let batch = ring.upload.batch {
                let left = sequences.filter(batch.sequences.contains)
                ring.upload.batch =
                    left.isEmpty ? nil : BufferUpload.Batch(sequences: left[0]...left[left.count - 1], key: batch.key)
            }
            if ring != rings[name] {
                try transaction.put(body: ring.encode(), in: .buffers) { try BufferKey.ring(name).append(to: &$0) }
            }
        }
    }
}
