internal import LarderEngine
internal import LarderFormat

/// The records of a diagnostic copy, each made of a record of the store. FORMAT.md, "meta", key "diagnostics".
struct DiagnosticCopy {
    /// The tables that the copy has records of; one for each record of the store, except where ``record(of:_:_:)`` has
    /// none.
    static let tables: [TableName] = [
        .resources, .generations, .filters, .members, .outbox, .journal, .responses, .indexes, .buffers, .garbage,
    ]
    /// The most responses of a copy.
    static let responses = 10_000

    let redactor: DiagnosticRedactor
    private let declarations = IndexRecord.prefix

    init(redactor: DiagnosticRedactor) { self.redactor = redactor }

    /// Returns the record of the copy for one of the store; nil where the copy has none.
    ///
    /// - Throws: an error for a damaged record.
    func record(of table: TableName, _ key: RawSpan, _ body: RawSpan) throws -> RawRecord? {
        switch table {
        case .resources:
            var record = try ResourceRecord(decoding: body)
            record.snapshotPath = record.snapshotPath.map { redactor.address($0) }
            return sealed(table, [UInt8](copying: key), record)
        case .filters:
            var record = try FilterState(decoding: body)
            record.token = redactor.text(record.token)
            return sealed(table, [UInt8](copying: key), record)
        case .outbox: return try outbox(key, body)
        case .journal:
            return sealed(table, [UInt8](copying: key), redacted(try JournalRecord(decoding: body)))
        case .responses: return try response(key, body)
        case .buffers:
            guard case .ring(let name) = try BufferKey(decoding: key) else { return nil }
            let ring = BufferKey.ring(BufferName(name.name, account: redactor.text(name.account)))
            return sealed(table, try Transaction.key { try ring.append(to: &$0) }, try BufferState(decoding: body))
        case .indexes where !key.starts(with: declarations.rawSpan): return nil
        case .generations, .members, .garbage, .indexes:
            return sealed(table, [UInt8](copying: key), [UInt8](copying: body))
        case .meta, .rows, .overlay, .blobs, .collections: return nil
        }
    }

    /// Returns the records of `meta`.
    func meta(
        _ format: FormatRecord, _ tables: Tables, in source: ReadTransaction, _ facts: DiagnosticsRecord
    ) throws -> [RawRecord] {
        var format = format
        format.features = FormatFeatures(compatible: format.features.compatible)
        format.features.isDiagnostic = true
        var records = [
            sealed(.meta, FormatRecord.key, format), sealed(.meta, DiagnosticsRecord.key, facts),
            sealed(.meta, CountersRecord.key, try tables.counters(in: source)),
        ]
        if var session = try readable(StoredSession.key, tables, source, StoredSession.init(decoding:)) {
            session.account = redactor.text(session.account)
            session.removeAllValues()
            session.secretNames = session.secretNames.map { redactor.text($0) }
            records.append(sealed(.meta, StoredSession.key, session))
        }
        if var servers = try readable(ServersRecord.key, tables, source, ServersRecord.init(decoding:)) {
            servers.account = redactor.text(servers.account)
            records.append(sealed(.meta, ServersRecord.key, servers))
        }
        if let waits = try readable(ServerWaitsRecord.key, tables, source, ServerWaitsRecord.init(decoding:)) {
            records.append(sealed(.meta, ServerWaitsRecord.key, waits))
        }
        return records
    }

    private func readable<Value>(
        _ key: [UInt8], _ tables: Tables, _ source: ReadTransaction,
        _ decode: (RawSpan) throws(FormatError) -> Value
    ) throws -> Value? {
        do { return try tables.record(key.rawSpan, .meta, in: source, decode) } catch StoreError.damaged { return nil }
    }

    private func outbox(_ key: RawSpan, _ body: RawSpan) throws -> RawRecord? {
        switch try OutboxKey(decoding: key) {
        case .deduplication: return nil
        case .head(let lane, let sequence):
            var record = try OutboxHeadRecord(decoding: body)
            record.draft.endpoint = redactor.address(record.draft.endpoint)
            record.draft.account = redactor.text(record.draft.account)
            record.draft.entity = redactor.text(record.draft.entity)
            record.draft.deduplicationKey = redactor.text(record.draft.deduplicationKey)
            record.draft.fingerprint = 0
            record.draft.blob = nil
            record.rows = record.rows.map { redactor.row($0) }
            let key = OutboxKey.head(lane: redactor.text(lane), sequence: sequence)
            return sealed(.outbox, try Transaction.key { try key.append(to: &$0) }, record)
        case .body:
            return sealed(.outbox, [UInt8](copying: key), OutboxBodyRecord())
        case .delivery:
            var record = try OutboxDeliveryRecord(decoding: body)
            record.lane = redactor.text(record.lane)
            return sealed(.outbox, [UInt8](copying: key), record)
        }
    }

    private func redacted(_ record: JournalRecord) -> JournalRecord {
        var record = record
        switch record.event {
        case .outcome(var outcome):
            outcome.lane = redactor.text(outcome.lane)
            record.event = .outcome(outcome)
        case .conflict(var conflict):
            conflict.row = conflict.row.map { redactor.row($0) }
            conflict.lane = redactor.text(conflict.lane)
            conflict.endpoint = redactor.address(conflict.endpoint)
            conflict.account = redactor.text(conflict.account)
            conflict.entity = redactor.text(conflict.entity)
            conflict.entityTag = redactor.text(conflict.entityTag)
            conflict.base = redactor.content(conflict.base)
            conflict.local = redactor.content(conflict.local)
            conflict.shown = redactor.content(conflict.shown)
            conflict.remote = redactor.content(conflict.remote)
            conflict.merged = redactor.content(conflict.merged)
            record.event = .conflict(conflict)
        case .evicted: break
        case .other(let kind, _): record.event = .other(kind: kind, elements: [])
        }
        return record
    }

    private func response(_ key: RawSpan, _ body: RawSpan) throws -> RawRecord? {
        guard case .response(let place) = try ResponseKey(decoding: key) else { return nil }
        var record = try ResponseRecord(decoding: body)
        record.key = redactor.address(record.key)
        record.url = redactor.address(record.url)
        record.fields = redactor.fields(record.fields)
        record.selecting = record.selecting.map { SelectingField(name: $0.name, value: redactor.text($0.value)) }
        record.setTags([])
        let address = ResponseAddress(key: record.key, variant: place.variant, .readable)
        return sealed(.responses, try Transaction.key { try ResponseKey.response(address).append(to: &$0) }, record)
    }

    private func sealed(_ table: TableName, _ key: [UInt8], _ record: some TupleRecord) -> RawRecord {
        sealed(table, key, record.encode())
    }

    private func sealed(_ table: TableName, _ key: [UInt8], _ body: [UInt8]) -> RawRecord {
        RawRecord(key: key, value: Record.seal(body: body.rawSpan, key: key.rawSpan, seed: table.seed))
    }
}
