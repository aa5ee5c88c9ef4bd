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
    public var time: Int64
    /// The entry.
    public var entryID: UUIDBytes
    /// The row it was about, where it had an effect on one.
    public var row: RowKey?
    /// The status code of the server's answer.
    public var status: Int64
    /// What decided: the name of a policy, or `host`.
    public var policy: String
    /// Whose counts: `remote` the server's, `local` the entry's, `merged` something of both.
    public var resolution: String
    /// The entry that took its place.
    public var successor: UUIDBytes?
    /// The lane of the entry.
    public var lane: String
    /// The host's name of the kind of write.
    public var mutationType: String
    /// The method of the entry.
    public var method: String
    /// Its endpoint.
    public var endpoint: String
    /// The account it was made under.
    public var account: String?
    /// What it was about.
    public var entity: String?
    /// The type of its body.
    public var contentType: String?
    /// When the entry was made, in milliseconds since 1970-01-01 UTC.
    public var createdAt: Int64
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
    /// Reads what follows kind and time.
    init(time: Int64, reading reader: inout TupleReader) throws(FormatError) {
        self.time = time
        entryID = try reader.uuid()
        row = try Self.row(&reader)
        status = try reader.integer()
        policy = try reader.text()
        resolution = try reader.text()
        successor = try reader.optionalUUID()
        lane = try reader.text()
        mutationType = try reader.text()
        method = try reader.text()
        endpoint = try reader.text()
        account = try reader.optionalText()
        entity = try reader.optionalText()
        contentType = try reader.optionalText()
        createdAt = try reader.integer()
        base = try Content(reading: &reader)
        local = try Content(reading: &reader)
        shown = try Content(reading: &reader)
        remote = try Content(reading: &reader)
        merged = try Content(reading: &reader)
        entityTag = try reader.optionalText()
    }

    private static func row(_ reader: inout TupleReader) throws(FormatError) -> RowKey? {
        guard let group = try reader.optionalText() else {
            for _ in 0..<3 where try !reader.takeNull() { throw .invalidValue(field: "row", value: 0) }
            return nil
        }
        return RowKey(
            resource: ResourceKey(group, try reader.integer()), type: try reader.text(), key: try reader.recordKey())
    }

    /// Appends what follows kind and time.
    func append(to writer: inout TupleWriter) {
        writer.append(uuid: entryID)
        if let row {
            writer.append(resource: row.resource)
            writer.append(text: row.type)
            writer.append(recordKey: row.key)
        } else {
            for _ in 0..<4 { writer.appendNull() }
        }
        writer.append(integer: status)
        writer.append(text: policy)
        writer.append(text: resolution)
        writer.append(optionalUUID: successor)
        writer.append(text: lane)
        writer.append(text: mutationType)
        writer.append(text: method)
        writer.append(text: endpoint)
        writer.append(optionalText: account)
        writer.append(optionalText: entity)
        writer.append(optionalText: contentType)
        writer.append(integer: createdAt)
        for content in [base, local, shown, remote, merged] { content.append(to: &writer) }
        writer.append(optionalText: entityTag)
    }
}

extension SettledConflict.Content {
    fileprivate init(reading reader: inout TupleReader) throws(FormatError) {
        switch try reader.element() {
        case .null: self = .none
        case .bytes(let payload): self = .bytes(payload)
        case .integer(let count) where count >= 0: self = .leftOut(count)
        default: throw .invalidValue(field: "content", value: 0)
        }
    }

    fileprivate func append(to writer: inout TupleWriter) {
        switch self {
        case .none: writer.appendNull()
        case .bytes(let payload): writer.append(bytes: payload)
        case .leftOut(let count): writer.append(integer: count)
        }
    }
}
