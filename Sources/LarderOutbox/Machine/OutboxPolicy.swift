public import LarderTransport

/// How writes are delivered: order, waits, bounds and what answers mean.
public struct OutboxPolicy: Hashable, Sendable {
    /// What answers mean.
    public var outcomes = OutcomeTable.standard
    /// The waits between tries: 1, 2, 4, 8, 16, 32, 60 seconds, less chance.
    public var retry = WriteSchedule().retry
    /// The waits after which an entry is tried once more that has failed through the server's fault (5xx, 408, 425): 5, 10, 20, 40, 60
    /// minutes, less chance.
    public var revival = WriteSchedule().revival
    /// The longest wait that a server's Retry-After is followed for.
    public var longestRetryAfter = WriteSchedule().longestRetryAfter
    /// How many answers may ask for another try before an entry has failed; 1 or more. An entry may have its own.
    public var mostAttempts = WriteSchedule().mostAttempts
    /// For how long a key may be relied on. What is in doubt for longer is not sent again without being asked for. An hour less than
    /// the day for which servers remember a key, so that no request arrives when it is forgotten.
    public var keyMemory = Duration.seconds(23 * 3600)
    /// The requests under way at the same time; 1 or more.
    public var concurrentSends = 4
    /// The most entries to be sent, and the bytes of their records and bodies.
    public var bounds = OutboxBounds()
    /// How entries travel together; nil: each by itself.
    public var batch: BatchPolicy?
    /// Whether conflicts are resolved; without, an entry in conflict is rejected.
    public var resolvesConflicts = false
    /// How often an outbox that waits for another one's end looks whether it has ended; more than zero.
    public var takeoverInterval = Duration.seconds(2)

    /// The policy with its defaults.
    public init() {}

    /// The parts that writes in memory share.
    package var schedule: WriteSchedule {
        WriteSchedule(
            retry: retry, revival: revival, mostAttempts: mostAttempts, longestRetryAfter: longestRetryAfter)
    }

    /// Whether every part is in its range.
    package var isSound: Bool {
        mostAttempts > 0 && concurrentSends > 0 && longestRetryAfter >= .zero && keyMemory > .zero && bounds.isSound
            && (batch?.mostEntries ?? 2) > 1 && takeoverInterval > .zero
    }
}

/// How entries that are due together travel in one request.
///
/// The request is a POST of `{"operations":[{"id":"…","type":"…","resource":"…","method":"…","payload":…},…]}` under a key of its
/// own; `id` is the idempotency key of the entry, `resource` its endpoint, and `payload` its body, or null.
///
/// The answer is 200 with `{"outcomes":[{"id":"…","status":201,"replayed":true,"retry_after":5,"sequence":17,"body":…},…]}`, one
/// outcome per operation, in any order. `id` is that of the operation and `status` what the server would have answered to it by
/// itself; the others may be missing: whether that is the answer to an earlier request, the seconds to wait before another try,
/// the sequence of the write, and the body of the answer as a text. An operation without an outcome is sent by itself.
///
/// Success without any outcome is asked about once more. Then the entries are *unresolved*, since the server may have them, and
/// the outbox forms no more batches until it is started anew. A batch that is refused as such is taken apart.
public struct BatchPolicy: Hashable, Sendable {
    /// Where the batch goes, relative to the server.
    public var endpoint: String
    /// The most entries of one batch; 2 or more.
    public var mostEntries: Int

    /// Up to 50 entries to `/sync/batch` unless told otherwise.
    public init(endpoint: String = "/sync/batch", mostEntries: Int = 50) {
        self.endpoint = endpoint
        self.mostEntries = mostEntries
    }
}
