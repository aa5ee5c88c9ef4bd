/// The rules for naming the rows of one group on the wire.
///
/// The rows of a snapshot form a bare list. A client must be able to derive each one's type and key from the row
/// itself, and must find the same name that row changes use. The origin checks every row against these rules.
public struct GroupRules: Hashable, Sendable {
    /// The place where a client finds the key of a snapshot's row.
    public enum KeyRule: Hashable, Sendable {
        /// The decimal text of the body's `id`.
        case id
        /// The named members, integers or strings, joined by `-`.
        case members([String])
        /// A `record_key` in the row.
        case recordKey
    }

    /// The type of a row that names none, or `nil` when every row has to name its own.
    public var defaultRecordType: String?
    /// Whether the rows of snapshots, and the bodies of row changes, carry `record_type`.
    public var carriesRecordType: Bool
    /// The place where a client finds the key; ``KeyRule/recordKey`` makes rows and bodies carry `record_key`.
    public var keyRule: KeyRule
    /// Whether `resource_content_id` repeats the resource's id; otherwise it is `null`.
    public var carriesContentID: Bool

    /// Creates the rules for one group.
    ///
    /// - Precondition: A group whose rows carry no type has a default one; otherwise no client could name its rows.
    public init(
        defaultRecordType: String? = nil, carriesRecordType: Bool = true, keyRule: KeyRule = .recordKey,
        carriesContentID: Bool = false
    ) {
        precondition(carriesRecordType || defaultRecordType != nil, "a group without types needs a default type")
        self.defaultRecordType = defaultRecordType
        self.carriesRecordType = carriesRecordType
        self.keyRule = keyRule
        self.carriesContentID = carriesContentID
    }
}

/// The rules of every group that an origin knows.
public struct GroupTable: Sendable {
    private var rules: [String: GroupRules]

    /// The rules for groups that ``standard`` does not name: rows carry both their type and their key.
    public static let openRules = GroupRules()

    /// The published groups: translations, tafsirs, recitations, articles, word by word, mushafs, the core.
    ///
    /// `recitations`, `chapter_recitations`, `mushafs` and `quran_core` hold several types, so their rows carry
    /// `record_type`; the other groups hold one. Keys are the decimal `id`. The rows of `articles` have none: their key
    /// is `article_id`, a hyphen and `lang`.
    public static let standard = GroupTable([
        "translations": .single("translation"),
        "tafsirs": .single("tafsir"),
        "word_by_word_translations": .single("word_translation"),
        "word_by_word_transliterations": .single("word_transliteration"),
        "articles": GroupRules(
            defaultRecordType: "article_localization", carriesRecordType: false,
            keyRule: .members(["article_id", "lang"])),
        "recitations": GroupRules(keyRule: .id, carriesContentID: true),
        "chapter_recitations": GroupRules(keyRule: .id, carriesContentID: true),
        "mushafs": GroupRules(keyRule: .id, carriesContentID: true),
        "quran_core": GroupRules(keyRule: .id),
    ])

    /// Creates a table of exactly these groups.
    public init(_ rules: [String: GroupRules]) {
        self.rules = rules
    }

    /// All groups, by their names.
    package var all: [(name: String, rules: GroupRules)] {
        rules.sorted { $0.key < $1.key }.map { (name: $0.key, rules: $0.value) }
    }

    /// The rules of `group`, or `nil` when the table does not contain it; setting adds the group.
    public subscript(group: String) -> GroupRules? {
        get { rules[group] }
        set { rules[group] = newValue }
    }

    /// Returns whether `text` can name a group: filters and paths contain it without any escape.
    static func isName(_ text: String) -> Bool {
        guard let first = text.utf8.first, text.utf8.count <= 64, isAlphanumeric(first) else { return false }
        return text.utf8.allSatisfy { isAlphanumeric($0) || $0 == 0x5F || $0 == 0x2D || $0 == 0x2E }
    }

    private static func isAlphanumeric(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
    }
}

extension GroupRules {
    fileprivate static func single(_ type: String) -> GroupRules {
        GroupRules(defaultRecordType: type, carriesRecordType: false, keyRule: .id, carriesContentID: true)
    }
}
