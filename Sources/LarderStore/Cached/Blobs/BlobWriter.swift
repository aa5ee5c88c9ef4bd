internal import LarderEngine
public import LarderFormat
internal import Logging
internal import Synchronization

/// The writer of a new blob, for one caller at a time.
///
/// A small body stays in memory until the transaction that names it writes it. A large one is written ahead in short
/// commits; no reader sees it before ``finish(in:)``. The remains of a killed process are removed by
/// another one, or at the next open.
public final class BlobWriter: Sendable {
    private struct State {
        /// Bytes that are not written yet.
        var waiting: [UInt8] = []
        /// The number of the blob, once chunks were written ahead.
        var number: Int64?
        /// The use of blobs, and that of the lease, which began before the first chunk was written ahead.
        var use: (blobs: BlobUse, lease: OpenerLease.Use)?
        /// The number of chunks written ahead, and the sum of their checksums.
        var chunks: Int64 = 0
        var digest: UInt64 = 0
        var isEnded = false
        var isCancelled = false
    }

    /// The number of waiting bytes from which chunks are written ahead.
    private static let threshold = 8 * Limits.chunkBytes

    private let store: Store
    private let state = Mutex(State())

    fileprivate init(store: Store) {
        self.store = store
    }

    deinit {
        let number = state.withLock { $0.isEnded ? nil : $0.number }
        if let number { store.shared.abandonBlob(number) }
    }

    /// The number of bytes that were appended.
    public var byteCount: Int64 {
        state.withLock { $0.chunks * Int64(Limits.chunkBytes) + Int64($0.waiting.count) }
    }

    /// Appends a copy of `bytes`; ``flush()`` keeps memory bounded.
    public func append(_ bytes: RawSpan) {
        state.withLock { state in
            precondition(!state.isEnded, "the blob is finished or cancelled")
            state.waiting.append(copying: bytes)
        }
    }

    /// Writes the full chunks, if at least eight are waiting, and returns when they are written: back-pressure.
    ///
    /// - Throws: `CancellationError`, ``StoreError/blobRemoved``, `EngineError`, also where the lock file of this open
    ///   cannot be used; the blob has to be cancelled then.
    public func flush() async throws {
        if state.withLock({ $0.waiting.count < Self.threshold }) { return }
        try Task.checkCancellation()
        let number: Int64
        if let known = state.withLock({ $0.number }) {
            number = known
        } else {
            let use = (store.shared.leases.beginUse(), try store.shared.lease.begin())
            number = try await store.write(durability: .relaxed) { transaction in try transaction.beginBlob() }
            state.withLock { state in
                state.number = number
                state.use = use
            }
        }
        let batch = BulkLimits.bytes / Limits.chunkBytes * Limits.chunkBytes
        while true {
            let (bytes, first) = state.withLock { state in
                let count = min(batch, state.waiting.count / Limits.chunkBytes * Limits.chunkBytes)
                return (Array(state.waiting.prefix(count)), state.chunks)
            }
            if bytes.isEmpty { return }
            let digest = try await store.writeBulk { transaction in
                try transaction.checkStaged(number)
                return try transaction.putChunks(bytes, from: first, of: number)
            }
            state.withLock { state in
                state.waiting.removeFirst(bytes.count)
                state.chunks += Int64(bytes.count / Limits.chunkBytes)
                state.digest &+= digest
            }
        }
    }

    /// Writes the rest and makes the blob live, in one commit with the record that names it.
    ///
    /// May be called again in another transaction, as a write's closure may run more than once; nothing may be appended
    /// after the first call. When the commit fails, the blob has to be cancelled.
    ///
    /// - Throws: ``StoreError/blobRemoved`` when it was cancelled or all content was removed; `EngineError`.
    public func finish(in transaction: inout Transaction) throws -> Blob {
        let end = state.withLock { state in
            state.isEnded = true
            return state
        }
        if end.isCancelled { throw StoreError.blobRemoved }
        if let staged = end.number, try !transaction.removeGarbage(GarbageKey(.stagedBlob, staged)) {
            throw StoreError.blobRemoved
        }
        let number = try end.number ?? transaction.next(\.nextBlob)
        let digest = end.digest &+ (try transaction.putChunks(end.waiting, from: end.chunks, of: number))
        let byteCount = end.chunks * Int64(Limits.chunkBytes) + Int64(end.waiting.count)
        try transaction.putBlob(number, BlobRecord(byteCount: byteCount, digest: digest))
        return Blob(number: number, byteCount: byteCount)
    }

    /// Discards the blob, unless it became live; chunks written ahead are removed.
    public func cancel() {
        let number = state.withLock { state in
            state.isEnded = true
            state.isCancelled = true
            state.waiting = []
            return state.number
        }
        if let number { store.shared.abandonBlob(number) }
    }
}

extension Store {
    /// Begins a blob. It ends with ``BlobWriter/finish(in:)`` or ``BlobWriter/cancel()``.
    ///
    /// - Throws: `EngineError` when the store is closed or read-only; ``StoreError/readOnlyFormat`` when a newer
    ///   version has changed the file.
    public func makeBlob() throws -> BlobWriter {
        try checkWritable()
        return BlobWriter(store: self)
    }
}

extension Transaction {
    /// Throws ``StoreError/blobRemoved`` unless chunks may be added to the blob.
    fileprivate func checkStaged(_ blob: Int64) throws {
        if try !tables.isInGarbage(GarbageKey(.stagedBlob, blob), in: engine) { throw StoreError.blobRemoved }
    }

    /// Stores bytes as chunks from `first` on, of which only the last may be short.
    ///
    /// - Returns: the wrapping sum of their checksums.
    fileprivate mutating func putChunks(_ bytes: [UInt8], from first: Int64, of blob: Int64) throws -> UInt64 {
        var digest: UInt64 = 0
        var chunk = first
        var start = 0
        while start < bytes.count {
            let end = min(start + Limits.chunkBytes, bytes.count)
            digest &+= try putChunk(bytes.rawSpan.extracting(start..<end), chunk, of: blob)
            chunk += 1
            start = end
        }
        return digest
    }
}
