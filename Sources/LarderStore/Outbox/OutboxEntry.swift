public import LarderFormat

/// A write that waits to be sent.
public struct OutboxEntry: Hashable, Sendable {
    /// Its identity, and its idempotency key.
    public let id: UUIDBytes
    /// The queue it stands in: entries of one lane are sent in order.
    public let lane: String
    /// Its place; one count for all lanes, never used twice.
    public let sequence: Int64
    /// When it was enqueued, in milliseconds since 1970-01-01 UTC.
    public let createdAt: Int64
    /// The host's name of the kind of write.
    public let mutationType: String
    /// The HTTP method.
    public let method: String
    /// The endpoint, relative to the server.
    public let endpoint: String
    /// The body to be sent.
    public let payload: [UInt8]
    /// How often sending it was begun.
    public let attempts: Int

    init(lane: String, sequence: Int64, record: OutboxRecord) {
        id = record.entryID
        self.lane = lane
        self.sequence = sequence
        createdAt = record.createdAt
        mutationType = record.mutationType
        method = record.method
        endpoint = record.endpoint
        payload = record.payload
        attempts = Int(clamping: record.attempts)
    }
}

/// What to send, before it has a place in the outbox.
public struct OutboxDraft: Hashable, Sendable {
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
