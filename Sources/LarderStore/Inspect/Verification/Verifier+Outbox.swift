internal import LarderEngine
internal import LarderFormat

/// What is to be sent, as it was found.
struct PendingContent {
    var entries: Int64 = 0
    var byteCount: Int64 = 0
}

// Entries and their deliveries. FORMAT.md, "Invariants".
extension Verifier {
    func verifyOutbox(_ snapshot: borrowing ReadTransaction) throws {
        try walk(.outbox, snapshot) { entry in
            switch try key(of: entry, .outbox, OutboxKey.init(decoding:)) {
            case .entry(let lane, let sequence):
                let location = "\(lane) \(sequence)"
                highest.outboxSequence = max(highest.outboxSequence, sequence)
                guard let record = try record(of: entry, .outbox, at: location, OutboxRecord.init(decoding:)) else {
                    return
                }
                if let blob = record.draft.blob {
                    try noteOwner(ofBlob: blob.number, byteCount: blob.byteCount, in: .outbox, at: location)
                }
                let byteCount = Int64(entry.key.byteCount + entry.value.byteCount)
                let place = OutboxDeliveryRecord(
                    lane: lane, sequence: sequence,
                    byteCount: byteCount.addingReportingOverflow(record.draft.blob?.byteCount ?? 0).partialValue)
                try compareEntry(record, place, location, snapshot)
            case .index(let id):
                let location = "delivery of \(id)"
                guard
                    let record = try record(of: entry, .outbox, at: location, OutboxDeliveryRecord.init(decoding:))
                else { return }
                highest.outboxSequence = max(highest.outboxSequence, record.sequence)
                if record.delivery.state.isPending {
                    pending.entries += 1
                    pending.byteCount = pending.byteCount.addingReportingOverflow(record.byteCount).partialValue
                }
                try compareDelivery(id, record, location, snapshot)
            case nil: return
            }
        }
    }

    private func compareEntry(
        _ record: OutboxRecord, _ place: OutboxDeliveryRecord, _ location: String,
        _ snapshot: borrowing ReadTransaction
    ) throws {
        do {
            guard let delivery = try tables.delivery(record.draft.id, in: snapshot) else {
                return try find(.index, in: .outbox, at: location, "the entry has no delivery")
            }
            if !delivery.isAtPlace(of: place) {
                return try find(.index, in: .outbox, at: location, "the delivery has the entry elsewhere")
            }
            if delivery.byteCount != place.byteCount {
                try find(
                    .count, in: .outbox, at: location,
                    "\(delivery.byteCount) bytes noted, \(place.byteCount) found", severity: .minor)
            }
            guard delivery.delivery.state != .rejected else { return }
            for row in record.rows {
                let key = try Transaction.overlayKey(row, place.sequence)
                guard try snapshot.value(forKey: key.rawSpan, in: tables.overlay) == nil else { continue }
                try find(.pointer, in: .outbox, at: location, "a row that it lists has no overlay of it")
            }
        } catch is StoreError {
            // A damaged delivery or overlay is a finding of its own.
        }
    }

    private func compareDelivery(
        _ id: UUIDBytes, _ place: OutboxDeliveryRecord, _ location: String, _ snapshot: borrowing ReadTransaction
    ) throws {
        do {
            let found = try tables.record(
                .outbox, in: snapshot,
                key: { (key) throws(FormatError) in
                    try OutboxRecord.appendKey(lane: place.lane, sequence: place.sequence, to: &key)
                },
                OutboxRecord.init(decoding:))
            if found?.draft.id == id { return }
            try find(
                .index, in: .outbox, at: location,
                found == nil ? "the entry is not there" : "another entry stands at its place")
        } catch is StoreError {
            // A damaged entry is a finding of its own.
        }
    }
}
