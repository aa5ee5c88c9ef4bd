/// A record of `garbage`: who entered a range, and what is left of it.
///
/// FORMAT.md, "garbage". Key: ``GarbageKey``.
package struct GarbageRecord: Hashable, Sendable {
    /// Names the open of the store by a process that entered it.
    package var process: UUIDBytes
    /// Of a generation, the rows that are left; of an index, the lowest generation that may have entries of it.
    package var count: Int64
    /// About how many bytes are left.
    package var byteCount: Int64

    /// Makes a record, by default of a range of which nothing is known.
    package init(process: UUIDBytes, count: Int64 = 0, byteCount: Int64 = 0) {
        self.process = process
        self.count = count
        self.byteCount = byteCount
    }

    /// Reads a body.
    package init(decoding body: RawSpan) throws(FormatError) {
        var reader = TupleReader(body)
        process = try reader.uuid()
        count = try reader.count("count")
        byteCount = try reader.count("byteCount")
    }

    /// The body.
    package func encode() -> [UInt8] {
        var writer = TupleWriter()
        writer.append(uuid: process)
        writer.append(integer: count)
        writer.append(integer: byteCount)
        return writer.bytes
    }
}
