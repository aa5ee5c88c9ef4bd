import LarderFormat

/// The fields of every kind of record, in the order of FORMAT.md, "Tables".
enum Shape {
    /// Returns the fields of a key.
    ///
    /// - Parameters:
    ///   - parts: The number of elements of the key.
    ///   - kind: The first element, where that is a number: in some tables it distinguishes kinds of records.
    static func key(_ table: TableName, parts: Int, kind: Int64?) -> [Field] {
        switch table {
        case .meta: [Field("name", .word)] + (parts == 2 ? [Field("number")] : [])
        case .resources: [Field("group", .content), Field("id", .identifier)]
        case .rows: [Field("generation"), Field("type", .content), Field("key", .recordKey)]
        case .generations: [Field("generation")]
        case .filters: [Field("number")]
        case .members: [Field("filter"), Field("group", .content), Field("id", .identifier)]
        // Without a lane the number is the hash of a deduplication key.
        case .outbox:
            kind != nil
                ? [Field("sequence")]
                : parts == 1 ? [Field("entry", .uuid)] : [Field("lane", .content), Field("sequence")]
        case .journal: [Field("sequence")]
        case .collections: [Field("kind")] + collectionKey(kind)
        case .responses: [Field("kind")] + responseKey(kind)
        case .blobs: [Field("kind"), Field("blob")] + (kind == 1 ? [Field("chunk")] : [])
        case .indexes: kind == nil ? [Field("kind", .word), Field("index")] : indexEntry(isOverlaid: kind == 0)
        case .overlay: kind == nil ? row : [Field("kind")] + row + [Field("sequence")]
        case .buffers:
            [Field("buffer", .content), Field("account", .content)] + (parts == 3 ? [Field("sequence")] : [])
        case .garbage: [Field("kind"), Field("number")]
        }
    }

    /// Returns the fields of the body under `key`.
    static func body(_ table: TableName, key: [JSON]) -> [Field] {
        switch table {
        case .meta: meta(key)
        case .resources: resource
        case .rows: owner
        case .generations: owner + generation
        case .filters: filter
        case .members: [Field("listedInRun"), Field("finishedInRun")]
        case .outbox: outbox(key)
        case .journal: journal
        case .collections: collection(kind: key.first, parts: key.count)
        case .responses: key.first == .integer(0) ? response : [Field("blob")]
        case .blobs: blob
        case .indexes: key.first == "index" ? index : []
        // Overlaid rows are encoded like rows and not as such a record.
        case .overlay: overlay
        case .buffers: key.count == 3 ? [Field("time"), Field("payload", .bytes)] : buffer
        case .garbage: [Field("process", .uuid), Field("count"), Field("bytes")]
        }
    }

    private static func meta(_ key: [JSON]) -> [Field] {
        switch key {
        case ["format"]: format
        case ["session"]: session
        case ["salt"]: [Field("salt", .bytes)]
        case ["diagnostics"]:
            [
                Field("time"), Field("fileSize"), Field("lastPage"), Field("tables", .bytes), Field("facts", .bytes),
            ]
        case ["dictionaries"]: [Field("next"), Field("dictionaries", .bytes)]
        case ["keys"]: [Field("nameKey", .bytes), Field("dataKeys", .bytes)]
        case ["waits"]: [Field("servers", .bytes)]
        case ["servers"]: [Field("sync", .content), Field("outbox", .content), Field("objects", .content)]
        default: key.first == "dictionary" ? [Field("dictionary", .bytes)] : counters
        }
    }

    private static func outbox(_ key: [JSON]) -> [Field] {
        switch (key.count, key.first) {
        case (1, .integer): [Field("fields", .bytes), Field("payload", .bytes)]
        case (1, _): delivery
        case (_, .null): [Field("entries", .bytes)]
        default: head
        }
    }

    private static func responseKey(_ kind: Int64?) -> [Field] {
        let place = [Field("head", .content), Field("hash", .identifier), Field("variant")]
        return switch kind {
        case 0: place
        case 1: [Field("tag", .content)] + place
        default: []
        }
    }

    private static func collectionKey(_ kind: Int64?) -> [Field] {
        switch kind {
        case 0: [Field("class", .content), Field("head", .content), Field("hash", .identifier)]
        case 1: row + [Field("number")]
        case 2: [Field("number"), Field("chunk")]
        case 3: row
        default: []
        }
    }

    private static func collection(kind: JSON?, parts: Int) -> [Field] {
        switch kind {
        case .integer(0): [Field("number")]
        case .integer(1): [Field("times")]
        // The rows of a chunk follow as elements without a field.
        case .integer(2): parts == 2 ? collection : [Field("rows")]
        case .integer(3): validators
        default: []
        }
    }

