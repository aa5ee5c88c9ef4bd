internal import LarderEngine
internal import LarderFormat

/// The second step of a salvage: it makes the records that were saved agree with each other. FORMAT.md, "Invariants".
///
/// What a record counts or refers to may be lost. Then the server's content is marked so that the next sync fetches it
/// again, and cached content is dropped.
struct SalvageRepair {
    let loader: SalvageLoader
    /// Milliseconds since 1970-01-01 UTC.
    let now: Int64
    var report: SalvageReport

    init(_ loader: SalvageLoader, _ report: SalvageReport, now: Int64) {
        self.loader = loader
        self.report = report
        self.now = now
    }

    mutating func run(_ transaction: inout Transaction) throws {
        for name in TableName.allCases where name != .meta { try removeUndecodable(name, &transaction) }
        try repairAccount(&transaction)
        try repairFilters(&transaction)
        try repairContent(&transaction)
        let blobs = try wholeBlobs(&transaction)
        let entries = try repairOutbox(blobs, &transaction)
        try repairOverlays(entries, &transaction)
        let named = try repairResponses(blobs, &transaction)
        try discardBlobs(except: named.union(entries.blobs), &transaction)
        try repairCollections(&transaction)
        try repairBuffers(&transaction)
    }

    /// Binds the content to the account that signed in last, where the record that says so is lost: another account must
    /// not see it.
    private func repairAccount(_ transaction: inout Transaction) throws {
        let key = ServersRecord.key
        guard loader.hasLoss(of: .meta), let account = try transaction.session()?.account,
            try transaction.engine.value(forKey: key.rawSpan, in: transaction.tables.meta) == nil
        else { return }
        var servers = ServersRecord()
        servers.account = account
        try transaction.put(body: servers.encode(), key: key, in: .meta)
    }

    /// Removes records that no version of this format has written, although their checksums fit.
    private func removeUndecodable(_ name: TableName, _ transaction: inout Transaction) throws {
        var invalid: [[UInt8]] = []
        try transaction.tables.forEachRaw(name, prefix: [], in: transaction.engine) { entry in
            if !Self.isDecodable(entry.key, entry.value, name) { invalid.append([UInt8](copying: entry.key)) }
            return true
        }
        for key in invalid { try transaction.remove(key: key, in: name) }
    }

    private static func isDecodable(_ key: RawSpan, _ value: RawSpan, _ name: TableName) -> Bool {
        let body = value.extracting(droppingFirst: RecordHeader.size)
        do throws(FormatError) {
            switch name {
            case .resources:
                _ = try ResourceRecord.decodeKey(key)
                _ = try ResourceRecord(decoding: body)
            case .generations:
                _ = try GenerationRecord.decodeKey(key)
                _ = try GenerationRecord(decoding: body)
            case .filters:
                _ = try FilterState.decodeKey(key)
                _ = try FilterState(decoding: body)
            case .members:
                _ = try MemberRecord.decodeKey(key)
                _ = try MemberRecord(decoding: body)
            case .journal:
                _ = try JournalRecord.decodeKey(key)
                _ = try JournalRecord(decoding: body)
            case .overlay:
                _ = try OverlayKey.decode(key)
                _ = try OverlayRecord(decoding: body)
            case .responses:
                _ = try ResponseKey(decoding: key)
                _ = try ResponseRecord(decoding: body)
            case .outbox: try decodeOutbox(key, body)
            case .buffers:
                switch try BufferKey(decoding: key) {
                case .ring: _ = try BufferState(decoding: body)
                case .point: _ = try BufferedPoint(decoding: body)
                }
            case .blobs:
                if case .head = try BlobKey(decoding: key) { _ = try BlobRecord(decoding: body) }
            case .rows:
                if try RowKeyCoding.decode(key).row != nil { _ = try RowBody(body: body) }
            case .meta, .collections, .indexes, .garbage: break
            }
            return true
        } catch {
            return false
        }
    }

    private static func decodeOutbox(_ key: RawSpan, _ body: RawSpan) throws(FormatError) {
        switch try OutboxKey(decoding: key) {
        case .head: _ = try OutboxHeadRecord(decoding: body)
        case .body: _ = try OutboxBodyRecord(decoding: body)
        case .delivery: _ = try OutboxDeliveryRecord(decoding: body)
        case .deduplication: _ = try OutboxDeduplicationRecord(decoding: body)
        }
    }
}
