internal import LarderEngine
internal import LarderFormat

extension Tables {
    /// Where an entry lies and how its delivery goes, or nil.
    func delivery<Source: TableReader & ~Copyable>(
        _ id: UUIDBytes, in source: borrowing Source
    ) throws -> OutboxDeliveryRecord? {
        try record(
            .outbox, in: source,
            key: { (key) throws(FormatError) in try OutboxDeliveryRecord.appendKey(id, to: &key) },
            OutboxDeliveryRecord.init(decoding:))
    }

    /// An entry, or nil.
    func entry<Source: TableReader & ~Copyable>(
        _ id: UUIDBytes, in source: borrowing Source
    ) throws -> OutboxEntry? {
        guard let delivery = try delivery(id, in: source) else { return nil }
        let record = try record(
            .outbox, in: source,
            key: { (key) throws(FormatError) in
                try OutboxRecord.appendKey(lane: delivery.lane, sequence: delivery.sequence, to: &key)
            },
            OutboxRecord.init(decoding:))
        return record.map { OutboxEntry($0, delivery) }
    }

    /// Whether any lane has an entry of this sequence, found by a look at all keys.
    func hasEntry<Source: TableReader & ~Copyable>(sequence: Int64, in source: borrowing Source) throws -> Bool {
        var isFound = false
        try forEachRaw(.outbox, prefix: [], in: source) { entry in
            if case .entry(_, sequence)? = try? OutboxKey(decoding: entry.key) { isFound = true }
            return !isFound
        }
        return isFound
    }

    /// The journal's sequence of how an entry left, or nil where that is not journaled any more.
    func journalSequence<Source: TableReader & ~Copyable>(
        ofEntry sequence: Int64, in source: borrowing Source
    ) throws -> Int64? {
        var found: Int64?
        try forEachReadable(.journal, in: source) { key, body throws(FormatError) in
            (try JournalRecord.decodeKey(key), try JournalRecord(decoding: body).event)
        } _: { (number: Int64, event: JournalRecord.Event) in
            if case .outcome(let outcome) = event, outcome.sequence == sequence { found = number }
        }
        return found
    }

    /// What a record of the outbox is.
    private enum OutboxFound {
        case entry(OutboxRecord)
        case delivery(UUIDBytes, OutboxDeliveryRecord)
    }

    /// The entries of which both records can be read, by lane, and how many records there are besides.
    func readableEntries<Source: TableReader & ~Copyable>(
        in source: borrowing Source
    ) throws -> (entries: [OutboxEntry], damaged: Int) {
        var records: [OutboxRecord] = []
        var deliveries: [UUIDBytes: OutboxDeliveryRecord] = [:]
        try forEachReadable(.outbox, in: source) { key, body throws(FormatError) in
            switch try OutboxKey(decoding: key) {
            case .entry: OutboxFound.entry(try OutboxRecord(decoding: body))
            case .index(let id): OutboxFound.delivery(id, try OutboxDeliveryRecord(decoding: body))
            }
        } _: { (found: OutboxFound) in
            switch found {
            case .entry(let record): records.append(record)
            case .delivery(let id, let record): deliveries[id] = record
            }
        }
        let entries = records.compactMap { record in
            deliveries[record.draft.id].map { OutboxEntry(record, $0) }
        }
        return (entries, Int(try source.statistics(of: outbox).entries) - 2 * entries.count)
    }

    /// The entries of a lane, or of every lane, each lane in order.
    func entries<Source: TableReader & ~Copyable>(
        lane: String?, after place: Int64 = -1, limit: Int, in source: borrowing Source
    ) throws -> [OutboxEntry] {
        var records: [(record: OutboxRecord, lane: String, sequence: Int64)] = []
        if limit <= 0 { return [] }
        try forEach(.outbox, prefix: lane.map(OutboxRecord.prefix) ?? [], in: source) { key, body in
            let found = try decoding(.outbox) { () throws(FormatError) -> (OutboxRecord?, String, Int64)? in
                // Deliveries lie behind all lanes.
                guard case .entry(let lane, let sequence) = try OutboxKey(decoding: key) else { return nil }
                return (sequence > place ? try OutboxRecord(decoding: body) : nil, lane, sequence)
            }
            guard let found else { return false }
            if let record = found.0 { records.append((record, found.1, found.2)) }
            return records.count < limit
        }
        return try records.map { record, lane, sequence in
            // One without a delivery is a finding, and was not tried yet as far as anybody can tell.
            let delivery = try delivery(record.draft.id, in: source)
            return OutboxEntry(record, delivery ?? OutboxDeliveryRecord(lane: lane, sequence: sequence))
        }
    }
}
