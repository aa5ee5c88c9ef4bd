/// A record of `garbage`: the opener that added a range, and the size of its rest.
///
/// FORMAT.md, "garbage". Key: ``GarbageKey``.
package struct GarbageRecord: TupleRecord, Hashable, Sendable {
    /// The opener that added the range: an identifier that each process draws when it opens the store.
    package var process = UUIDBytes.zero
    /// For a generation, the number of rows left; for an index, the lowest generation that may have entries of it.
    package var count: Int64 = 0
    /// The approximate number of bytes left.
    package var byteCount: Int64 = 0

    package init() {}

    /// Creates a record, by default of a range of unknown size.
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
