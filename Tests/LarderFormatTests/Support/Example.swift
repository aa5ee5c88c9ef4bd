// Example: the records of the small store that FORMAT.md shows, as Swift values.

import LarderFormat

/// The records of the small store that FORMAT.md shows, as Swift values.
enum Example {
    static let owner = ResourceKey("translations", 19)
    static let midnight: Int64 = 1_767_225_600_000
    static let entryID = UUIDBytes(high: 0x7D9C_1A52_3E64_4F0B, low: 0x9A8D_1C2B_3A49_5867)
    static let doneID = UUIDBytes(high: 0xC0FF_EE00_1234_4ABC, low: 0x8DEF_0123_4567_89AB)

    static let format = FormatRecord(
        storeID: UUIDBytes(high: 0x0F1E_2D3C_4B5A_4968, low: 0x8796_A5B4_C3D2_E1F0), createdBy: "larder 0.1.0")

    static func counters(storedSize: Int64) -> CountersRecord {
        var record = CountersRecord()
        record.nextGeneration = 8
        record.nextOutboxSequence = 3
        record.nextFilter = 4
        record.nextJournalSequence = 4
        record.nextIndex = 2
        record.nextBlob = 2
        record.nextCollection = 2
        record.pendingEntries = 1
        record.pendingBytes = 218
        record.storedSize = storedSize
        record.applied = ServerPosition(1, 4711)
        return record
    }

    static var failed: ResourceRecord {
        var record = ResourceRecord()
        record.failure = SnapshotFailure(
            kind: .transient, count: 2, failedAt: 1_767_225_605_000, reason: "The server is failing (500).")
        return record
    }

    static func resource(byteCount: Int64) -> ResourceRecord {
        var record = ResourceRecord()
        record.state = .ready
        record.liveGeneration = 7
        record.overlays = 2
        record.applied = ServerPosition(1, 4711)
        record.snapshotPath = "/api/v4/snapshots/translations/19"
        record.rowCount = 3
        record.byteCount = byteCount
        record.syncedAt = midnight + 5000
        record.changedAt = midnight + 4000
        record.schemaVersion = 2
        record.isPinned = true
        record.usedAt = midnight + 3000
        record.evictedBytes = 4096
        return record
    }

    static let hidden: ResourceRecord = {
        var record = ResourceRecord()
        record.state = .hidden
        record.appliedSequence = 4700
        return record
    }()

    static func generation(byteCount: Int64, digest: UInt64) -> GenerationRecord {
        GenerationRecord(owner: owner, rowCount: 3, byteCount: byteCount, digest: digest)
    }

    static let filter: FilterState = {
        var record = FilterState(filter: "translations:19")
        record.token = "c2VxOjQ3MTE"
        record.tokenUpdatedAt = midnight + 5000
        record.timeline = 1
        record.lastUntilSequence = 4711
        record.run = 1
        record.lastRunAt = midnight + 3000
        record.journalAtBegin = 1
        return record
    }()

    static let rejectedFilter: FilterState = {
        var record = FilterState(filter: "tafsirs:*")
        record.tokenUpdatedAt = midnight - 86_400_000
        record.lastUntilSequence = 4650
        record.run = 3
        record.isBootstrapping = true
        record.pagesDone = 2
        record.lastRunAt = midnight + 7000
        record.nextRunAt = midnight + 67_000
        record.failures = 2
        record.lastError = "the server is unavailable (503)"
        record.resyncs = 1
        record.resyncedAt = midnight + 1000
        record.journalAtBegin = 2
        return record
    }()

    static let filterWithRuns: FilterState = {
        var record = FilterState(filter: "notes:1")
        record.token = "NDcxMg"
        record.tokenUpdatedAt = midnight + 2500
        record.lastUntilSequence = 4712
        record.run = 1
        record.lastRunAt = midnight + 4000
        record.nextRunAt = midnight + 8000
        record.failures = 2
        record.lastError = "the server is unavailable (503)"
        record.journalAtBegin = 1
        record.runs = [
            RecordedRuns(beganAt: midnight, endedAt: midnight + 1200, count: 3, rowsWritten: 0, error: nil),
            RecordedRuns(beganAt: midnight + 2000, endedAt: midnight + 2500, count: 1, rowsWritten: 12, error: nil),
            RecordedRuns(
                beganAt: midnight + 3000, endedAt: midnight + 4100, count: 2, rowsWritten: 0,
                error: "the server is unavailable (503)"),
        ]
        return record
    }()

    static let member = MemberRecord(listedInRun: 1, finishedInRun: 1)

