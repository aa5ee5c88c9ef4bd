/// The key that distinguishes a row from the others of its resource.
public struct SnapshotRowKey: Hashable, Sendable {
    /// The kind of row, as `record_type` in row mutations.
    public var type: String
    /// The row among those of its type, as `record_key` in row mutations.
    public var key: String

    /// A key of the given parts.
    public init(type: String, key: String) {
        self.type = type
        self.key = key
    }
}

/// A mapping that makes the keys of a snapshot's rows, which on the wire have none or only parts of them.
///
/// The keys must be those that the server gives the same rows in row mutations. Otherwise a later mutation would add a
/// row in place of replacing one. Of two records with the same key in one snapshot, the later one wins.
public struct RowKeyMapping: Sendable {
    /// The members of the records that ``key`` reads, beside `id`, `record_type` and `record_key`.
    public let names: [String]

    /// A function that returns the key of one row of a resource of the given group.
    public let key: @Sendable (_ group: String, _ fields: RecordFields) throws(WireError) -> SnapshotRowKey

    /// A custom mapping.
    ///
    /// - Parameters:
    ///   - names: the members of the records to capture, beside `id`, `record_type` and `record_key`.
    ///   - key: returns the key of one row; a pure function.
    public init(
        capturing names: [String] = [],
        key: @escaping @Sendable (_ group: String, _ fields: RecordFields) throws(WireError) -> SnapshotRowKey
    ) {
        self.names = names
        self.key = key
    }
}

extension RowKeyMapping {
    /// The types of rows in groups whose snapshots do not name them.
    ///
    /// A type is never guessed from a group's name: a group that is not listed must name the type in each row.
    public static let defaultTypes: [String: String] = [
        "articles": "article_localization",
        "tafsirs": "tafsir",
        "translations": "translation",
        "word_by_word_translations": "word_translation",
        "word_by_word_transliterations": "word_transliteration",
    ]

    /// The mapping of the Content Sync protocol.
    ///
    /// The type is `record_type`, else that of ``defaultTypes``. The key is `record_key`, else `id` in decimal. Rows of
    /// `articles` have no `id`: their key is `article_id`, a hyphen, and `lang`. The protocol names no key for them, so
    /// this is a decision of Larder; hosts that sync articles should compare it with the `record_key` of row mutations.
    ///
    /// - Throws: ``WireError/unknownGroup`` without a type, ``WireError/noRecordKey(path:)`` without the members of the
    ///   key, ``WireError/wrongType(path:expected:)`` and ``WireError/empty(path:)`` for members that are not names.
    public static let contentSync = RowKeyMapping(capturing: ["article_id", "lang"]) {
        (group, fields) throws(WireError) in
        guard let type = try fields.name("record_type") ?? defaultTypes[group] else { throw .unknownGroup }
        if let key = try fields.name("record_key") { return SnapshotRowKey(type: type, key: key) }
        switch fields["id"] {
        case .integer(let id)?: return SnapshotRowKey(type: type, key: String(id))
        case .string(let id)? where !id.isEmpty: return SnapshotRowKey(type: type, key: id)
        default: break
        }
        guard group == "articles" else { throw .noRecordKey(path: "id") }
        guard case .integer(let article)? = fields["article_id"] else { throw .noRecordKey(path: "article_id") }
        guard case .string(let language)? = fields["lang"], !language.isEmpty else { throw .noRecordKey(path: "lang") }
        return SnapshotRowKey(type: type, key: "\(article)-\(language)")
    }
}

extension RecordFields {
    /// Returns a member that names something; `nil` when it is absent or `null`.
    fileprivate func name(_ member: String) throws(WireError) -> String? {
        switch self[member] {
        case nil, .null?: return nil
        case .integer?, .other?: throw .wrongType(path: member, expected: .string)
        case .string(let text)?:
            guard !text.isEmpty else { throw .empty(path: member) }
            return text
        }
    }
}
