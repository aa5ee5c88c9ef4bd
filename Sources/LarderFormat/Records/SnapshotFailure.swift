/// The reason the snapshot of a resource could not be fetched or stored, in the record of the resource.
///
/// FORMAT.md, "resources", element 16. Cleared when a snapshot is stored, and when the resource is withdrawn.
package struct SnapshotFailure: TupleRecord, Hashable, Sendable {
    /// The remedy that may help.
    package enum Kind: Int64, Sendable, CaseIterable {
        /// The same request may succeed later.
        case transient = 0
        /// The same request fails until something changes.
        case refused = 1
        /// The rows cannot be named here; only another snapshot or another key mapping helps.
        case unusable = 2
    }

    /// The remedy that may help.
    package var kind = Kind.transient
    /// The attempts that failed in a row, at least 1.
    package var count: Int64 = 0
    /// When the last one failed, in milliseconds since 1970-01-01 UTC.
    package var failedAt: Int64 = 0
    /// The reason: one line without content, at most ``Limits/errorText`` bytes.
    package var reason = ""

    package init() {}

    /// Makes a failure.
    package init(kind: Kind, count: Int64, failedAt: Int64, reason: String) {
        self.kind = kind
        self.count = count
        self.failedAt = failedAt
        self.reason = reason
    }

    package mutating func codeFields(_ coder: inout FieldCoder) {
        coder.state("snapshotFailure", &kind)
        coder.count("snapshotFailures", &count)
        coder.integer(&failedAt)
        coder.text(&reason)
    }
}
