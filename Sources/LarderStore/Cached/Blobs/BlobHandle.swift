internal import LarderEngine
internal import LarderFormat

/// A blob that is held: its bytes stay readable while this lives, also when nothing names the blob any more.
///
/// Reads go straight to the map. Where room was needed, or another process removed the blob, reading throws
/// ``StoreError/blobGone``.
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
        store.shared.release(number)
    }

    /// Calls `body` with the bytes in `range`, chunk by chunk and in order.
    ///
    /// A span lies in the map and is valid during its call only; nothing is copied. Every chunk is verified whole, also
    /// where only a part of it is asked for. Holds one snapshot throughout: read a large body in several calls. Blocks
    /// for as long as the medium takes.
    ///
    /// - Parameter range: within the blob.
    /// - Throws: what `body` throws, which ends the reading; ``StoreError/blobGone``;
    ///   ``StoreError/damaged(table:reason:)``; ``EngineError`` when the store is closed.
    public func read(_ range: Range<Int64>, _ body: (RawSpan) throws -> Void) throws {
        precondition(
            range.lowerBound >= 0 && range.upperBound <= byteCount, "\(range) of a blob of \(byteCount) bytes")
        if range.isEmpty { return }
        try store.read { view in
            for chunk in range.lowerBound / record.chunkSize...(range.upperBound - 1) / record.chunkSize {
                let all = record.range(ofChunk: chunk)
                let wanted = range.clamped(to: all)
                try view.tables.chunk(chunk, of: number, byteCount: all.count, in: view.transaction) { bytes in
                    // Within the chunk, which is in memory.
                    let start = Int(wanted.lowerBound - all.lowerBound)
                    try body(bytes.extracting(start..<start + wanted.count))
                }
            }
        }
    }
}

extension Store {
    /// Holds a blob for reading; nil when there is none of this number, or nothing names it any more.
    ///
    /// - Throws: ``StoreError/damaged(table:reason:)``, ``EngineError``.
    public func blob(_ number: Int64) throws -> BlobHandle? {
        try read { view in try view.hold(number, in: self) }
    }
}

extension ReadView {
    /// Holds a blob of `store`, which this is a view of; nil when there is none, nothing names it, or it is being
    /// removed.
    package borrowing func hold(_ number: Int64, in store: Store) throws -> BlobHandle? {
        guard let record = try tables.blob(number, in: transaction) else { return nil }
        let use = store.shared.leases.use()
        guard store.shared.leases.take(number) else { return nil }
        return BlobHandle(number: number, record: record, store: store, use: use)
    }
}

extension Tables {
    func blob(_ number: Int64, in source: ReadTransaction) throws -> BlobRecord? {
        try record(.blobs, in: source, as: BlobRecord.self) { try BlobKey.head(number).append(to: &$0) }
    }

    /// Lends the verified bytes of a chunk, which has to have `byteCount`.
    func chunk(
        _ chunk: Int64, of blob: Int64, byteCount: Int, in source: ReadTransaction, _ body: (RawSpan) throws -> Void
    ) throws {
        let key = try KeyBuffer { try BlobKey.chunk(blob: blob, number: chunk).append(to: &$0) }
        guard let value = try source.value(forKey: key.bytes, in: blobs) else { throw StoreError.blobGone }
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