    static let head: OutboxHeadRecord = {
        var draft = OutboxDraft(
            id: entryID, lane: "", createdAt: midnight + 6000, mutationType: "note.create", method: "POST",
            endpoint: "/api/v4/notes", payload: [])
        draft.account = "ada"
        draft.entity = "note 1"
        draft.after = [doneID]
        draft.deduplicationKey = "tap 5"
        draft.fingerprint = .max - 1
        draft.loadsResponse = true
        return OutboxHeadRecord(
            draft, rows: [RowKey(resource: owner, type: "note", key: "1")], bodyBytes: 8, fitsBatch: true)
    }()

    static let body: OutboxBodyRecord = {
        var body = OutboxBodyRecord()
        body.fields = [HeaderField(name: "Content-Type", value: Array("application/json".utf8))]
        body.payload = Array("{\"t\":\"\"}".utf8)
        return body
    }()

    /// That of an entry which was rejected.
    static let rejectedBody: OutboxBodyRecord = {
        var rejected = body
        rejected.withdrawn = [OverlayRecord(.replacement(Array("{\"t\":\"\"}".utf8)), updatedAt: midnight)]
        return rejected
    }()

    static let deduplication = OutboxDeduplicationRecord([entryID])

    /// An upload that took the place of another entry.
    static let upload: OutboxHeadRecord = {
        var draft = OutboxDraft(
            id: doneID, lane: "", createdAt: midnight, mutationType: "file", method: "PUT", endpoint: "/files/1",
            payload: [])
        draft.blob = Blob(number: 1, byteCount: 12)
        draft.mostAttempts = 8
        draft.predecessor = entryID
        return OutboxHeadRecord(draft, rows: [], bodyBytes: 12, fitsBatch: true)
    }()

    static let delivery: OutboxDeliveryRecord = {
        var record = OutboxDeliveryRecord(lane: "notes", sequence: 2, byteCount: 218)
        record.delivery.state = .waiting
        record.delivery.tries = 2
        record.delivery.attempts = 1
        record.delivery.failures = 2
        record.delivery.firstTriedAt = midnight + 7000
        record.delivery.lastTriedAt = midnight + 8000
        record.delivery.isInDoubt = true
        record.delivery.dueAt = midnight + 10_000
        record.delivery.lastStatus = 503
        record.delivery.lastError = "the server is unavailable (503)"
        return record
    }()

    /// A member of a batch.
    static let batched: OutboxDeliveryRecord = {
        var record = delivery
        record.delivery.state = .sending
        record.delivery.dueAt = nil
        record.delivery.batch = doneID
        record.delivery.isUnbatched = true
        record.delivery.lastStatus = nil
        record.delivery.lastError = nil
        return record
    }()

    static let overlay = OverlayRecord(
        .replacement(overlayPayload), updatedAt: midnight + 6000, entryID: entryID, account: "ada")
    static let overlayPayload = Array("{\"t\":\"\"}".utf8)

    static let patch: OverlayRecord = {
        var record = OverlayRecord(.patch(patchPayload), updatedAt: midnight + 4500, entryID: doneID)
        record.base = 0x6082_6E5A_FC7C_DE7B
        record.timeline = 1
        record.serverSequence = 4712
        record.acceptance = 1
        record.basePayload = Array("{\"text\":\"nine\"}".utf8)
        return record
    }()
    static let patchPayload = Array("{\"text\":\"ix\",\"n\":1}".utf8)

    static let textIndex: IndexRecord = {
        var record = IndexRecord(
            name: "by-text", group: "translations", id: nil, type: "verse", path: "$.text", collation: .nocase)
        record.state = .ready
        return record
    }()

    static let response: ResponseRecord = {
        var record = ResponseRecord(
            key: "https://example.test/news", method: "GET", url: "https://example.test/news", status: 200,
            fields: [
                .init(name: "ETag", value: Array("\"v1\"".utf8)),
                .init(name: "Cache-Control", value: Array("max-age=60".utf8)),
            ],
            requestedAt: midnight - 1000, receivedAt: midnight, storedAt: midnight)
        record.selecting = [.init(name: "accept-language", value: "de"), .init(name: "accept-encoding", value: nil)]
        record.blob = 1
        record.byteCount = 12
        record.setTags(["start", "news", "start"])
        record.lastUsedAt = midnight + 5000
        return record
    }()

    /// The middle of a body of which no more came, invalidated and pinned.
    static let partialResponse: ResponseRecord = {
        var record = response
        record.part = ResponseRecord.Part(start: 5, end: 17, total: 40)
        record.demand = .validation
        record.isPinned = true
        record.setTags([])
        record.selecting = []
        return record
    }()

