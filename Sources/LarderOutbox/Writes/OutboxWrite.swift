public import HTTPTypes
public import LarderFormat
public import LarderStore

/// A write to be made on the server, and what it does here until then.
public struct OutboxWrite: Sendable {
    /// What is sent.
    public enum Body: Hashable, Sendable {
        /// Nothing.
        case none
        /// These bytes.
        case bytes([UInt8])
        /// A live blob, given up with the write, and at once when the same write was there already; for what is too large to
        /// be held in memory.
        case blob(Blob)
    }

    /// The host's name of the kind of write, such as `note.create`.
    public var type: String
    /// The method.
    public var method: HTTPRequest.Method
    /// The path and query, appended to the base as text.
    public var endpoint: String
    /// What is sent.
    public var body: Body
    /// Header fields that go with it. Credentials must not be here, and are refused: they are stamped at send
    /// (`Credentials`).
    public var fields: HTTPFields
    /// What it is about, such as `note/17`: writes about one entity never overtake each other.
    public var entity: String?
    /// The queue it stands in.
    public var lane: Lane
    /// The writes that have to be accepted before it is sent; it goes with them when one is rejected.
    public var after: [UUIDBytes]
    /// What readers see from the enqueue on; each row at most once.
    public var effects: [RowEffect]
    /// Stops the double tap: an unfinished write of the same account under the same key is returned, not doubled. A body that is
    /// a blob is compared by its bytes.
    public var deduplicationKey: String?
    /// How many answers may ask for another try before it has failed; nil: as the policy says.
    public var mostAttempts: Int?
    /// Whether the answer's body becomes the row of the first effect once the server has it; where the answer has none, a
    /// GET brings it: of ``endpoint``, or of what the answer says it has created.
    public var loadsAnswer: Bool
    /// How it is merged into the write before it where that was never sent; nil: it is sent by itself.
    public var coalescing: Coalescing?

    /// A write with JSON for a body, unless `fields` say otherwise.
    public init(
        _ type: String, _ method: HTTPRequest.Method = .post, _ endpoint: String, body: Body = .none,
        fields: HTTPFields? = nil, entity: String? = nil, lane: Lane = .entity, after: [UUIDBytes] = [],
        effects: [RowEffect] = [], deduplicationKey: String? = nil, mostAttempts: Int? = nil,
        loadsAnswer: Bool = false, coalescing: Coalescing? = nil
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
        self.loadsAnswer = loadsAnswer
        self.coalescing = coalescing
    }
}

/// What became of an enqueue: it is durable, and the server has not been asked yet.
public enum Enqueued: Hashable, Sendable {
    /// The write waits under this identity.
    case queued(UUIDBytes)
    /// The same write was there already, under this identity.
    case alreadyQueued(UUIDBytes)
    /// What it says is sent with the write under this identity, which was there and was never sent: see ``Coalescing``.
    case coalesced(UUIDBytes)

    /// The identity of the entry that sends it, and its idempotency key.
    public var id: UUIDBytes {
        switch self {
        case .queued(let id), .alreadyQueued(let id), .coalesced(let id): id
        }
    }
}
