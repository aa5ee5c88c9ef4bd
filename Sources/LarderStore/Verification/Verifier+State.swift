internal import LarderEngine
internal import LarderFormat

// What is kept beside the content: the format, filters and members, the outbox, the journal.

extension Verifier {
    func verifyMeta(_ snapshot: borrowing ReadTransaction) throws {
        var hasFormat = false
        var hasCounters = false
        try walk(.meta, snapshot) { entry in
            guard let name = try key(of: entry, .meta, Self.name(ofMeta:)) else { return }
            if entry.key.equals(FormatRecord.key.rawSpan) {
                hasFormat = true
                _ = try record(of: entry, .meta, at: name, FormatRecord.init(decoding:))
            } else if entry.key.equals(CountersRecord.key.rawSpan) {
                hasCounters = true
                counters = try record(of: entry, .meta, at: name, CountersRecord.init(decoding:))
            } else {
                // A later version may keep more here; the checksum holds for all of it.
                _ = try record(of: entry, .meta, at: name) { (_) throws(FormatError) in }
            }
        }
        if broken.contains(.meta) { return }
        if !hasFormat { try find(.orphan, in: .meta, at: "format", "the store has no format record") }
        if !hasCounters { try find(.counter, in: .meta, at: "counters", "the store has no counters") }
    }

    private static func name(ofMeta key: RawSpan) throws(FormatError) -> String {
        var reader = TupleReader(key)
        let name = try reader.text()
        try reader.end()
        return name
    }

    func verifyFilters(_ snapshot: borrowing ReadTransaction) throws {
        var texts: [[UInt8]: Int64] = [:]
        try walk(.filters, snapshot) { entry in
            guard let number = try key(of: entry, .filters, FilterRecord.decodeKey) else { return }
            let location = "filter \(number)"
            try notePositive(number, in: .filters, at: location)
            highest.filter = max(highest.filter, number)
            filters.insert(number)
            guard let record = try record(of: entry, .filters, at: location, FilterRecord.init(decoding:)) else {
                return
            }
            // Told apart by their bytes, as everywhere.
            if let other = texts.updateValue(number, forKey: Array(record.canonicalText.utf8)) {
                try find(.duplicate, in: .filters, at: location, "filter \(other) has the same text")
            }
        }
    }

    /// FORMAT.md, Invariant 8.
    func verifyMembers(_ snapshot: borrowing ReadTransaction) throws {
        try walk(.members, snapshot) { entry in
            guard let (number, resource) = try key(of: entry, .members, MemberRecord.decodeKey) else { return }
            let location = "\(resource) of filter \(number)"
            _ = try record(of: entry, .members, at: location, MemberRecord.init(decoding:))
            if !filters.contains(number), !broken.contains(.filters) {
                try find(.member, in: .members, at: location, "the filter has no record")
            }
            if resources[resource] == nil, !damagedResources.contains(resource), !broken.contains(.resources) {
                try find(.member, in: .members, at: location, "the resource has no record")
            }
        }
    }

    /// FORMAT.md, Invariant 9.
    func verifyOutbox(_ snapshot: borrowing ReadTransaction) throws {
        try walk(.outbox, snapshot) { entry in
            switch try key(of: entry, .outbox, OutboxKey.init(decoding:)) {
            case .entry(let lane, let sequence):
                let location = "\(lane) \(sequence)"
                highest.outboxSequence = max(highest.outboxSequence, sequence)
                guard let record = try record(of: entry, .outbox, at: location, OutboxRecord.init(decoding:)) else {
                    return
                }
                try compareEntry(record, OutboxIndexRecord(lane: lane, sequence: sequence), location, snapshot)
            case .index(let id):
                let location = "index of \(id)"
                guard let record = try record(of: entry, .outbox, at: location, OutboxIndexRecord.init(decoding:))
                else { return }
                highest.outboxSequence = max(highest.outboxSequence, record.sequence)
                try compareIndex(id, record, location, snapshot)
            case nil: return
            }
        }
    }

    private func compareEntry(
        _ record: OutboxRecord, _ place: OutboxIndexRecord, _ location: String, _ snapshot: borrowing ReadTransaction
    ) throws {
        do {
            let indexed = try tables.outboxIndex(record.entryID, in: snapshot)
            if indexed == place { return }
            try find(
                .index, in: .outbox, at: location,
                indexed == nil ? "the entry is not in the index" : "the index has the entry elsewhere")
        } catch is StoreError {
            // A damaged index record is a finding of its own.
        }
    }

    private func compareIndex(
        _ id: UUIDBytes, _ place: OutboxIndexRecord, _ location: String, _ snapshot: borrowing ReadTransaction
    ) throws {
        do {
            let found = try tables.record(
                .outbox, in: snapshot,
                key: { (key) throws(FormatError) in
                    try OutboxRecord.appendKey(lane: place.lane, sequence: place.sequence, to: &key)
                },
                OutboxRecord.init(decoding:))
            if found?.entryID == id { return }
            try find(
                .index, in: .outbox, at: location,
                found == nil ? "the entry is not there" : "another entry stands at its place")
        } catch is StoreError {
            // A damaged entry is a finding of its own.
        }
    }

    func verifyJournal(_ snapshot: borrowing ReadTransaction) throws {
        var records = 0
        try walk(.journal, snapshot) { entry in
            records += 1
            guard let sequence = try key(of: entry, .journal, JournalRecord.decodeKey) else { return }
            let location = "journal \(sequence)"
            try notePositive(sequence, in: .journal, at: location)
            highest.journalSequence = max(highest.journalSequence, sequence)
            guard let record = try record(of: entry, .journal, at: location, JournalRecord.init(decoding:)) else {
                return
            }
            if case .outcome(let outcome) = record.event {
                highest.outboxSequence = max(highest.outboxSequence, outcome.sequence)
            }
        }
        if records > Limits.journalRecords {
            try find(
                .count, in: .journal, at: "all", "\(records) records, where \(Limits.journalRecords) are kept",
                severity: .minor)
        }
    }
}
