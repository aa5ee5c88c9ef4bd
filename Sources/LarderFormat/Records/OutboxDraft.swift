/// A request to be sent, before it has a place in the outbox.
public struct OutboxDraft: Hashable, Sendable {
    /// The identity of the entry, and its idempotency key: created once, by the caller.
    public var id = UUIDBytes.zero
    /// The queue of the entry; its encoding is at most ``Limits/lane`` bytes.
    public var lane = ""
    /// When it was made, in milliseconds since 1970-01-01 UTC.
    public var createdAt: Int64 = 0
    /// The app's name for the kind of write.
    public var mutationType = ""
    /// The HTTP method.
    public var method = ""
    /// The endpoint, relative to the server.
    public var endpoint = ""
    /// The body to be sent, at most ``Limits/payload`` bytes; empty where it is a blob.
    public var payload: [UInt8] = []
    /// The account under which it is made, the only one it is sent as.
    public var account: String?
    /// The subject of the write: a failed entry holds up later entries of its lane with the same subject.
    public var entity: String?
    /// Header fields that are sent with it. Credentials are added when it is sent and must not be here.
    public var fields: [HeaderField] = []
    /// A live blob that is the body, in place of ``payload``; discarded with the entry. At most one record may refer to
    /// it.
    public var blob: Blob?
    /// Entries that must be accepted before it is sent; when one of them is rejected, it is rejected too.
    public var after: [UUIDBytes] = []
    /// The key by which a second enqueue of the same write is recognised.
    public var deduplicationKey: String?
    /// A checksum of method, endpoint and body, which distinguishes two writes with one deduplication key.
    public var fingerprint: UInt64 = 0
    /// The number of responses that may request another try; 1 or more.
    public var mostAttempts = 5
    /// The entry that this one replaces.
    public var predecessor: UUIDBytes?
    /// Whether the response's body, or a fetch, becomes the row once the entry is accepted.
    public var loadsResponse = false

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
