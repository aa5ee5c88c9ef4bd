internal import LarderEngine
internal import LarderFormat

extension Tables {
    /// A record of the outbox, or nil.
    func outboxRecord<Found: TupleRecord>(
        _ key: OutboxKey, in source: ReadTransaction, as type: Found.Type = Found.self
    ) throws -> Found? {
        try record(.outbox, in: source, as: Found.self) { try key.append(to: &$0) }
    }

    /// Where an entry lies and the state of its delivery, or nil.
    func delivery(_ id: UUIDBytes, in source: ReadTransaction) throws -> OutboxDeliveryRecord? {
        try outboxRecord(.delivery(entryID: id), in: source)
    }

    /// An entry without what it sends, or nil.
    func head(_ id: UUIDBytes, in source: ReadTransaction) throws -> OutboxEntry? {
        guard let delivery = try delivery(id, in: source) else { return nil }
        let key = OutboxKey.head(lane: delivery.lane, sequence: delivery.sequence)
        return try outboxRecord(key, in: source, as: OutboxHeadRecord.self).map { OutboxEntry($0, delivery) }
    }

    /// An entry, or nil.
    func entry(_ id: UUIDBytes, in source: ReadTransaction) throws -> OutboxEntry? {
        try head(id, in: source).map { try whole($0, in: source) }
    }

    /// Whether any lane has an entry of this sequence.
    func hasEntry(sequence: Int64, in source: ReadTransaction) throws -> Bool {
        let key = try Transaction.outboxKey(.body(sequence: sequence))
        return try source.value(forKey: key.rawSpan, in: outbox) != nil
    }

    /// The journal's sequence of how an entry left, or nil where that is not journaled any more.
    func journalSequence(ofEntry sequence: Int64, in source: ReadTransaction) throws -> Int64? {
        var found: Int64?
        try forEachReadable(.journal, in: source) { key, body throws(FormatError) in
            (try JournalRecord.decodeKey(key), try JournalRecord(decoding: body).event)
        } _: { (number: Int64, event: JournalRecord.Event) in
            if case .outcome(let outcome) = event, outcome.sequence == sequence { found = number }
        }
        return found
    }

    /// An entry with what it sends.
    func whole(_ head: OutboxEntry, in source: ReadTransaction) throws -> OutboxEntry {
        guard let body = try outboxRecord(.body(sequence: head.sequence), in: source, as: OutboxBodyRecord.self) else {
            throw StoreError.damaged(table: TableName.outbox.rawValue, reason: .truncated(offset: 0))
        }
        return OutboxEntry(head, body)
    }

    /// The entries of which head and delivery can be read, without what they send, by lane; and how many heads there are besides.
    ///
    /// - Parameter lane: nil is every lane.
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

    /// The entries of a lane, or of every lane, each lane in order, without what they send.
    ///
    /// - Parameter place: those behind it, of one lane.
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
            // The beginning of one lane's keys may be that of another's.
            guard case (.head(let name, let sequence), let record) = head, lane?.equalsBytewise(name) ?? true else {
                return false
            }
            found.append((record, OutboxDeliveryRecord(lane: name, sequence: sequence)))
            return found.count < limit
        }
        return try found.map { record, place in
            // One without a delivery is a finding, and was not tried yet as far as anybody can tell.
            OutboxEntry(record, try delivery(record.draft.id, in: source) ?? place)
        }
    }

    /// The newest entry of an account in a lane, without what it sends.
    func lastHead(lane: String, account: String?, in source: ReadTransaction) throws -> OutboxEntry? {
        var last: OutboxHeadRecord?
        let prefix = OutboxHeadRecord.prefix(lane: lane)
        // The codes of numbers end below this one.
        try forEachEntry(.outbox, from: prefix, upTo: prefix + [0xFF], reversed: true, in: source) { entry in
            let body = try Self.body(of: entry.value, key: entry.key, table: .outbox)
            let record = try decoding(.outbox) { () throws(FormatError) in try OutboxHeadRecord(decoding: body) }
            if record.draft.account.isBytewise(account) { last = record }
            return last == nil
        }
        guard let last else { return nil }
        return try delivery(last.draft.id, in: source).map { OutboxEntry(last, $0) }
    }
}
