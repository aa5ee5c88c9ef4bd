internal import LarderEngine
internal import LarderFormat

/// A blob and its length, for the record that names it.
public struct Blob: Hashable, Sendable {
    /// Its number, never used twice.
    public let number: Int64
    /// Its length in bytes.
    public let byteCount: Int64
}

extension Transaction {
    /// Gives a live blob up: nothing is to name it from this commit on. Its chunks are removed after the commit, and
    /// when nobody holds it.
    package mutating func discardBlob(_ number: Int64) throws {
        var record: BlobRecord
        do {
            guard let found = try tables.blob(number, in: engine), found.state != .garbage else { return }
            record = found
        } catch StoreError.damaged {
            // A damaged head must not keep its chunks from being removed, which need only its number.
            record = BlobRecord(state: .garbage)
        }
        record.state = .garbage
        try putBlob(number, record)
        effects.garbageBlobs.append(number)
    }

    /// Begins a blob whose chunks are written by and by.
    mutating func beginBlob() throws -> Int64 {
        let number = try next(\.nextBlob)
        try putBlob(number, BlobRecord(state: .staging))
        return number
    }

    mutating func putBlob(_ number: Int64, _ record: BlobRecord) throws {
        try put(body: record.encode(), in: .blobs) { (key) throws(FormatError) in
            try BlobKey.head(number).append(to: &key)
        }
    }

    /// Puts the bytes of a chunk.
    ///
    /// - Returns: the checksum it is stored with.
    mutating func putChunk(_ bytes: RawSpan, _ chunk: Int64, of blob: Int64) throws -> UInt64 {
        let key = try Self.key { (key) throws(FormatError) in
            try BlobKey.chunk(blob: blob, number: chunk).append(to: &key)
        }
        let value = Record.seal(
            body: bytes, codec: PayloadCodec.opaque.rawValue, key: key.rawSpan, seed: TableName.blobs.seed)
        try put(value.rawSpan, key: key.rawSpan, in: .blobs)
        return try decoding(.blobs) { () throws(FormatError) in try Record.checksum(of: value.rawSpan) }
    }

    /// Whether nothing names the blob any more, and some of it is left.
    func isGarbage(_ blob: Int64) throws -> Bool {
        try tables.blob(blob, in: engine)?.state == .garbage
    }

    /// As ``discardBlob(_:)`` for a blob that is still being written; does nothing to any other.
    mutating func discardStagedBlob(_ number: Int64) throws {
        if try tables.blob(number, in: engine)?.state == .staging { try discardBlob(number) }
    }
}

// MARK: - Reclaiming

extension Transaction {
    /// Removes chunks of a garbage blob until its time is up, and its head after the last of them.
    ///
    /// Does not ask whether somebody holds it; whoever does gets ``StoreError/blobGone``.
    ///
    /// - Parameter limit: the most bytes of keys and values to remove, rounded up to whole records.
    /// - Returns: whether there is more to remove, and the bytes that were removed.
    mutating func reclaimBlob(
        _ number: Int64, limit: Int64 = .max, isTimeUp: () -> Bool
    ) throws -> (isMore: Bool, bytes: Int64) {
        if let state = try? tables.blob(number, in: engine)?.state, state != .garbage { return (false, 0) }
        let prefix = BlobKey.chunks(of: number)
        var bytes: Int64 = 0
        var isOut = false
        _ = try engine.withCursor(in: tables.blobs) { cursor in
            try cursor.removeWhile(from: prefix.rawSpan, limit: .max) { entry in
                guard entry.key.starts(with: prefix.rawSpan) else { return false }
                if bytes >= limit || isTimeUp() {
                    isOut = true
                    return false
                }
                bytes += Int64(entry.key.byteCount + entry.value.byteCount)
                return true
            }
        }
        noteRemoved(bytes: bytes)
        if isOut { return (true, bytes) }
        let head = try Self.key { (key) throws(FormatError) in try BlobKey.head(number).append(to: &key) }
        bytes += try size(of: head, in: .blobs)
        try remove(key: head, in: .blobs)
        return (false, bytes)
    }
}

extension Transaction {
    /// The bytes of a key and its value, 0 when it is not there.
    private func size(of key: [UInt8], in name: TableName) throws -> Int64 {
        guard let size = try engine.value(forKey: key.rawSpan, in: tables[name])?.byteCount else { return 0 }
        return Int64(key.count + size)
    }
}

extension Tables {
    /// The blobs in one state, by number; those whose heads are damaged are left out.
    func blobs<Source: TableReader & ~Copyable>(
        in state: BlobRecord.State, _ source: borrowing Source
    ) throws -> [Int64] {
        let heads = BlobKey.heads
        var found: [Int64] = []
        try source.withReadCursor(in: blobs) { cursor in
            while let entry = try cursor.next(), entry.key.starts(with: heads.rawSpan) {
                let decoded = try? decoding(.blobs) { () throws(FormatError) in
                    let body = try Record.open(entry.value, key: entry.key, seed: TableName.blobs.seed)
                    return (try BlobKey(decoding: entry.key), try BlobRecord(decoding: body))
                }
                guard case (.head(let number), let record)? = decoded, record.state == state else { continue }
                found.append(number)
            }
        }
        return found
    }
}
