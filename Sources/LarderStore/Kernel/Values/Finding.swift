internal import LarderEngine

/// One thing that ``Store/verify(_:progress:_:)`` reports.
public struct Finding: Hashable, Sendable {
    /// The severity of a finding.
    public enum Severity: String, Hashable, Sendable {
        /// Nothing is lost or wrong for readers; the store can go on.
        case minor
        /// Something is lost, wrong, or would become so.
        case damage
    }

    /// The kind of a finding, a word that stays the same from version to version.
    public struct Kind: RawRepresentable, Hashable, Sendable {
        /// The word.
        public let rawValue: String

        /// Any word.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// A page of the data file is not one that LMDB wrote there, or has two users.
        public static let page = Kind(rawValue: "page")
        /// A record is not the one written under its key, owner and table: changed on the medium, or moved.
        public static let checksum = Kind(rawValue: "checksum")
        /// A key is one that no writer makes.
        public static let key = Kind(rawValue: "key")
        /// A record has a header or body that no writer makes.
        public static let undecodable = Kind(rawValue: "undecodable")
        /// Keys do not ascend.
        public static let order = Kind(rawValue: "order")
        /// A number of entries, rows or bytes is not the one counted.
        public static let count = Kind(rawValue: "count")
        /// The rows of a generation are not those it was written with.
        public static let digest = Kind(rawValue: "digest")
        /// A generation and its owner disagree about each other.
        public static let owner = Kind(rawValue: "owner")
        /// A resource points at a generation that is not what it should be.
        public static let pointer = Kind(rawValue: "pointer")
        /// A record belongs to nothing.
        public static let orphan = Kind(rawValue: "orphan")
        /// A counter is not above the numbers it has given, or the stored size is not the one counted.
        public static let counter = Kind(rawValue: "counter")
        /// A table and its own index disagree.
        public static let index = Kind(rawValue: "index")
        /// A record that is derived from others is not the one that they make now.
        public static let derived = Kind(rawValue: "derived")
        /// A membership names a filter or a resource that is not there.
        public static let member = Kind(rawValue: "member")
        /// Two records represent one object.
        public static let duplicate = Kind(rawValue: "duplicate")
        /// LMDB could not read the table to its end.
        public static let structure = Kind(rawValue: "structure")
    }

    /// The severity of the finding.
    public let severity: Severity
    /// The table it was found in.
    public let table: String
    /// The kind of the finding.
    public let kind: Kind
    /// The page of the data file; nil for what is not about one page.
    public let page: Int?
    /// Whether it prevents a check of the records: liblmdb would misread them.
    public let endsChecks: Bool
    /// The place: the decoded key, for display. It contains stored names.
    public let location: String
    /// The description of the finding, for display.
    public let message: String

    /// A finding of the given parts.
    public init(
        severity: Severity, table: String, kind: Kind, page: Int? = nil, endsChecks: Bool = false, location: String,
        message: String
    ) {
        self.severity = severity
        self.table = table
        self.kind = kind
        self.page = page
        self.endsChecks = endsChecks
        self.location = location
        self.message = message
    }
}

extension Finding: CustomStringConvertible {
    /// Severity, table, kind, place and message, in one line.
    public var description: String { "\(severity.rawValue) \(table) \(kind.rawValue) at \(location): \(message)" }
}

extension Finding {
    /// What the finding means for readers and writers, in one sentence, for display.
    public var consequence: String {
        if severity == .minor { return "Nothing is lost or wrong for readers." }
        switch (kind, table) {
        case (.page, PageProblem.freeList): return "A write may overwrite stored records."
        case (.page, _):
            return "Records of the page, and below it, may be missing or wrong; a write may end the process."
        case (.checksum, _), (.undecodable, _), (.key, _): return "The record cannot be read; reading it throws."
        case (.structure, _), (.order, _): return "Records of the table may be missing."
        case (.digest, _), (.owner, _), (.pointer, _): return "Rows of the resource may be missing or wrong."
        case (.index, _), (.derived, _): return "A query by it may miss rows, or find too many."
        default: return "Reads and writes that rely on it may be wrong."
        }
    }

    /// What to do about the finding, in one sentence, for display.
    public var remedy: String {
        if severity == .minor { return "Later writes may repair it; compact corrects a wrong stored size." }
        switch (kind, table) {
        case (.page, _), (.structure, _), (.order, _):
            return "Restore data.mdb from a copy, or remove the store and fetch again."
        case (_, "outbox"): return "Drop the write (cachetool outbox drop) and make it again."
        case (_, "resources"), (_, "filters"), (_, "members"): return "The next sync fetches the content again."
        default: return "Remove the content (Store.clear), and have it fetched again."
        }
    }
}
