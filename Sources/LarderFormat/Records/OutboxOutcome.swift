/// The outcome of an entry that left the outbox or was rejected; kind `outcome` of `journal`.
///
/// FORMAT.md, "journal".
public struct OutboxOutcome: Hashable, Sendable {
    /// The entry.
    public package(set) var id: UUIDBytes
    /// The lane it was in.
    public package(set) var lane: String
    /// Its place.
    public package(set) var sequence: Int64
    /// When it left or was rejected, in milliseconds since 1970-01-01 UTC.
    public package(set) var time: Int64
    /// The outcome in one word, such as `accepted` or `rejected`.
    public package(set) var outcome: String
    /// Details for a human reader.
    public package(set) var detail: String?

    /// An outcome of these parts.
    package init(
        id: UUIDBytes = .zero, lane: String = "", sequence: Int64 = 0, time: Int64 = 0, outcome: String = "",
        detail: String? = nil
    ) {
        self.id = id
        self.lane = lane
        self.sequence = sequence
        self.time = time
        self.outcome = outcome
        self.detail = detail
    }

    /// Visits the elements after kind and time.
    mutating func codeFields(_ coder: inout FieldCoder) {
        coder.uuid(&id)
        coder.text(&lane)
        coder.count("sequence", &sequence)
        coder.text(&outcome)
        coder.text(&detail)
    }
}
