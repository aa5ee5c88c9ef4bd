internal import LarderEngine
internal import LarderFormat

/// The number and size of the entries to be sent, as found.
struct PendingContent {
    var entries: Int64 = 0
    var byteCount: Int64 = 0
}

/// The facts that the head of an entry records of its body.
private struct ExpectedBody {
    /// The length of its payload, in bytes.
    var length: Int64
    /// The number of rows of its effect.
    var rows: Int
}

// Entries: each has a head, a body and a delivery. FORMAT.md, "Invariants".
extension Verifier {
    func verifyOutbox(_ source: ReadTransaction) throws {
        // Heads come before bodies. The value is what a head records of its body; nil when the head cannot be read.
        var heads: [Int64: ExpectedBody?] = [:]
        try walk(.outbox, source) { entry in
            switch try key(of: entry, .outbox, OutboxKey.init(decoding:)) {
            case .head(let lane, let sequence):
                highest.outboxSequence = max(highest.outboxSequence, sequence)
                let place = OutboxDeliveryRecord(lane: lane, sequence: sequence)
                heads.updateValue(try verifyHead(entry, place, source), forKey: sequence)
            case .deduplication(let hash):
                let location = "deduplication \(String(hash, radix: 16))"
                guard
                    let record = try record(
                        of: entry, .outbox, at: location, OutboxDeduplicationRecord.init(decoding:))
                else { return }
                for id in record.entries { try compareDeduplication(id, hash, location, source) }
            case .body(let sequence):
                try verifyBody(entry, expected: heads[sequence], at: "body \(sequence)")
            case .delivery(let id):
                let location = "delivery of \(id)"
                guard
                    let record = try record(of: entry, .outbox, at: location, OutboxDeliveryRecord.init(decoding:))
                else { return }
                highest.outboxSequence = max(highest.outboxSequence, record.sequence)
                if record.delivery.state.isPending {
                    pending.entries += 1
                    pending.byteCount = pending.byteCount.addingReportingOverflow(record.byteCount).partialValue
                }
                try compareDelivery(id, record, location, source)
            case nil: return
            }
        }
    }

    /// - Parameter expected: the facts that its head records, nil inside when that cannot be read; nil without a head.
    private func verifyBody(_ entry: borrowing Entry, expected: ExpectedBody??, at location: String) throws {
        let record = try record(of: entry, .outbox, at: location, OutboxBodyRecord.init(decoding:))
        guard let expected = expected else {
            return try reportFinding(.orphan, in: .outbox, at: location, "no entry has it")
        }
        guard let record else { return }
        if record.fields.contains(where: { CredentialFields.standardNames.contains($0.name.lowercased()) }) {
            try reportFinding(.undecodable, in: .outbox, at: location, "the record holds credentials or cookies")
        }
        guard let expected = expected else { return }
        try compare(expected.length, record.payload.count, "bytes of payload", in: .outbox, at: location)
        if record.withdrawn.isEmpty { return }
        try compare(expected.rows, record.withdrawn.count, "kept effects", in: .outbox, at: location)
    }

    /// - Returns: the facts that its body has to match; nil when the head cannot be read.
    private func verifyHead(
        _ entry: borrowing Entry, _ found: OutboxDeliveryRecord, _ source: ReadTransaction
    ) throws -> ExpectedBody? {
        var place = found
        let location = "\(place.lane) \(place.sequence)"
        guard let record = try record(of: entry, .outbox, at: location, OutboxHeadRecord.init(decoding:)) else {
            return nil
        }
        if let blob = record.draft.blob {
            try addOwner(ofBlob: blob.number, byteCount: blob.byteCount, in: .outbox, at: location)
        }
        place.byteCount = Int64(entry.key.byteCount + entry.value.byteCount)
        let bodyKey = try Transaction.outboxKey(.body(sequence: place.sequence))
        if let body = try source.value(forKey: bodyKey.rawSpan, in: tables.outbox) {
            place.byteCount += Int64(bodyKey.count + body.byteCount)
            place.byteCount = place.byteCount.clampedSum(record.draft.blob?.byteCount ?? 0)
        } else {
            try reportFinding(.pointer, in: .outbox, at: location, "the entry has no body")
        }
        try compareEntry(record, place, location, source)
        return ExpectedBody(length: record.draft.blob == nil ? record.bodyBytes : 0, rows: record.rows.count)
    }

    private func compareEntry(
        _ record: OutboxHeadRecord, _ place: OutboxDeliveryRecord, _ location: String, _ source: ReadTransaction
    ) throws {
        try ignoringDamage {
            guard let delivery = try tables.delivery(record.draft.id, in: source) else {
                return try reportFinding(.index, in: .outbox, at: location, "the entry has no delivery")
            }
            if !delivery.hasSamePosition(as: place) {
                return try reportFinding(.index, in: .outbox, at: location, "the delivery has the entry elsewhere")
            }
            try compare(delivery.byteCount, place.byteCount, "bytes", in: .outbox, at: location, severity: .minor)
            guard delivery.delivery.state != .rejected else { return }
            if let hash = record.draft.deduplicationHash {
                let deduplication = try tables.outboxRecord(
                    .deduplication(hash: hash), in: source, as: OutboxDeduplicationRecord.self)
                if deduplication?.entries.contains(record.draft.id) != true {
                    try reportFinding(.index, in: .outbox, at: location, "its deduplication key does not lead to it")
                }
            }
            for row in record.rows {
                let key = try Transaction.overlayKey(row, place.sequence)
                guard try source.value(forKey: key.rawSpan, in: tables.overlay) == nil else { continue }
                try reportFinding(.pointer, in: .outbox, at: location, "a row that it lists has no overlay of it")
            }
        }
    }

    private func compareDeduplication(
        _ id: UUIDBytes, _ hash: UInt64, _ location: String, _ source: ReadTransaction
    ) throws {
        try ignoringDamage {
            let head = try tables.head(id, in: source)
            if head?.draft.deduplicationHash == hash, head?.delivery.state != .rejected { return }
            try reportFinding(.index, in: .outbox, at: location, "it names an entry without that key")
        }
    }

    private func compareDelivery(
        _ id: UUIDBytes, _ place: OutboxDeliveryRecord, _ location: String, _ source: ReadTransaction
    ) throws {
        try ignoringDamage {
            let key = OutboxKey.head(lane: place.lane, sequence: place.sequence)
            let found = try tables.outboxRecord(key, in: source, as: OutboxHeadRecord.self)
            if found?.draft.id == id { return }
            try reportFinding(
                .index, in: .outbox, at: location,
                found == nil ? "the entry is not there" : "another entry is stored there")
        }
    }
}