    static let responseIndex = ResponseIndexRecord(blob: 1)

    static func blob(digest: UInt64) -> BlobRecord {
        BlobRecord(byteCount: 12, chunkSize: 7, digest: digest)
    }

    static let garbage = GarbageRecord(
        process: UUIDBytes(high: 0xc0ff_ee00_1234_4abc, low: 0x8def_0123_4567_89ab), count: 40, byteCount: 1234)

    static let session: StoredSession = {
        var record = StoredSession(
            state: .expired, account: "ada", changedAt: midnight + 4500, signedInAt: midnight - 86_400_000)
        record.setValue(Array("de".utf8), named: "locale")
        record.setValue(Array("17".utf8), named: "workspace")
        record.addSecretName("token")
        return record
    }()

    static let waits = ServerWaitsRecord(waits: [
        .init(server: "https://api.example.org", until: midnight + 65_000, notedAt: midnight + 5000)
    ])

    static let servers: ServersRecord = {
        var record = ServersRecord()
        record.sync = "https://api.example.org/content"
        record.outbox = "https://api.example.org"
        record.account = "ada"
        return record
    }()

    static let diagnostics: DiagnosticsRecord = {
        var record = DiagnosticsRecord()
        record.time = midnight + 9000
        record.fileSize = 1 << 20
        record.lastPage = 255
        record.tables = [.init(name: "rows", entries: 1000, pages: 40)]
        record.facts = [.init(name: "network", value: "offline")]
        return record
    }()

    static let buffer: BufferState = {
        var record = BufferState()
        record.nextSequence = 8
        record.pointCount = 1
        record.dropped = 6
        record.upload.batch = BufferUpload.Batch(sequences: 7...7, key: doneID)
        record.upload.tries = 1
        record.upload.failures = 1
        record.upload.dueAt = midnight + 9000
        return record
    }()

    static let point = BufferedPoint(time: midnight + 8000, payload: Array("{\"latitude\":-6.2}".utf8))

    static let journal = JournalRecord(
        time: midnight + 5500,
        event: .outcome(
            OutboxOutcome(
                id: doneID, lane: "notes", sequence: 1, time: midnight + 5500, outcome: "accepted")))

    static let evicted = JournalRecord(
        time: midnight + 5600,
        event: .evicted(Eviction(.resource(owner), bytes: 4096, reason: .cap, time: midnight + 5600)))

    static let evictedCollections = JournalRecord(
        time: midnight + 5650,
        event: .evicted(Eviction(.collections(2), bytes: 4096, reason: .cap, time: midnight + 5650)))

    static let conflict: ResolvedConflict = {
        var conflict = ResolvedConflict(
            time: midnight + 5700, entryID: doneID, status: 412, policy: "field-merge", resolution: "merged",
            lane: "notes", mutationType: "note.update", method: "PUT", endpoint: "/api/v4/notes/1",
            createdAt: midnight + 5000)
        conflict.row = RowKey(resource: owner, type: "note", key: "1")
        conflict.successor = entryID
        conflict.account = "ada"
        conflict.entity = "note 1"
        conflict.contentType = "application/json"
        conflict.local = .bytes(Array("{\"t\":1,\"u\":1}".utf8))
        conflict.shown = .omitted(20_480)
        conflict.remote = .bytes(Array("{\"t\":2,\"u\":2}".utf8))
        conflict.merged = .bytes(Array("{\"t\":1,\"u\":2}".utf8))
        conflict.entityTag = "\"v2\""
        return conflict
    }()

    static let conflictJournal = JournalRecord(time: conflict.time, event: .conflict(conflict))

    static let collectionName = CollectionName(
        class: "verse", query: "number > 8",
        reference: .init(row: RowKey(resource: owner, type: "verse", key: "intro"), attribute: "verses"))

    static let collection: CollectionRecord = {
        var record = CollectionRecord(name: collectionName, mainResource: owner, fetchedAt: midnight + 8000)
        record.entityTag = "\"v7\""
        record.rowCount = 3
        record.chunkCount = 1
        return record
    }()

    static let chunk = CollectionChunk(rows: [
        RowKey(resource: owner, type: "verse", key: "10"), RowKey(resource: owner, type: "verse", key: "9"),
        RowKey(resource: ResourceKey("tafsirs", 1), type: "note", key: "a"),
    ])

    static let single = RowValidatorsRecord(
        lastModified: "Thu, 01 Jan 2026 00:00:00 GMT", fetchedAt: midnight + 9000)
}
