internal import LarderEngine
internal import LarderFormat

// Records beside the content: `meta`, filters and members, the journal.

extension Verifier {
    func verifyMeta(_ source: ReadTransaction) throws {
        var hasFormat = false
        var hasCounters = false
        // A diagnostic copy has both, any other file has neither.
        var (isDiagnostic, hasFacts) = (false, false)
        try walk(.meta, source) { entry in
            guard let name = try key(of: entry, .meta, Self.name(ofMeta:)) else { return }
            if entry.key.equals(FormatRecord.key.rawSpan) {
                hasFormat = true
                let format = try record(of: entry, .meta, at: name, FormatRecord.init(decoding:))
                isDiagnostic = format?.features.isDiagnostic ?? false
            } else if entry.key.equals(CountersRecord.key.rawSpan) {
                hasCounters = true
                counters = try record(of: entry, .meta, at: name, CountersRecord.init(decoding:))
            } else if entry.key.equals(StoredSession.key.rawSpan) {
                let session = try record(of: entry, .meta, at: name, StoredSession.init(decoding:))
                try reportRepeated(in: session?.values.map(\.name) ?? [], "two values", at: name)
                try reportRepeated(in: session?.secretNames ?? [], "two secret values", at: name)
            } else if entry.key.equals(ServerWaitsRecord.key.rawSpan) {
                let waits = try record(of: entry, .meta, at: name, ServerWaitsRecord.init(decoding:))
                try reportRepeated(in: waits?.waits.map(\.server) ?? [], "two waits", at: name)
            } else if entry.key.equals(ServersRecord.key.rawSpan) {
                _ = try record(of: entry, .meta, at: name, ServersRecord.init(decoding:))
            } else if name == "diagnostics" {
                hasFacts = true
                _ = try record(of: entry, .meta, at: name, DiagnosticsRecord.init(decoding:))
            } else if name == "dictionaries" {
                dictionaries.named = try record(of: entry, .meta, at: name, DictionariesRecord.init(decoding:))
            } else if DictionaryRecord.isKey(entry.key) {
                try verifyDictionary(entry, at: name)
            } else if entry.key.equals(SaltRecord.key.rawSpan) {
                _ = try record(of: entry, .meta, at: name, SaltRecord.init(decoding:))
            } else {
                // A later version may store more here; the checksum can be verified all the same.
                _ = try record(of: entry, .meta, at: name) { (_) throws(FormatError) in }
            }
        }
        if broken.contains(.meta) { return }
        try compareDictionaries()
        if !hasFormat { try reportFinding(.orphan, in: .meta, at: "format", "the store has no format record") }
        if !hasCounters { try reportFinding(.counter, in: .meta, at: "counters", "the store has no counters") }
        if isDiagnostic != hasFacts {
            try reportFinding(
                .undecodable, in: .meta, at: "diagnostics",
                isDiagnostic ? "a diagnostic copy does not say of what" : "the file is no diagnostic copy")
        }
    }

    private func reportRepeated(in names: [String], _ what: String, at location: String) throws(CallbackError) {
        if Set(names.map { Array($0.utf8) }).count < names.count {
            try reportFinding(.duplicate, in: .meta, at: location, "\(what) have one name")
        }
    }

    private static func name(ofMeta key: RawSpan) throws(FormatError) -> String {
        var reader = TupleReader(key)
        let name = try reader.text()
        if DictionaryRecord.isKey(key) {
            let number = try reader.integer()
            try reader.checkEnd()
            return "\(name) \(number)"
        }
        try reader.checkEnd()
        return name
    }

    func verifyFilters(_ source: ReadTransaction) throws {
        var texts: [[UInt8]: Int64] = [:]
        try walk(.filters, source) { entry in
            guard let number = try key(of: entry, .filters, FilterState.decodeKey) else { return }
            let location = "filter \(number)"
            try checkPositive(number, in: .filters, at: location)
            highest.filter = max(highest.filter, number)
            filters.insert(number)
            guard let record = try record(of: entry, .filters, at: location, FilterState.init(decoding:)) else {
                return
            }
            highest.timeline = max(highest.timeline, record.timeline)
            // Texts are compared by their bytes, as everywhere.
            if let other = texts.updateValue(number, forKey: Array(record.filter.utf8)) {
                try reportFinding(.duplicate, in: .filters, at: location, "filter \(other) has the same text")
            }
        }
    }

    /// Checks `members`. FORMAT.md, "Invariants".
    func verifyMembers(_ source: ReadTransaction) throws {
        try walk(.members, source) { entry in
            guard let (number, resource) = try key(of: entry, .members, MemberRecord.decodeKey) else { return }
            let location = "\(resource) of filter \(number)"
            _ = try record(of: entry, .members, at: location, MemberRecord.init(decoding:))
            if !filters.contains(number), !broken.contains(.filters) {
                try reportFinding(.member, in: .members, at: location, "the filter has no record")
            }
            if resources[resource] == nil, !damagedResources.contains(resource), !broken.contains(.resources) {
                try reportFinding(.member, in: .members, at: location, "the resource has no record")
            }
        }
    }

    func verifyJournal(_ source: ReadTransaction) throws {
        var records = 0
        try walk(.journal, source) { entry in
            records += 1
            guard let sequence = try key(of: entry, .journal, JournalRecord.decodeKey) else { return }
            let location = "journal \(sequence)"
            try checkPositive(sequence, in: .journal, at: location)
            highest.journalSequence = max(highest.journalSequence, sequence)
            guard let record = try record(of: entry, .journal, at: location, JournalRecord.init(decoding:)) else {
                return
            }
            if case .outcome(let outcome) = record.event {
                highest.outboxSequence = max(highest.outboxSequence, outcome.sequence)
            }
        }
        if records > Limits.journalRecords {
            try reportFinding(
                .count, in: .journal, at: "all", "\(records) records, where \(Limits.journalRecords) are allowed",
                severity: .minor)
        }
    }
}
