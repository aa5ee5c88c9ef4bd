/// The state of an entry's delivery: everything that changes with an attempt.
public struct OutboxDelivery: Hashable, Sendable {
    /// The progress of a delivery, by its number in FORMAT.md, "outbox".
    public enum State: Int64, Hashable, Sendable, CaseIterable {
        /// To be sent when its turn comes.
        case pending = 0
        /// A send was begun, and its result is not recorded yet.
        case sending = 1
        /// Tried; the next try is due at ``OutboxDelivery/dueAt``.
        case waiting = 2
        /// The attempts are used up, it cannot be sent as it is, or it made room; a dead letter whose overlay stays.
        case failed = 3
        /// Whether the server has it cannot be determined: the host decides.
        case unresolved = 4
        /// The server refused it; a dead letter without overlay.
        case rejected = 5
        /// The server holds something else: the resolver decides.
        case conflicted = 6

        /// Whether it counts among what is to be sent.
        public var isPending: Bool { self != .failed && self != .rejected }
    }

    /// The progress.
    public var state: State = .pending
    /// How often a send was begun, 0 or more.
    public var tries = 0
    /// How many answers asked for another try since the entry was made or revived, 0 or more.
    public var attempts = 0
    /// How many tries failed in a row, 0 or more.
    public var failures = 0
    /// When the first send was begun that the server may know of, in milliseconds since 1970-01-01 UTC: one that never left, or
    /// that was answered, does not count.
    public var firstTriedAt: Int64?
    /// When the last send was begun, in milliseconds since 1970-01-01 UTC.
    public var lastTriedAt: Int64?
    /// Whether some send was not answered, so that the server may have the write.
    public var isInDoubt = false
    /// When the next try is due, in milliseconds since 1970-01-01 UTC, in state `waiting`; in state `failed`, when it is tried
    /// once more by itself, or nil where it is not.
    public var dueAt: Int64?
    /// The key of the batch it travels in.
    public var batch: UUIDBytes?
    /// Whether it travels in no batch any more.
    public var isAlone = false
    /// The status of the last answer.
    public var lastStatus: Int?
    /// What went wrong last, in one line without content.
    public var lastError: String?

    /// The delivery of an entry that was not tried yet.
    public init() {}

    /// Whether it is to be sent and no send was ever begun: only this store knows what it says.
    public var isUntried: Bool { state == .pending && tries == 0 && batch == nil }
}

/// A record of `outbox` under the identity of an entry: the place of the entry, and its delivery.
///
/// FORMAT.md, "outbox". Key: (entry id). It is all that changes with a try.
package struct OutboxDeliveryRecord: TupleRecord, Hashable, Sendable {
    /// The lane of the entry.
    package var lane = ""
    /// Its sequence.
    package var sequence: Int64 = 0
    /// The state of its delivery.
    package var delivery = OutboxDelivery()
    /// The bytes it counts for: those of its head and its body, wherever that lies.
    package var byteCount: Int64 = 0

    package init() {}

    /// An entry that was not tried yet.
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
        coder.bool(&delivery.isAlone)
        coder.integer(&delivery.lastStatus)
        coder.text(&delivery.lastError)
        coder.count("byteCount", &byteCount)
    }

    /// Whether both name the same lane, bytewise, and sequence.
    package func isAtPlace(of other: OutboxDeliveryRecord) -> Bool {
        sequence == other.sequence && lane.equalsBytewise(other.lane)
    }
}
