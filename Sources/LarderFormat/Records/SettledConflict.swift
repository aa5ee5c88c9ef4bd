/// A conflict between an entry and what the server held, and how it was settled; kind `conflict` of `journal`.
///
/// FORMAT.md, "journal".
public struct SettledConflict: Hashable, Sendable {
    /// What was kept of a payload.
    public enum Content: Hashable, Sendable {
        /// There was none: no row, or it was not known.
        case none
        /// All of it.
        case bytes([UInt8])
        /// Its length in bytes, and no more: it was above ``Limits/conflictContent``.
        case leftOut(Int64)

        /// What there was, as far as it is kept.
        public init(_ payload: [UInt8]?) {
            guard let payload else {
                self = .none
                return
            }
            self = payload.count > Limits.conflictContent ? .leftOut(Int64(payload.count)) : .bytes(payload)
        }

        /// The payload where it is kept.
        public var payload: [UInt8]? {
            if case .bytes(let payload) = self { payload } else { nil }
        }
    }

    /// When it was settled, in milliseconds since 1970-01-01 UTC.
    public var time: Int64 = 0
    /// The entry.
    public var entryID = UUIDBytes.zero
    /// The row it was about, where it had an effect on one.
    public var row: RowKey?
    /// The status code of the server's answer.
    public var status: Int64 = 0
    /// What decided: the name of a policy, or `host`.
    public var policy = ""
    /// Whose counts: `remote` the server's, `local` the entry's, `merged` something of both.
    public var resolution = ""
    /// The entry that took its place.
    public var successor: UUIDBytes?
    /// The lane of the entry.
    public var lane = ""
    /// The host's name of the kind of write.
    public var mutationType = ""
    /// The method of the entry.
    public var method = ""
    /// Its endpoint.
    public var endpoint = ""
    /// The account it was made under.
    public var account: String?
    /// What it was about.
    public var entity: String?
    /// The type of its body.
    public var contentType: String?
    /// When the entry was made, in milliseconds since 1970-01-01 UTC.
    public var createdAt: Int64 = 0
    /// The row that the write was made from.
    public var base = Content.none
    /// What the entry was to send.
    public var local = Content.none
    /// The row that it showed.
    public var shown = Content.none
    /// What the server held.
    public var remote = Content.none
    /// What is sent instead.
    public var merged = Content.none
    /// The entity tag of what the server held.
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

extension SettledConflict {
    /// Visits what follows kind and time.
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

extension SettledConflict.Content {
    fileprivate mutating func codeFields(_ coder: inout FieldCoder) {
        var element =
            switch self {
            case .none: TupleElement.null
            case .bytes(let payload): TupleElement.bytes(payload)
            case .leftOut(let count): TupleElement.integer(count)
            }
        coder.element(&element)
        switch element {
        case .null: self = .none
        case .bytes(let payload): self = .bytes(payload)
        case .integer(let count) where count >= 0: self = .leftOut(count)
        default: coder.fail(.invalidValue(field: "content", value: 0))
        }
    }
}
