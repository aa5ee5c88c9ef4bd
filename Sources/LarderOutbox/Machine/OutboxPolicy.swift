public import LarderTransport

/// The rules of delivery: order, waits, bounds and the meaning of responses.
public struct OutboxPolicy: Hashable, Sendable {
    /// The meaning of responses.
    public var outcomes = OutcomeTable.standard
    /// The waits between tries: 1, 2, 4, 8, 16, 32, 60 seconds, less jitter.
    public var retry = WriteSchedule().retry
    /// The waits after which an entry that failed because of the server (5xx, 408, 425, foreign pages, truncated
    /// refusals) is tried once more: 5, 10, 20, 40, 60 minutes, less jitter.
    public var revival = WriteSchedule().revival
    /// The longest wait that is granted to a server's Retry-After; the jitter of ``retry`` lengthens it.
    public var longestRetryAfter = WriteSchedule().longestRetryAfter
    /// The number of responses that may request a try before an entry has failed; 1 or more. An entry may have its own.
    public var mostAttempts = WriteSchedule().mostAttempts
    /// The time for which a key may be relied on. An entry in doubt for longer is left to the host, not sent again. It
    /// is an hour less than the day for which servers remember a key, so that no request arrives when it is forgotten.
    public var keyMemory = Duration.seconds(23 * 3600)
    /// The largest number of requests under way at the same time; 1 or more.
    public var concurrentSends = 4
    /// The most entries to be sent, and the bytes of their records and bodies.
    public var bounds = OutboxBounds()
    /// The rules for sending entries in batches; nil: each by itself.
    public var batch: BatchPolicy?
    /// Whether conflicts are resolved; without, an entry in conflict is rejected.
    public var resolvesConflicts = false
    /// The interval at which an outbox that waits for another one's end checks for it; more than zero.
    public var takeoverInterval = Duration.seconds(2)

    /// The policy with its defaults.
    public init() {}

    /// The parts that are shared with writes in memory.
    package var schedule: WriteSchedule {
        WriteSchedule(
            retry: retry, revival: revival, mostAttempts: mostAttempts, longestRetryAfter: longestRetryAfter)
    }

    /// Whether every part is in its range.
    package var isValid: Bool {
        mostAttempts > 0 && concurrentSends > 0 && longestRetryAfter >= .zero && keyMemory > .zero && bounds.isValid
            && (batch?.mostEntries ?? 2) > 1 && takeoverInterval > .zero
    }
}

/// The rules for sending entries that are due together in one request.
///
/// The request is a POST of `{"operations":[{"id":"…","type":"…","resource":"…","method":"…","payload":…},…]}` under a
/// key of its own; `id` is the idempotency key of the entry, `resource` its endpoint, and `payload` its body, or null.
///
/// The response is 200 with
/// `{"outcomes":[{"id":"…","status":201,"replayed":true,"retry_after":5,"sequence":17,"body":…},…]}`, one outcome per
/// operation, in any order. `id` is that of the operation and `status` the one that the server would have responded to
/// it by itself. The others may be missing. They hold whether that is the response to an earlier request, the seconds
/// to wait before another try, the sequence of the write, and the body of the response as a text. An operation without
/// an outcome is sent by itself.
///
/// A batch that succeeds without any outcome is sent once more. Then the entries are *unresolved*, since the server may
/// have them, and the outbox forms no more batches until it is started with all of them decided. A batch that is
/// refused as such is dissolved.
public struct BatchPolicy: Hashable, Sendable {
    /// The endpoint of the batch, relative to the server.
    public var endpoint: String
    /// The most entries of one batch; 2 or more.
    public var mostEntries: Int

    /// Up to 50 entries to `/sync/batch` by default.
    public init(endpoint: String = "/sync/batch", mostEntries: Int = 50) {
        self.endpoint = endpoint
        self.mostEntries = mostEntries
    }
}
