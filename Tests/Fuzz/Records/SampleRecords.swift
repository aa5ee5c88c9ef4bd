import LarderFormat

/// Records from which the fuzzer begins, each with optional fields present.
enum SampleRecords {
    static var all: [[UInt8]] {
        bodies.enumerated().flatMap { kind, bodies in bodies.map { [UInt8(kind)] + $0 } }
    }

    static var sealed: [UInt8] {
        let overlay = OverlayRow.encode(.row, updatedAt: 5, isLowestConfirmed: true, payload: [0x7B, 0x7D].rawSpan)
        return [UInt8(RecordKind.all.count), 8, 1, 2, 0, 3, 0, 3, 1, 2, 3] + overlay
    }

    static var chunk: [UInt8] {
        let rows = [row, RowKey(resource: ResourceKey("verses", 1), type: "verse", key: "a")]
        let chunk = CollectionChunk(rows: rows).encode(mainResource: ResourceKey("verses", 1), type: "verse")
        return [UInt8(RecordKind.all.count + 1)] + chunk
    }

    private static let row = RowKey(resource: ResourceKey("translations", 19), type: "translation", key: "85108")
    private static let id = UUIDBytes(high: 1, low: 2)

    /// The bodies of each type, in the order of ``RecordKind/all``.
    private static var bodies: [[[UInt8]]] {
        [
            [BlobRecord(byteCount: 5, digest: 7).encode()], [BufferState().encode(), buffer.encode()],
            [BufferedPoint(time: 1, payload: [1]).encode()], [collection.encode()],
            [CollectionNumberRecord(number: 3).encode()], [CollectionMembershipRecord(count: 2).encode()],
            [CountersRecord().encode()], [filter.encode()], [FormatRecord(storeID: id, createdBy: "x").encode()],
            [diagnostics.encode()], [GarbageRecord(process: id, count: 1, byteCount: 2).encode()],
            [GenerationRecord(owner: row.resource).encode()],
            [IndexRecord(name: "n", group: "g", id: 1, type: "t", path: "$.a", collation: .nocase).encode()],
            events.map { JournalRecord(time: 1, event: $0).encode() },
            [MemberRecord(listedInRun: 1, finishedInRun: 2).encode()],
            [OutboxDeliveryRecord(lane: "l", sequence: 1, byteCount: 2).encode()], [head.encode()],
            [outboxBody.encode()],
            [OutboxDeduplicationRecord([id, id]).encode()], overlays.map { $0.encode() },
            [OwnerRecord(owner: row.resource).encode()], [resource.encode()], [ResponseIndexRecord(blob: 2).encode()],
            [response.encode()], [RowValidatorsRecord(entityTag: "\"a\"", fetchedAt: 1, generation: 3).encode()],
            [SaltRecord(salt: [UInt8](repeating: 1, count: 16)).encode()],
            [ServerWaitsRecord(waits: [ServerWaitsRecord.Wait(server: "s", until: 1, notedAt: 2)]).encode()],
            [servers.encode()], [SnapshotFailure(kind: .refused, count: 1, failedAt: 2, reason: "r").encode()],
            [session.encode()],
        ]
    }

    private static var diagnostics: DiagnosticsRecord {
        var record = DiagnosticsRecord()
        record.tables = [.init(name: "rows", entries: 1, pages: 2)]
        record.facts = [.init(name: "a", value: "b")]
        return record
    }

    private static var buffer: BufferState {
        var state = BufferState()
        state.upload.batch = BufferUpload.Batch(sequences: 1...3, key: id)
        state.upload.dueAt = 5
        return state
    }

    private static var collection: CollectionRecord {
        let reference = CollectionName.Reference(row: row, attribute: "verses")
        let name = CollectionName(class: "verse", query: "a=1", reference: reference)
        return CollectionRecord(name: name, mainResource: row.resource, fetchedAt: 1)
    }

    private static var filter: FilterState {
        var state = FilterState(filter: "translations:19")
        state.token = "t"
        state.incompleteUntil = 9
        state.runs = [RecordedRuns(beganAt: 1, endedAt: 2, count: 3, rowsWritten: 4, error: "e")]
        return state
    }

    private static var events: [JournalRecord.Event] {
        var conflict = ResolvedConflict(
            time: 1, entryID: id, status: 412, policy: "p", resolution: "r", lane: "l", mutationType: "m",
            method: "PUT", endpoint: "/a", createdAt: 3)
        conflict.row = row
        conflict.base = .omitted(4)
        conflict.local = .bytes([1])
        return [
            .outcome(OutboxOutcome(id: id, lane: "l", sequence: 1, time: 1, outcome: "accepted", detail: "d")),
            .evicted(Eviction(.resource(row.resource), bytes: 7)), .evicted(Eviction(.collections(3), bytes: 7)),
            .conflict(conflict), .other(kind: "later", elements: [.integer(1), .null, .text("a")]),
        ]
    }

    private static var head: OutboxHeadRecord {
        var draft = OutboxDraft(
            id: id, lane: "l", createdAt: 1, mutationType: "m", method: "PUT", endpoint: "/a", payload: [1])
        draft.after = [id]
        draft.blob = Blob(number: 1, byteCount: 2)
        return OutboxHeadRecord(draft, rows: [row], bodyBytes: 2, fitsBatch: true)
    }

    private static var outboxBody: OutboxBodyRecord {
        var body = OutboxBodyRecord()
        body.fields = [HeaderField(name: "a", value: [1])]
        body.withdrawn = overlays
        return body
    }

    private static var overlays: [OverlayRecord] {
        let changes: [OverlayChange] = [.removal, .patch([0x7B, 0x7D]), .replacement([1], codec: .application(16))]
        return changes.map { OverlayRecord($0, updatedAt: 1, entryID: id, account: "a") }
    }

    private static var resource: ResourceRecord {
        var record = ResourceRecord()
        record.liveGeneration = 4
        record.failure = SnapshotFailure(kind: .transient, count: 1, failedAt: 2, reason: "r")
        return record
    }

    private static var response: ResponseRecord {
        var record = ResponseRecord(
            key: "GET a", method: "GET", url: "https://example.org/", status: 206,
            fields: [HeaderField(name: "a", value: [0])], requestedAt: 1, receivedAt: 2, storedAt: 3)
        record.selecting = [SelectingField(name: "accept", value: nil)]
        record.part = ResponseRecord.Part(start: 0, end: 5, total: 9)
        record.setTags(["b", "a"])
        return record
    }

    private static var servers: ServersRecord {
        var record = ServersRecord()
        record.sync = "s"
        record.account = "a"
        return record
    }

    private static var session: StoredSession {
        var session = StoredSession(state: .signedIn, account: "a", changedAt: 1, signedInAt: 2)
        session.setValue([1], named: "v")
        session.addSecretName("s")
        return session
    }
}