    private static let row = [
        Field("group", .content), Field("id", .identifier), Field("type", .content), Field("key", .recordKey),
    ]
    /// Generation 0 means rows with local writes applied; the resource follows. The value has one to three elements,
    /// depending on its class. The row has two, or one for both.
    private static func indexEntry(isOverlaid: Bool) -> [Field] {
        [Field("generation"), Field("index")]
            + (isOverlaid ? [Field("group", .content), Field("id", .identifier)] : [])
            + [Field("class")] + (1...4).map { Field("part \($0)", .any) }
    }
    private static let index = [
        Field("name", .content), Field("group", .content), Field("id", .identifier), Field("type", .content),
        Field("path", .content), Field("collation", .state(["binary", "nocase"])),
        Field("state", .state(["building", "ready"])),
    ]
    private static let overlay = [
        Field("change", .state(["", "replacement", "removal", "patch"])), Field("updatedAt"), Field("entry", .uuid),
        Field("account", .content), Field("base", .bits), Field("timeline"), Field("serverSequence"),
        Field("acceptance"), Field("basePayload", .bytes), Field("codec"), Field("content", .bytes),
    ]
    private static let validators = [
        Field("entityTag", .content), Field("lastModified", .content), Field("fetchedAt"),
    ]
    private static let collection =
        [
            Field("class", .content), Field("query", .content), Field("referrerGroup", .content),
            Field("referrerID", .identifier), Field("referrerType", .content), Field("referrerKey", .recordKey),
            Field("attribute", .content), Field("homeGroup", .content), Field("homeID", .identifier),
        ] + validators + [Field("rows"), Field("chunks")]
    private static let response = [
        Field("key", .content), Field("method", .word), Field("url", .content), Field("status"),
        Field("fields", .bytes), Field("requestedAt"), Field("receivedAt"), Field("selecting", .bytes),
        Field("partStart"), Field("partEnd"), Field("partTotal"), Field("demand"), Field("blob"), Field("bytes"),
        Field("tags", .bytes), Field("pinned"), Field("reserved"), Field("storedAt"), Field("lastUsedAt"),
    ]
    private static let blob = [
        Field("bytes"), Field("chunkSize"), Field("digest", .bits),
    ]
    private static let format = [
        Field("magic", .word), Field("major"), Field("minor"), Field("minimumReader"), Field("minimumWriter"),
        Field("store", .uuid), Field("createdBy", .word), Field("incompatible", .bits),
        Field("readOnlyCompatible", .bits), Field("compatible", .bits),
    ]
    private static let counters = [
        Field("nextGeneration"), Field("nextOutboxSequence"), Field("nextFilter"), Field("nextJournalSequence"),
        Field("nextBlob"), Field("nextIndex"), Field("nextCollection"), Field("pendingEntries"),
        Field("pendingBytes"), Field("storedSize"), Field("timeline"), Field("appliedSequence"),
    ]
    private static let session = [
        Field("state", .state(["signedOut", "signedIn", "expired"])), Field("account", .content), Field("changedAt"),
        Field("signedInAt"), Field("values", .bytes), Field("namesElsewhere", .bytes),
    ]
    private static let buffer = [
        Field("nextSequence"), Field("points"), Field("dropped"), Field("refused"), Field("flightFirst"),
        Field("flightLast"), Field("key", .uuid), Field("tries"), Field("failures"), Field("dueAt"),
        Field("unbatchedThrough"),
    ]
    private static let resource = [
        Field("state", .state(["ready", "hidden", "evicted", "empty"])), Field("liveGeneration"), Field("overlays"),
        Field("stagingGeneration"), Field("timeline"), Field("appliedSequence"), Field("snapshotPath", .content),
        Field("rows"),
        Field("bytes"),
        Field("syncedAt"), Field("changedAt"), Field("schemaVersion"), Field("pinned"),
        Field("usedAt"), Field("evictedBytes"),
    ]
    private static let owner = [Field("group", .content), Field("id", .identifier)]
    private static let generation = [
        Field("rows"), Field("bytes"), Field("digest", .bits),
    ]
    private static let filter = [
        Field("filter", .content), Field("token", .content), Field("tokenUpdatedAt"), Field("timeline"),
        Field("lastUntilSequence"), Field("run"), Field("bootstrapping"), Field("pagesDone"),
        Field("lastRunAt"), Field("nextRunAt"), Field("failures"), Field("lastError", .content), Field("resyncs"),
        Field("resyncedAt"), Field("journalAtBegin"),
    ]
    private static let head = [
        Field("entry", .uuid), Field("createdAt"), Field("mutationType", .word), Field("method", .word),
        Field("endpoint", .content), Field("account", .content), Field("entity", .content), Field("blob"),
        Field("bodyBytes"), Field("after", .bytes), Field("rows", .bytes), Field("deduplicationKey", .content),
        Field("fingerprint", .bits), Field("mostAttempts"), Field("predecessor", .uuid), Field("loadsAnswer"),
        Field("fitsBatch"),
    ]
    private static let delivery = [
        Field("lane", .content), Field("sequence"),
        Field(
            "state",
            .state(["pending", "sending", "waiting", "failed", "unresolved", "rejected", "conflicted"])),
        Field("tries"), Field("attempts"), Field("failures"), Field("firstTriedAt"), Field("lastTriedAt"),
        Field("inDoubt"), Field("dueAt"), Field("batch", .uuid), Field("alone"), Field("lastStatus"),
        Field("lastError", .content), Field("bytes"),
    ]
    private static let journal = [
        Field("kind", .word), Field("time"), Field("entry", .uuid), Field("lane", .content), Field("sequence"),
        Field("outcome", .word), Field("detail", .content),
    ]
}
