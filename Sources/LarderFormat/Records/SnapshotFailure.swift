/// Why the snapshot of a resource could not be brought in, as the resource's record keeps it.
///
/// FORMAT.md, "resources", element 15. Cleared when a snapshot comes in, and when the resource is withdrawn.
package struct SnapshotFailure: Hashable, Sendable {
    /// What may help.
    package enum Kind: Int64, Sendable, CaseIterable {
        /// The same request may succeed later.
        case transient = 0
        /// The same request will fail until somebody changes something.
        case refused = 1
        /// The rows cannot be named here; only another snapshot, or another key mapping, helps.
        case passedOver = 2
    }

    /// What may help.
    package var kind: Kind
    /// The attempts that failed in a row, at least 1.
    package var count: Int64
    /// When the last one failed, in milliseconds since 1970-01-01 UTC.
    package var failedAt: Int64
    /// Why: one line without content, at most ``Limits/errorText`` bytes.
    package var reason: String

    /// Makes a failure.
    package init(kind: Kind, count: Int64, failedAt: Int64, reason: String) {
        self.kind = kind
        self.count = count
        self.failedAt = failedAt
        self.reason = reason
    }

    init(decoding list: [UInt8]) throws(FormatError) {
        var reader = TupleReader(list.rawSpan)
        kind = try reader.state("snapshotFailure", as: Kind.self)
        count = try reader.count("snapshotFailures")
        failedAt = try reader.integer()
        reason = try reader.text()
    }

    /// The list that stands in the record.
    func encode() -> [UInt8] {
        var writer = TupleWriter()
        writer.append(integer: kind.rawValue)
        writer.append(integer: count)
        writer.append(integer: failedAt)
        writer.append(text: reason)
        return writer.bytes
    }
}
