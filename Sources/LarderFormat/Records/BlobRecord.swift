/// A record of `blobs`: what is known of a large body.
///
/// FORMAT.md, "blobs". Key: (0, blob); the chunks stand under (1, blob, chunk). Exactly one record names it: a body that
/// is being written, or was given up, has chunks only.
package struct BlobRecord: Hashable, Sendable {
    /// Its length in bytes.
    package var byteCount: Int64
    /// The bytes in each chunk but the last, 1 or more.
    package var chunkSize: Int64
    /// The wrapping sum of the checksums of its chunks.
    package var digest: UInt64

    /// Makes a record.
    package init(byteCount: Int64, chunkSize: Int64 = Int64(Limits.chunkBytes), digest: UInt64) {
        self.byteCount = byteCount
        self.chunkSize = chunkSize
        self.digest = digest
    }

    /// Reads a body.
    package init(decoding body: RawSpan) throws(FormatError) {
        var reader = TupleReader(body)
        byteCount = try reader.count("byteCount")
        chunkSize = try reader.count("chunkSize")
        guard chunkSize > 0 else { throw .invalidValue(field: "chunkSize", value: chunkSize) }
        digest = UInt64(bitPattern: try reader.integer())
    }

    /// The body.
    package func encode() -> [UInt8] {
        var writer = TupleWriter()
        writer.append(integer: byteCount)
        writer.append(integer: chunkSize)
        writer.append(integer: Int64(bitPattern: digest))
        return writer.bytes
    }

    /// How many chunks it has.
    package var chunkCount: Int64 { byteCount / chunkSize + (byteCount % chunkSize == 0 ? 0 : 1) }

    /// The bytes of the blob that are in a chunk, of which there must be one of this number.
    package func range(ofChunk number: Int64) -> Range<Int64> {
        precondition(number >= 0 && number < chunkCount, "chunk \(number) of \(chunkCount)")
        // In range: the product is at most the length.
        let start = number * chunkSize
        return start..<start + min(chunkSize, byteCount - start)
    }
}
