public import LarderFormat

/// A write that waits to be sent.
public struct OutboxEntry: Hashable, Sendable {
    /// Its identity, and its idempotency key.
    public let id: UUIDBytes
    /// The queue it stands in: entries of one lane are sent in order.
    public let lane: String
    /// Its place; one count for all lanes, never used twice.
    public let sequence: Int64
    /// What is to be sent.
    public let draft: OutboxDraft
    /// How its delivery goes.
    public let delivery: OutboxDelivery

    /// When it was enqueued, in milliseconds since 1970-01-01 UTC.
    public var createdAt: Int64 { draft.createdAt }
    /// The host's name of the kind of write.
    public var mutationType: String { draft.mutationType }
    /// The HTTP method.
    public var method: String { draft.method }
    /// The endpoint, relative to the server.
    public var endpoint: String { draft.endpoint }
    /// The body to be sent; empty where it is a blob.
    public var payload: [UInt8] { draft.payload }
    /// How often sending it was begun.
    public var tries: Int { delivery.tries }
    /// The rows its effect is laid over.
    public let rows: [RowKey]

    /// An entry that lies in no store.
    package init(draft: OutboxDraft, sequence: Int64 = 1, rows: [RowKey] = []) {
        self.draft = draft
        self.sequence = sequence
        self.rows = rows
        id = draft.id
        lane = draft.lane
        delivery = OutboxDelivery()
    }

    init(record: OutboxRecord, delivery: OutboxDeliveryRecord) {
        id = record.entryID
        lane = delivery.lane
        sequence = delivery.sequence
        rows = record.rows
        draft = OutboxDraft(record: record, lane: delivery.lane)
        self.delivery = OutboxDelivery(record: delivery)
    }
}

/// How the delivery of an entry goes: all of it that changes with a try.
public struct OutboxDelivery: Hashable, Sendable {
    /// How far it is.
    public enum State: String, Hashable, Sendable, CaseIterable {
        /// To be sent when its turn comes.
        case pending
        /// A send was begun, and what came of it is not recorded yet.
        case sending
        /// Tried; the next try is due at ``OutboxDelivery/dueAt``.
        case waiting
        /// The attempts are used up, it cannot be sent as it is, or it made room; a dead letter whose overlay stays.
        case failed
        /// Nobody can tell whether the server has it: the host decides.
        case unresolved
        /// The server refused it; a dead letter without overlay.
        case rejected
        /// The server holds something else: the resolver decides.
        case conflicted

        /// Whether it counts among what is to be sent.
        public var isPending: Bool { self != .failed && self != .rejected }
    }

    /// How far it is.
    public var state: State = .pending
    /// How often a send was begun.
    public var tries = 0
    /// How many answers asked for another try, since it was made or revived.
    public var attempts = 0
    /// How many tries failed in a row.
    public var failures = 0
    /// When the first send was begun that the server may know of, in milliseconds since 1970-01-01 UTC: one that never left, or
    /// that was answered, does not count.
    public var firstTriedAt: Int64?
    /// When the last one was, likewise.
    public var lastTriedAt: Int64?
    /// Whether some send was not answered, so that the server may have the write.
    public var isInDoubt = false
    /// When the next try is due, likewise, in state `waiting`; in state `failed`, when it is tried once more by itself, or nil where
    /// it is not.
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

    /// Whether it is to be sent and no send was ever begun: nobody but this store knows what it says.
    public var isUntried: Bool { state == .pending && tries == 0 && batch == nil }
}

/// What to send, before it has a place in the outbox.
public struct OutboxDraft: Hashable, Sendable {
    /// A header field of the request.
    public struct Field: Hashable, Sendable {
        /// The name.
        public var name: String
        /// The value, byte for byte.
        public var value: [UInt8]

        /// A field of these parts.
        public init(name: String, value: [UInt8]) {
            self.name = name
            self.value = value
        }
    }

    /// Its identity, and its idempotency key: minted once, by the caller.
    public var id: UUIDBytes
    /// The queue it is to stand in.
    public var lane: String
    /// When it was made, in milliseconds since 1970-01-01 UTC.
    public var createdAt: Int64
    /// The host's name of the kind of write.
    public var mutationType: String
    /// The HTTP method.
    public var method: String
    /// The endpoint, relative to the server.
    public var endpoint: String
    /// The body to be sent.
    public var payload: [UInt8]
    /// The account it is made under, the only one it is sent as.
    public var account: String?
    /// What it is about: a failed entry holds what comes behind it about the same.
    public var entity: String?
    /// Header fields that go with it. Credentials are stamped at send and must not be here.
    public var fields: [Field] = []
    /// A live blob that is the body, in place of ``payload``; given up with the entry. At most one record may name it.
    public var blob: Blob?
    /// Entries that have to be accepted before it is sent; it goes with them when one is rejected.
    public var after: [UUIDBytes] = []
    /// What a second enqueue of the same write is recognised by.
    public var deduplicationKey: String?
    /// A checksum of method, endpoint and body, by which two writes under one deduplication key are told apart.
    public var fingerprint: UInt64 = 0
    /// How many answers may ask for another try; 1 or more.
    public var mostAttempts = 5
    /// The entry in whose place it comes.
    public var predecessor: UUIDBytes?
    /// Whether the answer's body, or a fetch, becomes the row once it is accepted.
    public var loadsAnswer = false

    /// A draft of the given parts.
    public init(
        id: UUIDBytes, lane: String, createdAt: Int64, mutationType: String, method: String, endpoint: String,
        payload: [UInt8]
    ) {
        self.id = id
        self.lane = lane
        self.createdAt = createdAt
        self.mutationType = mutationType
        self.method = method
        self.endpoint = endpoint
        self.payload = payload
    }
}

/// What a write does to a row before the server has it.
public struct RowEffect: Hashable, Sendable {
    /// The row.
    public var key: RowKey
    /// What becomes of it.
    public var change: OverlayChange

    /// An effect on one row.
    public init(_ change: OverlayChange, at key: RowKey) {
        self.key = key
        self.change = change
    }
}

/// How an entry left the outbox.
public struct OutboxOutcome: Hashable, Sendable {
    /// The entry.
    public let id: UUIDBytes
    /// The lane it stood in.
    public let lane: String
    /// Its place.
    public let sequence: Int64
    /// When it left, in milliseconds since 1970-01-01 UTC.
    public let time: Int64
    /// One word, such as `accepted` or `rejected`.
    public let outcome: String
    /// More about it, for people.
    public let detail: String?
}
