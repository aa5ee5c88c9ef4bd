/// A record of `garbage`: who entered a range, and what is left of it.
///
/// FORMAT.md, "garbage". Key: ``GarbageKey``.
package struct GarbageRecord: TupleRecord, Hashable, Sendable {
    /// Names the open of the store by a process that entered it.
    package var process = UUIDBytes.zero
    /// Of a generation, the rows that are left; of an index, the lowest generation that may have entries of it.
    package var count: Int64 = 0
    /// About how many bytes are left.
    package var byteCount: Int64 = 0

    package init() {}

    /// Makes a record, by default of a range of which nothing is known.
    package init(process: UUIDBytes, count: Int64 = 0, byteCount: Int64 = 0) {
        self.process = process
        self.count = count
        self.byteCount = byteCount
    }

    package mutating func codeFields(_ coder: inout FieldCoder) {
        coder.uuid(&process)
        coder.count("count", &count)
        coder.count("byteCount", &byteCount)
    }
}
