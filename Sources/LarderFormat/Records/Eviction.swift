/// Stored content that was dropped: what, how much of it, when and why; kinds `evicted` and `evicted-collections` of
/// `journal`.
///
/// FORMAT.md, "journal".
public struct Eviction: Hashable, Sendable {
    /// The kind of content that was dropped.
    public enum Subject: Hashable, Sendable {
        /// The rows of a resource; it keeps its record and its floor.
        case resource(ResourceKey)
        /// So many responses of the HTTP cache, with their bodies.
        case responses(Int)
        /// So many collections; the rows they held stay.
        case collections(Int)
    }

    /// Why it was dropped: one word, which a later version may add to.
    public struct Reason: RawRepresentable, Hashable, Sendable {
        /// The word.
        public var rawValue: String

        /// The reason of a word.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// To keep the stored size within its cap.
        public static let cap = Reason(rawValue: "cap")
        /// By the host's wish.
        public static let host = Reason(rawValue: "host")
    }

    /// The kind of content that was dropped.
    public package(set) var subject: Subject
    /// About the bytes of its keys and values.
    public package(set) var bytes: Int64
    /// Why.
    public package(set) var reason: Reason
    /// When, in milliseconds since 1970-01-01 UTC.
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

    /// Visits what follows kind and time.
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
