/// A conflict between an entry and the server's content, and its resolution; kind `conflict` of `journal`.
///
/// FORMAT.md, "journal".
public struct ResolvedConflict: Hashable, Sendable {
    /// The part of a payload that was kept.
    public enum Content: Hashable, Sendable {
        /// No payload: there was no row, or it was unknown.
        case none
        /// The whole payload.
        case bytes([UInt8])
        /// The length in bytes, without the payload, which was longer than ``Limits/conflictContent``.
        case omitted(Int64)

        /// Keeps a payload, or its length when it is too long.
        public init(_ payload: [UInt8]?) {
            guard let payload else {
                self = .none
                return
            }
            self = payload.count > Limits.conflictContent ? .omitted(Int64(payload.count)) : .bytes(payload)
        }

        /// The payload, where it was kept.
        public var payload: [UInt8]? {
            if case .bytes(let payload) = self { payload } else { nil }
        }
    }

    /// When it was resolved, in milliseconds since 1970-01-01 UTC.
    public var time: Int64 = 0
    /// The entry.
    public var entryID = UUIDBytes.zero
    /// The row that the entry changed, where it had an effect on one.
    public var row: RowKey?
    /// The status code of the server's response.
    public var status: Int64 = 0
    /// The policy that decided: its name, or `host`.
    public var policy = ""
    /// The side that prevails: `remote` the server's, `local` the entry's, `merged` a combination of both.
    public var resolution = ""
    /// The entry that replaced it.
    public var successor: UUIDBytes?
    /// The lane of the entry.
    public var lane = ""
    /// The app's name for the kind of write.
    public var mutationType = ""
    /// The method of the entry.
    public var method = ""
    /// Its endpoint.
    public var endpoint = ""
    /// The account under which the entry was made.
    public var account: String?
    /// The subject of the entry.
    public var entity: String?
    /// The media type of its body.
    public var contentType: String?
    /// When the entry was made, in milliseconds since 1970-01-01 UTC.
    public var createdAt: Int64 = 0
    /// The row that the write was made from.
    public var base = Content.none
    /// The content that the entry was to send.
    public var local = Content.none
    /// The row that the entry showed.
    public var shown = Content.none
    /// The server's content.
    public var remote = Content.none
    /// The content that is sent instead.
    public var merged = Content.none
    /// The entity tag of the server's content.
    public var entityTag: String?

    init() {}

    /// A conflict of an entry, without any payload.
    public init(
        time: Int64, entryID: UUIDBytes, status: Int64, policy: String, resolution: String, lane: String,
        mutationType: String, method: String, endpoint: String, createdAt: Int64
    ) {
        self.time = time
        self.entryID = entryID
        self.status = status
        self.policy = policy
        self.resolution = resolution
        self.lane = lane
        self.mutationType = mutationType
        self.method = method
        self.endpoint = endpoint
        self.createdAt = createdAt
    }
}

// MARK: - Coding

extension ResolvedConflict {
    /// Visits the elements after kind and time.
    mutating func codeFields(_ coder: inout FieldCoder) {
        coder.uuid(&entryID)
        coder.row("row", &row)
        coder.integer(&status)
        coder.text(&policy)
        coder.text(&resolution)
        coder.uuid(&successor)
        coder.text(&lane)
        coder.text(&mutationType)
        coder.text(&method)
        coder.text(&endpoint)
        coder.text(&account)
        coder.text(&entity)
        coder.text(&contentType)
        coder.integer(&createdAt)
        base.codeFields(&coder)
        local.codeFields(&coder)
        shown.codeFields(&coder)
        remote.codeFields(&coder)
        merged.codeFields(&coder)
        coder.text(&entityTag)
    }
}

extension ResolvedConflict.Content {
    fileprivate mutating func codeFields(_ coder: inout FieldCoder) {
        var element =
            switch self {
            case .none: TupleElement.null
            case .bytes(let payload): TupleElement.bytes(payload)
            case .omitted(let count): TupleElement.integer(count)
            }
        coder.element(&element)
        switch element {
        case .null: self = .none
        case .bytes(let payload): self = .bytes(payload)
        case .integer(let count) where count >= 0: self = .omitted(count)
        default: coder.fail(.invalidValue(field: "content", value: 0))
        }
    }
}
