public import HTTPTypes
public import LarderFormat
public import LarderStore

/// A write to make on the server, and its local effects until then.
///
/// ```swift
/// let write = OutboxWrite(
///     "note.put", .put, "/notes/17", body: .bytes(text), entity: "note/17",
///     effects: [RowEffect(.replacement(text), at: key)], coalescing: .replaces)
/// let queued = try await outbox.enqueue(write)  // readers see the effect before the server is asked
/// print(queued.id)
/// ```
public struct OutboxWrite: Sendable {
    /// The body of a request.
    public enum Body: Hashable, Sendable {
        /// No body.
        case none
        /// These bytes.
        case bytes([UInt8])
        /// A live blob, for content too large for memory. It is discarded with the write, and at once when the same
        /// write is in the outbox already.
        case blob(Blob)
    }

    /// The host's name of the kind of write, such as `note.create`.
    public var type: String
    /// The method.
    public var method: HTTPRequest.Method
    /// The path and query, appended to the base as text.
    public var endpoint: String
    /// The body to send.
    public var body: Body
    /// The header fields to send. Credentials among them are refused: they are added at send (`Credentials`).
    public var fields: HTTPFields
    /// The entity of the write, such as `note/17`: within a lane, writes about one entity never overtake each
    /// other.
    public var entity: String?
    /// The queue of the write.
    public var lane: Lane
    /// The writes that have to be accepted before it is sent; it is rejected when one of them is rejected or discarded.
    public var after: [UUIDBytes]
    /// The changes that readers see from the enqueue on; each row at most once.
    public var effects: [RowEffect]
    /// The key that prevents duplicates: an unfinished write of the same account under the same key is returned, not
    /// doubled. A body that is a blob is compared by its bytes.
    public var deduplicationKey: String?
    /// The number of responses that may request another try before it has failed; nil: as the policy says.
    public var mostAttempts: Int?
    /// Whether the body of the response becomes the row of the first effect once the server has the write. Where the
    /// response has none, a GET loads it: from ``OutboxConfiguration/entityEndpoint``, or the `Location` of a 201.
    public var loadsResponse: Bool
    /// The way it is merged into the write before it where that was never sent; nil: it is sent by itself.
    public var coalescing: Coalescing?

    /// A write, with a JSON content type for a body unless `fields` say otherwise.
    public init(
        _ type: String, _ method: HTTPRequest.Method = .post, _ endpoint: String, body: Body = .none,
        fields: HTTPFields? = nil, entity: String? = nil, lane: Lane = .entity, after: [UUIDBytes] = [],
        effects: [RowEffect] = [], deduplicationKey: String? = nil, mostAttempts: Int? = nil,
        loadsResponse: Bool = false, coalescing: Coalescing? = nil
    ) {
        self.type = type
        self.method = method
        self.endpoint = endpoint
        self.body = body
        self.fields = fields ?? (body == .none ? [:] : [.contentType: "application/json"])
        self.entity = entity
        self.lane = lane
        self.after = after
        self.effects = effects
        self.deduplicationKey = deduplicationKey
        self.mostAttempts = mostAttempts
        self.loadsResponse = loadsResponse
        self.coalescing = coalescing
    }
}

/// The result of an enqueue: the write is durable, and the server has not been asked yet.
public enum Enqueued: Hashable, Sendable {
    /// The write waits under this identity.
    case queued(UUIDBytes)
    /// The same write was in the outbox already, under this identity.
    case alreadyQueued(UUIDBytes)
    /// The write was merged into the entry of this identity, which was never sent: see ``Coalescing``.
    case coalesced(UUIDBytes)

    /// The identity of the entry that sends it, and its idempotency key.
    public var id: UUIDBytes {
        switch self {
        case .queued(let id), .alreadyQueued(let id), .coalesced(let id): id
        }
    }
}
