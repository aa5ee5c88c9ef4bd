public import LarderFormat

/// Stored content that was dropped: what, how much of it, when and why.
public struct Eviction: Hashable, Sendable {
    /// What was dropped.
    public enum Subject: Hashable, Sendable {
        /// The rows of a resource; it keeps its record and its floor.
        case resource(ResourceKey)
        /// So many responses of the HTTP cache, with their bodies.
        case responses(Int)
        /// So many collections; the rows they held stay.
        case collections(Int)
    }

    /// Why it was dropped.
    public enum Reason: String, Hashable, Sendable {
        /// To keep the stored size within its cap.
        case cap
        /// By the host's wish.
        case host
    }

    /// What was dropped.
    public let subject: Subject
    /// About the bytes of its keys and values.
    public let bytes: Int64
    /// Why.
    public let reason: Reason
    /// When, in milliseconds since 1970-01-01 UTC.
    public let time: Int64

    init(_ subject: Subject, bytes: Int64, reason: Reason, time: Int64) {
        self.subject = subject
        self.bytes = bytes
        self.reason = reason
        self.time = time
    }

    /// Nil for a reason of a later version.
    init?(_ record: JournalRecord.Evicted, time: Int64) {
        guard let reason = Reason(rawValue: record.reason) else { return nil }
        let count = Int(clamping: record.count)
        subject =
            record.resource.map { .resource($0) } ?? (record.isOfCollections ? .collections(count) : .responses(count))
        bytes = record.bytes
        self.reason = reason
        self.time = time
    }

    /// As the journal has it.
    var record: JournalRecord {
        var evicted = JournalRecord.Evicted(count: 1, bytes: bytes, reason: reason.rawValue)
        switch subject {
        case .resource(let key): evicted.resource = key
        case .responses(let count): evicted.count = Int64(count)
        case .collections(let count): (evicted.isOfCollections, evicted.count) = (true, Int64(count))
        }
        return JournalRecord(time: time, event: .evicted(evicted))
    }
}
