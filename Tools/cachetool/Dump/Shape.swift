import LarderFormat

/// The fields of every kind of record, in the order of FORMAT.md, "Tables".
enum Shape {
    /// The fields of a key.
    ///
    /// - Parameter parts: how many elements the key has.
    /// - Parameter isIndex: whether it is a key of the outbox's index.
    static func key(_ table: TableName, isIndex: Bool) -> [Field] {
        switch table {
        case .meta: [Field("name", .word)]
        case .resources: [Field("group", .content), Field("id", .identifier)]
        case .rows: [Field("generation"), Field("type", .content), Field("key", .recordKey)]
        case .generations: [Field("generation")]
        case .filters: [Field("number")]
        case .members: [Field("filter"), Field("group", .content), Field("id", .identifier)]
        case .outbox: isIndex ? [Field("entry", .uuid)] : [Field("lane", .content), Field("sequence")]
        case .journal: [Field("sequence")]
        case .overlay, .responses, .blobs, .collections, .indexes: []
        }
    }

    /// The fields of the body under `key`.
    static func body(_ table: TableName, key: [JSON]) -> [Field] {
        switch table {
        case .meta: key == ["format"] ? format : counters
        case .resources: resource
        case .rows: owner
        case .generations: owner + generation
        case .filters: filter
        case .members: [Field("listedInRun"), Field("finishedInRun")]
        case .outbox: key.count == 1 ? [Field("lane", .content), Field("sequence")] : entry
        case .journal: journal
        case .overlay, .responses, .blobs, .collections, .indexes: []
        }
    }

    private static let format = [
        Field("magic", .word), Field("major"), Field("minor"), Field("minimumReader"), Field("minimumWriter"),
        Field("store", .uuid), Field("createdBy", .word), Field("incompatible", .bits),
        Field("readOnlyCompatible", .bits), Field("compatible", .bits),
    ]
    private static let counters = [
        Field("nextGeneration"), Field("nextOutboxSequence"), Field("nextFilter"), Field("nextJournalSequence"),
        Field("nextBlob"), Field("nextIndex"), Field("storedSize"),
    ]
    private static let resource = [
        Field("state", .state(["ready", "hidden", "evicted", "empty"])), Field("liveGeneration"),
        Field("stagingGeneration"), Field("floor"), Field("snapshotPath", .content), Field("rows"), Field("bytes"),
        Field("syncedAt"), Field("changedAt"), Field("schemaVersion"), Field("pinned"),
        Field("usedAt"), Field("evictedBytes"),
    ]
    private static let owner = [Field("group", .content), Field("id", .identifier)]
    private static let generation = [
        Field("state", .state(["", "staging", "live", "garbage"])), Field("rows"), Field("bytes"),
        Field("digest", .bits),
    ]
    private static let filter = [
        Field("filter", .content), Field("token", .content), Field("tokenUpdatedAt"), Field("lastUntilSequence"),
        Field("run"), Field("bootstrapping"), Field("rejected"), Field("pagesDone"),
        Field("attemptedAt"), Field("nextAttemptAt"), Field("failures"), Field("lastError", .content), Field("resyncs"),
        Field("resyncedAt"),
    ]
    private static let entry = [
        Field("entry", .uuid), Field("createdAt"), Field("mutationType", .word), Field("method", .word),
        Field("endpoint", .content), Field("payload", .bytes), Field("attempts"),
    ]
    private static let journal = [
        Field("kind", .word), Field("time"), Field("entry", .uuid), Field("lane", .content), Field("sequence"),
        Field("outcome", .word), Field("detail", .content),
    ]
}
