internal import LarderEngine
internal import LarderFormat

extension Transaction {
    /// Discards a live blob: no record names it from this commit on. Its chunks are removed after the commit, when it
    /// is not held.
    ///
    /// - Throws: ``EngineError``.
    package mutating func discardBlob(_ number: Int64) throws {
        var byteCount: Int64 = 0
        do {
            guard let record = try tables.blob(number, in: engine) else { return }
            byteCount = record.byteCount
        } catch StoreError.damaged {
            // A damaged head must not keep its chunks from being removed, for which the number is enough.
        }
        try remove(key: Self.key { try BlobKey.head(number).append(to: &$0) }, in: .blobs)
        try addGarbage(GarbageKey(.blob, number), byteCount: byteCount)
    }

    /// Begins a blob whose chunks are written in several commits.
    mutating func beginBlob() throws -> Int64 {
        let number = try next(\.nextBlob)
        try addGarbage(GarbageKey(.stagedBlob, number))
        return number
    }

    /// Discards a blob that is still being written; does nothing to any other.
    mutating func discardStagedBlob(_ number: Int64) throws {
        if try removeGarbage(GarbageKey(.stagedBlob, number)) { try addGarbage(GarbageKey(.blob, number)) }
    }

    mutating func putBlob(_ number: Int64, _ record: BlobRecord) throws {
        try put(body: record.encode(), in: .blobs) { try BlobKey.head(number).append(to: &$0) }
    }

    /// Stores the bytes of a chunk.
    ///
    /// - Returns: the checksum it is stored with.
    mutating func putChunk(_ bytes: RawSpan, _ chunk: Int64, of blob: Int64) throws -> UInt64 {
        let key = try Self.key { try BlobKey.chunk(blob: blob, number: chunk).append(to: &$0) }
        let value = Record.seal(
            body: bytes, codec: PayloadCodec.opaque.rawValue, key: key.rawSpan, seed: TableName.blobs.seed)
        try put(value.rawSpan, key: key.rawSpan, in: .blobs)
        return try decoding(.blobs) { () throws(FormatError) in try Record.checksum(of: value.rawSpan) }
    }
}
