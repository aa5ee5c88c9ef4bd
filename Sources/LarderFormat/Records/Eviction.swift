/// Stored content that was dropped: the subject, the size, the time and the reason; kinds `evicted` and
/// `evicted-collections` of `journal`.
///
/// FORMAT.md, "journal".
public struct Eviction: Hashable, Sendable {
    /// The kind of content that was dropped.
    public enum Subject: Hashable, Sendable {
        /// The rows of a resource; it keeps its record and its applied sequence.
        case resource(ResourceKey)
        /// A number of responses of the HTTP cache, with their bodies.
        case responses(Int)
        /// A number of collections; the rows they contained stay.
        case collections(Int)
    }

    /// The reason it was dropped: one word; a later version may define more.
    public struct Reason: RawRepresentable, Hashable, Sendable {
        /// The word.
        public var rawValue: String

        /// Creates the reason of a word.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The stored size was above its cap.
        public static let cap = Reason(rawValue: "cap")
        /// The app requested it.
        public static let host = Reason(rawValue: "host")
    }

    /// The kind of content that was dropped.
    public package(set) var subject: Subject
    /// The approximate number of bytes of its keys and values.
    public package(set) var bytes: Int64
    /// The reason.
    public package(set) var reason: Reason
    /// The time, in milliseconds since 1970-01-01 UTC.
    public package(set) var time: Int64

    /// Makes an eviction.
    package init(_ subject: Subject, bytes: Int64 = 0, reason: Reason = .cap, time: Int64 = 0) {
        self.subject = subject
        self.bytes = bytes
        self.reason = reason
        self.time = time
    }

    /// The kind of its record.
    var kind: String { if case .collections = subject { "evicted-collections" } else { "evicted" } }

    /// Visits the elements after kind and time.
    mutating func codeFields(_ coder: inout FieldCoder) {
        switch subject {
        case .collections(var count):
            coder.count("count", &count)
            subject = .collections(count)
        case .resource(let key): codeSubject("resource", key, 1, &coder)
        case .responses(let count): codeSubject("responses", nil, count, &coder)
        }
        coder.count("bytes", &bytes)
        coder.text(&reason.rawValue)
    }

    private mutating func codeSubject(_ word: String, _ key: ResourceKey?, _ count: Int, _ coder: inout FieldCoder) {
        var (what, group, id, count) = (word, key?.group, key?.id, count)
        coder.text(&what)
        coder.text(&group)
        coder.integer(&id)
        coder.count("count", &count)
        if what.equalsBytewise("resource"), let group, let id {
            subject = .resource(ResourceKey(group, id))
            coder.require(count == 1, "count", Int64(count))
        } else {
            subject = .responses(count)
            coder.require(what.equalsBytewise("responses") && group == nil && id == nil, "evicted", id ?? 0)
        }
    }
}
