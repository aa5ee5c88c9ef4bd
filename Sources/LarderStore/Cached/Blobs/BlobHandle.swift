internal import LarderEngine
internal import LarderFormat

/// A held blob: its bytes stay readable while this lives, even when no record names the blob any more.
///
/// Reads go directly to the map. A read throws ``StoreError/blobRemoved`` when the blob was removed to free space, or by
/// another process.
public final class BlobHandle: Sendable {
    /// The blob's number, never used twice.
    public let number: Int64
    /// Its length in bytes.
    public let byteCount: Int64
    private let record: BlobRecord
    private let store: Store
    private let use: BlobUse

    fileprivate init(number: Int64, record: BlobRecord, store: Store, use: BlobUse) {
        self.use = use
        self.number = number
        self.record = record
        self.store = store
        byteCount = record.byteCount
    }

    deinit {
        store.shared.releaseBlob(number)
    }

    /// Calls `body` with the bytes in `range`, chunk by chunk and in order.
    ///
    /// A span is in the map and valid during its call only; nothing is copied. Every chunk is verified as a whole, even
    /// if only a part of it is requested. Holds one read view throughout: read a large body in several calls. Blocks
    /// while the medium is read.
    ///
    /// - Parameters:
    ///   - range: within the blob.
    ///   - body: receives the chunks.
    /// - Throws: the errors of `body`, which end the read; ``StoreError/blobRemoved``;
    ///   ``StoreError/damaged(table:reason:)``; `EngineError` when the store is closed.
    public func read(_ range: Range<Int64>, _ body: (RawSpan) throws -> Void) throws {
        precondition(
            range.lowerBound >= 0 && range.upperBound <= byteCount, "\(range) of a blob of \(byteCount) bytes")
        if range.isEmpty { return }
        try store.read { view in
            for chunk in range.lowerBound / record.chunkSize...(range.upperBound - 1) / record.chunkSize {
                let all = record.range(ofChunk: chunk)
                let wanted = range.clamped(to: all)
                try view.tables.chunk(chunk, of: number, byteCount: all.count, in: view.transaction) { bytes in
                    // The range is within the chunk, which is in memory, so its bounds fit an `Int`.
                    let start = Int(wanted.lowerBound - all.lowerBound)
                    try body(bytes.extracting(start..<start + wanted.count))
                }
            }
        }
    }
}

extension Store {
    /// Holds a blob for reading; returns nil when there is none of this number, or no record names it any more.
    ///
    /// - Throws: ``StoreError/damaged(table:reason:)``, `EngineError`.
    public func blob(_ number: Int64) throws -> BlobHandle? {
        try read { view in try view.hold(number, in: self) }
    }
}

extension ReadView {
    /// Holds a blob of `store`, the store of this view; returns nil when there is none, no record names it, or it is
    /// being removed.
    ///
    /// - Throws: ``StoreError/damaged(table:reason:)``, ``EngineError``.
    package borrowing func hold(_ number: Int64, in store: Store) throws -> BlobHandle? {
        guard let record = try tables.blob(number, in: transaction) else { return nil }
        let use = store.shared.leases.beginUse()
        guard store.shared.leases.acquire(number) else { return nil }
        return BlobHandle(number: number, record: record, store: store, use: use)
    }
}

extension Tables {
    func blob(_ number: Int64, in source: ReadTransaction) throws -> BlobRecord? {
        try record(.blobs, in: source, as: BlobRecord.self) { try BlobKey.head(number).append(to: &$0) }
    }

    /// Passes the verified bytes of a chunk to `body`; the chunk has to have `byteCount` bytes.
    func chunk(
        _ chunk: Int64, of blob: Int64, byteCount: Int, in source: ReadTransaction, _ body: (RawSpan) throws -> Void
    ) throws {
        let key = try KeyBuffer { try BlobKey.chunk(blob: blob, number: chunk).append(to: &$0) }
        guard let value = try source.value(forKey: key.bytes, in: blobs) else { throw StoreError.blobRemoved }
        let bytes: RawSpan
        do throws(FormatError) {
            bytes = try Record.open(
                value, key: key.bytes, seed: TableName.blobs.seed, codec: PayloadCodec.opaque.rawValue)
            if bytes.byteCount != byteCount { throw .invalidValue(field: "chunk", value: Int64(bytes.byteCount)) }
        } catch {
            throw StoreError.damaged(table: TableName.blobs.rawValue, reason: error)
        }
        try body(bytes)
    }
}
