/// The state of an entry's delivery: everything that changes with an attempt.
public struct OutboxDelivery: Hashable, Sendable {
    /// The progress of a delivery, by its number in FORMAT.md, "outbox".
    public enum State: Int64, Hashable, Sendable, CaseIterable {
        /// The entry waits for its turn.
        case pending = 0
        /// A send was begun, and its result is not recorded yet.
        case sending = 1
        /// The entry was tried; the next try is due at ``OutboxDelivery/dueAt``.
        case waiting = 2
        /// The attempts are used up, the entry cannot be sent as it is, or a newer one took its place in a full outbox.
        /// A dead letter whose overlay stays.
        case failed = 3
        /// It is unknown whether the server has the entry; the app decides.
        case unresolved = 4
        /// The server refused the entry. A dead letter without overlay.
        case rejected = 5
        /// The server has different content; the resolver decides.
        case conflicted = 6

        /// Whether an entry in this state counts as pending.
        public var isPending: Bool { self != .failed && self != .rejected }
    }

    /// The progress.
    public var state: State = .pending
    /// The number of sends begun, 0 or more, including one that was then deferred by a server's wait that another
    /// sender had recorded.
    public var tries = 0
    /// The number of responses that count against the entry's limit since it was created, or last given all its
    /// attempts back, 0 or more. A response that requests time (429, 503 with `Retry-After`, 409 while the first try is
    /// performed) does not count; the response to an automatic try of a failed entry counts like any other.
    public var attempts = 0
    /// The number of consecutive tries after which the entry waited or failed, 0 or more; it determines the next wait.
    public var failures = 0
    /// When the first send was begun that may have reached the server, in milliseconds since 1970-01-01 UTC: the first
    /// of those in doubt, else the last.
    public var firstTriedAt: Int64?
    /// When the last send was begun, in milliseconds since 1970-01-01 UTC.
    public var lastTriedAt: Int64?
    /// Whether the server may have the write: a send got no response, or one that does not decide it (502, 504, or 409
    /// while the first try is performed).
    public var isInDoubt = false
    /// When the next try is due, in milliseconds since 1970-01-01 UTC, in state `waiting`. In state `failed`, when the
    /// entry is tried once more by itself, or nil where it is not.
    public var dueAt: Int64?
    /// The key of the batch that the entry is sent in.
    public var batch: UUIDBytes?
    /// Whether the entry is no longer sent in a batch.
    public var isUnbatched = false
    /// The status of the last response.
    public var lastStatus: Int?
    /// The reason the last try of the entry failed, or why the entry failed, was rejected or could not be decided; in
    /// one line without content.
    public var lastError: String?

    /// The delivery of an entry that was not tried yet.
    public init() {}

    /// Whether the entry is pending and no send was ever begun: only this store has its content.
    public var isUntried: Bool { state == .pending && tries == 0 && batch == nil }
}

/// A record of `outbox` under the identity of an entry: its lane and sequence, and its delivery.
///
/// FORMAT.md, "outbox". Key: (entry id). A try changes no other record.
package struct OutboxDeliveryRecord: TupleRecord, Hashable, Sendable {
    /// The lane of the entry.
    package var lane = ""
    /// Its sequence.
    package var sequence: Int64 = 0
    /// The state of its delivery.
    package var delivery = OutboxDelivery()
    /// The bytes that the entry counts for: those of its head and its body, inline or in a blob.
    package var byteCount: Int64 = 0

    package init() {}

    /// Creates the record of an untried entry.
    package init(lane: String, sequence: Int64, byteCount: Int64 = 0) {
        self.lane = lane
        self.sequence = sequence
        self.byteCount = byteCount
    }

    package mutating func codeFields(_ coder: inout FieldCoder) {
        coder.text(&lane)
        coder.count("sequence", &sequence)
        coder.state("state", &delivery.state)
        coder.count("tries", &delivery.tries)
        coder.count("attempts", &delivery.attempts)
        coder.count("failures", &delivery.failures)
        coder.integer(&delivery.firstTriedAt)
        coder.integer(&delivery.lastTriedAt)
        coder.bool(&delivery.isInDoubt)
        coder.integer(&delivery.dueAt)
        coder.uuid(&delivery.batch)
        coder.bool(&delivery.isUnbatched)
        coder.integer(&delivery.lastStatus)
        coder.text(&delivery.lastError)
        coder.count("byteCount", &byteCount)
    }

    /// Whether both name the same lane, bytewise, and sequence.
    package func hasSamePosition(as other: OutboxDeliveryRecord) -> Bool {
        sequence == other.sequence && lane.equalsBytewise(other.lane)
    }
}
