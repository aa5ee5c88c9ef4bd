internal import LarderEngine
internal import LarderFormat

extension Tables {
    /// Returns a record of the outbox, or nil.
    func outboxRecord<Found: TupleRecord>(
        _ key: OutboxKey, in source: ReadTransaction, as type: Found.Type = Found.self
    ) throws -> Found? {
        try record(.outbox, in: source, as: Found.self) { try key.append(to: &$0) }
    }

    /// Returns the place of an entry and the state of its delivery, or nil.
    func delivery(_ id: UUIDBytes, in source: ReadTransaction) throws -> OutboxDeliveryRecord? {
        try outboxRecord(.delivery(entryID: id), in: source)
    }

    /// Returns an entry without body and header fields, or nil.
    func head(_ id: UUIDBytes, in source: ReadTransaction) throws -> OutboxEntry? {
        guard let delivery = try delivery(id, in: source) else { return nil }
        let key = OutboxKey.head(lane: delivery.lane, sequence: delivery.sequence)
        return try outboxRecord(key, in: source, as: OutboxHeadRecord.self).map { OutboxEntry($0, delivery) }
    }

    /// Returns an entry, or nil.
    func entry(_ id: UUIDBytes, in source: ReadTransaction) throws -> OutboxEntry? {
        try head(id, in: source).map { try entryWithBody($0, in: source) }
    }

    /// Returns whether any lane has an entry of this sequence.
    func hasEntry(sequence: Int64, in source: ReadTransaction) throws -> Bool {
        let key = try Transaction.outboxKey(.body(sequence: sequence))
        return try source.value(forKey: key.rawSpan, in: outbox) != nil
    }

    /// Returns the journal's sequence of an entry's last outcome, or nil where the journal has none any more.
    func journalSequence(ofEntry sequence: Int64, in source: ReadTransaction) throws -> Int64? {
        var found: Int64?
        try forEachReadable(.journal, in: source) { key, body throws(FormatError) in
            (try JournalRecord.decodeKey(key), try JournalRecord(decoding: body).event)
        } _: { (number: Int64, event: JournalRecord.Event) in
            if case .outcome(let outcome) = event, outcome.sequence == sequence { found = number }
        }
        return found
    }

    /// Returns an entry with its body and header fields.
    func entryWithBody(_ head: OutboxEntry, in source: ReadTransaction) throws -> OutboxEntry {
        guard let body = try outboxRecord(.body(sequence: head.sequence), in: source, as: OutboxBodyRecord.self) else {
            throw StoreError.damaged(table: TableName.outbox.rawValue, reason: .truncated(offset: 0))
        }
        return OutboxEntry(head, body)
    }

    /// Returns the entries whose head and delivery can be read, by lane, and the number of the other heads.
    ///
    /// The entries have no body and header fields.
    ///
    /// - Parameter lane: nil for every lane.
    func readableHeads(
        lane: String? = nil, in source: ReadTransaction
    ) throws -> (entries: [OutboxEntry], damaged: Int) {
        var records: [OutboxHeadRecord] = []
        let prefix = lane.map(OutboxHeadRecord.prefix) ?? OutboxKey.heads
        let count = try forEachReadable(.outbox, prefix: prefix, in: source) { _, body throws(FormatError) in
            try OutboxHeadRecord(decoding: body)
        } _: {
            records.append($0)
        }
        let entries = try records.compactMap { record in
            do {
                return try delivery(record.draft.id, in: source).map { OutboxEntry(record, $0) }
            } catch StoreError.damaged {
                return nil
            }
        }
        return (entries, count - entries.count)
    }

    /// Returns the entries of a lane, or of every lane, each lane in order, without body and header fields.
    ///
    /// - Parameter place: with a lane, only entries above this sequence.
    func heads(lane: String?, after place: Int64 = -1, limit: Int, in source: ReadTransaction) throws -> [OutboxEntry] {
        if limit <= 0 || place == .max { return [] }
        var found: [(record: OutboxHeadRecord, place: OutboxDeliveryRecord)] = []
        let start = try lane.map { lane in
            try Transaction.outboxKey(.head(lane: lane, sequence: place + 1))
        }
        try forEachRaw(
            .outbox, prefix: lane.map(OutboxHeadRecord.prefix) ?? OutboxKey.heads, from: start, in: source
        ) { entry in
            let key = entry.key
            let body = try Self.body(of: entry.value, key: key, table: .outbox)
            let head = try decoding(.outbox) { () throws(FormatError) in
                (try OutboxKey(decoding: key), try OutboxHeadRecord(decoding: body))
            }
            // The keys of one lane may begin with those of another.
            guard case (.head(let name, let sequence), let record) = head, lane?.equalsBytewise(name) ?? true else {
                return false
            }
            found.append((record, OutboxDeliveryRecord(lane: name, sequence: sequence)))
            return found.count < limit
        }
        return try found.map { record, place in
            // An entry without a delivery counts as not tried yet; `verify` reports it.
            OutboxEntry(record, try delivery(record.draft.id, in: source) ?? place)
        }
    }

    /// Returns the newest entry of an account in a lane, without body and header fields.
    func lastHead(lane: String, account: String?, in source: ReadTransaction) throws -> OutboxEntry? {
        var last: OutboxHeadRecord?
        let prefix = OutboxHeadRecord.prefix(lane: lane)
        // The type codes of numbers are below this one.
        try forEachEntry(.outbox, from: prefix, upTo: prefix + [0xFF], reversed: true, in: source) { entry in
            let body = try Self.body(of: entry.value, key: entry.key, table: .outbox)
            let record = try decoding(.outbox) { () throws(FormatError) in try OutboxHeadRecord(decoding: body) }
            if record.draft.account.equalsBytewise(account) { last = record }
            return last == nil
        }
        guard let last else { return nil }
        return try delivery(last.draft.id, in: source).map { OutboxEntry(last, $0) }
    }
}
