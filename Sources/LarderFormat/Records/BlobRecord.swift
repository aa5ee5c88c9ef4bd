/// A record of `blobs`: the length and the digest of a large body.
///
/// FORMAT.md, "blobs". Key: (0, blob); the chunks are under (1, blob, chunk). Exactly one record refers to a blob with
/// a head: a body that is being written, or was discarded, has chunks only.
package struct BlobRecord: TupleRecord, Hashable, Sendable {
    /// The length of the blob in bytes.
    package var byteCount: Int64 = 0
    /// The bytes in each chunk but the last, 1 or more.
    package var chunkSize = Int64(Limits.chunkBytes)
    /// The wrapping sum of the checksums of its chunks.
    package var digest: UInt64 = 0

    package init() {}

    /// Makes a record.
    package init(byteCount: Int64, chunkSize: Int64 = Int64(Limits.chunkBytes), digest: UInt64) {
        self.byteCount = byteCount
        self.chunkSize = chunkSize
        self.digest = digest
    }

    package mutating func codeFields(_ coder: inout FieldCoder) {
        coder.count("byteCount", &byteCount)
        coder.count("chunkSize", &chunkSize)
        coder.require(chunkSize > 0, "chunkSize", chunkSize)
        coder.bits(&digest)
    }

    /// The number of chunks.
    package var chunkCount: Int64 { byteCount / chunkSize + (byteCount % chunkSize == 0 ? 0 : 1) }

    /// Returns the bytes of the blob that are in a chunk. Traps when there is no chunk of this number.
    package func range(ofChunk number: Int64) -> Range<Int64> {
        precondition(number >= 0 && number < chunkCount, "chunk \(number) of \(chunkCount)")
        // In range: the product is at most the length.
        let start = number * chunkSize
        return start..<start + min(chunkSize, byteCount - start)
    }
}
