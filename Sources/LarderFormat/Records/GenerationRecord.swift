/// A record of `generations`: who owns a generation, and what is in it.
///
/// FORMAT.md, "generations". Key: (generation). Readers see it, or it is being written; one that was given up has none.
package struct GenerationRecord: Hashable, Sendable {
    /// The resource that the generation belongs to.
    package var owner: ResourceKey
    /// The rows in it, without the owner row.
    package var rowCount: Int64
    /// The bytes of keys and values of those rows.
    package var byteCount: Int64
    /// The wrapping sum of the checksums of those rows.
    package var digest: UInt64

    /// Makes a record, by default of a generation without rows.
    package init(owner: ResourceKey, rowCount: Int64 = 0, byteCount: Int64 = 0, digest: UInt64 = 0) {
        self.owner = owner
        self.rowCount = rowCount
        self.byteCount = byteCount
        self.digest = digest
    }

    /// Reads a body.
    package init(decoding body: RawSpan) throws(FormatError) {
        var reader = TupleReader(body)
        owner = try reader.resource()
        rowCount = try reader.count("rowCount")
        byteCount = try reader.count("byteCount")
        digest = UInt64(bitPattern: try reader.integer())
    }

    /// The body.
    package func encode() -> [UInt8] {
        var writer = TupleWriter()
        writer.append(resource: owner)
        writer.append(integer: rowCount)
        writer.append(integer: byteCount)
        writer.append(integer: Int64(bitPattern: digest))
        return writer.bytes
    }

    /// Appends the key of a generation.
    package static func appendKey(_ generation: Int64, to buffer: inout KeyBuffer) throws(FormatError) {
        try buffer.append(integer: generation)
    }

    /// Reads a key back.
    package static func decodeKey(_ key: RawSpan) throws(FormatError) -> Int64 {
        var reader = TupleReader(key)
        let generation = try reader.integer()
        try reader.end()
        return generation
    }
}
