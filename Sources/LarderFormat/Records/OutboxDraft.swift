/// A request to be sent, before it has a place in the outbox.
public struct OutboxDraft: Hashable, Sendable {
    /// The identity of the entry, and its idempotency key: minted once, by the caller.
    public var id = UUIDBytes.zero
    /// The queue it is to stand in; its encoding is at most ``Limits/lane`` bytes.
    public var lane = ""
    /// When it was made, in milliseconds since 1970-01-01 UTC.
    public var createdAt: Int64 = 0
    /// The host's name of the kind of write.
    public var mutationType = ""
    /// The HTTP method.
    public var method = ""
    /// The endpoint, relative to the server.
    public var endpoint = ""
    /// The body to be sent, at most ``Limits/payload`` bytes; empty where it is a blob.
    public var payload: [UInt8] = []
    /// The account it is made under, the only one it is sent as.
    public var account: String?
    /// What it is about: a failed entry holds what comes behind it about the same.
    public var entity: String?
    /// Header fields that go with it. Credentials are stamped at send and must not be here.
    public var fields: [HeaderField] = []
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

    package init() {}

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
