internal import LarderEngine
internal import LarderFormat

extension Store {
    /// Writes a diagnostic copy of the last commit into the directory at `path`: the state of the store without its content.
    ///
    /// The copy shows what is ready, stale, unsent or failed, and why, and has no row, body or credential. Texts that may
    /// name people are replaced by numbers that mean nothing in another copy. FORMAT.md, "meta", lists what is left:
    /// groups, ids, filters, types, servers and the reasons of failures. `cachetool` reads it as any store; nothing
    /// writes it. Damaged records are left out. Works while others read and write; holds one read view throughout. Blocks.
    ///
    /// - Parameters:
    ///   - path: the directory of the copy, which is created when it does not exist.
    ///   - facts: lines about the state of the app, for people.
    /// - Throws: `EngineError.keyExists` when a store is there; `EngineError.diskFull`, `EngineError.closed`;
    ///   ``StoreError/damaged(table:reason:)`` where the counters cannot be read. What is at `path` then can be removed.
    /// - Complexity: reads and writes every record but those of rows, overlays, bodies and collections; about 150 bytes for
    ///   each resource, write and response.
    package func writeDiagnostics(to path: String, facts: [(name: String, value: String)] = []) throws {
        try checkOpen()
        let copy = DiagnosticCopy(redactor: DiagnosticRedactor(seed: shared.host.makeID().low))
        let target = try Environment.open(path: path, options: EnvironmentOptions(tables: Tables.names))
        do {
            let names = Tables(target)
            if try target.read({ view in try names.format(in: view) }) != nil { throw EngineError.keyExists }
            var filler = StoreFiller(target, names)
            try read { view in try fill(&filler, with: copy, of: view, facts) }
            try filler.flush()
        } catch {
            try? target.close()
            throw error
        }
        try target.close()
    }

    private func fill(
        _ filler: inout StoreFiller, with copy: DiagnosticCopy, of view: borrowing ReadView,
        _ facts: [(name: String, value: String)]
    ) throws {
        let record = try diagnosticsRecord(of: view, facts)
        try append(copy.meta(try view.format(), tables, in: view.transaction, record), to: .meta, &filler)
        for name in DiagnosticCopy.tables {
            var records: [RawRecord] = []
            try tables.forEachRaw(name, prefix: [], in: view.transaction) { entry in
                let key = entry.key
                if let body = try? Tables.body(of: entry.value, key: key, table: name),
                    let record = try? copy.record(of: name, key, body)
                {
                    records.append(record)
                }
                return name != .responses || records.count < DiagnosticCopy.responses
            }
            try append(records, to: name, &filler)
        }
    }

    /// Appends records in the order of their keys, which differs from that of the store where texts were replaced.
    private func append(_ records: [RawRecord], to name: TableName, _ filler: inout StoreFiller) throws {
        let sorted = records.sorted { $0.key.rawSpan.lexicographicallyPrecedes($1.key.rawSpan) }
        for record in sorted { try filler.append(record, to: name) }
    }

    private func diagnosticsRecord(
        of view: borrowing ReadView, _ facts: [(name: String, value: String)]
    ) throws -> DiagnosticsRecord {
        let info = try environment.info()
        var record = DiagnosticsRecord()
        record.time = shared.host.now()
        record.fileSize = Int64(clamping: info.fileSize)
        record.lastPage = info.lastPage
        record.tables = try TableName.allCases.map { name in
            let statistics = try view.transaction.statistics(of: tables[name])
            return .init(name: name.rawValue, entries: statistics.entries, pages: statistics.pages)
        }
        record.facts = facts.map { .init(name: $0.name, value: $0.value) }
        return record
    }
}
