/// One thing that ``Store/verify(progress:_:)`` reports.
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
    /// The place: the decoded key, for display. It contains stored names.
    public let location: String
    /// The description of the finding, for display.
    public let message: String

    /// A finding of the given parts.
    public init(severity: Severity, table: String, kind: Kind, location: String, message: String) {
        self.severity = severity
        self.table = table
        self.kind = kind
        self.location = location
        self.message = message
    }
}

extension Finding: CustomStringConvertible {
    /// Severity, table, kind, place and message, in one line.
    public var description: String { "\(severity.rawValue) \(table) \(kind.rawValue) at \(location): \(message)" }
}
