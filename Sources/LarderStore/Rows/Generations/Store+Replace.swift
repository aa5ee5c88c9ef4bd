public import LarderFormat

extension Store {
    /// Replaces all rows of a resource by those that `fill` appends, in one step for readers.
    ///
    /// The rows go into a new generation in short commits while readers keep the old one and other writes go first; one
    /// small commit then swaps them in. Replacements at the same time write in turns of about 20 seconds: the others
    /// wait before `fill`, or in it when they append.
    ///
    /// Use it for content that ships with the app, or from a source that is not synced. Repeated at every launch, it
    /// replaces nothing that the server has sent since, whatever the server's sequences are now.
    ///
    /// - Parameters:
    ///   - resource: the resource of the rows, which need not be known yet.
    ///   - appliedSequence: the highest server sequence the rows contain, counted before any restoration of the server; 0
    ///     for content without a server.
    ///   - schemaVersion: the version of the rows' shape, or nil to leave what is recorded.
    ///   - fill: appends the rows, best in key order. An error that it throws ends the replacement.
    /// - Throws: what `fill` throws; `CancellationError`; ``StoreError/stagingSuperseded(_:)`` when the resource is
    ///   ahead of `appliedSequence` already, or withdrawn meanwhile; ``StoreError/invalid(_:)`` for a group beyond the
    ///   format's limits; `EngineError`. Readers then still see the old rows.
    public func replace(
        _ resource: ResourceKey, appliedSequence: Int64, schemaVersion: Int64? = nil,
        _ fill: (inout SnapshotWriter) async throws -> Void
    ) async throws {
        let staging = try await beginStaging(resource)
        do {
            var writer = SnapshotWriter(store: self, staging: staging)
            try await fill(&writer)
            try await writer.flush()
            let now = host.now()
            try await swap(staging) { _, record in
                // The timeline of the rows is unknown, so they get the first one, which is older than all others.
                let position = ServerPosition(0, appliedSequence)
                // The position of rows made here does not count: it is replaced with them.
                if !record.isLocalOnly, record.applied > position { throw StoreError.stagingSuperseded(resource) }
                record.applied = position
                record.syncedAt = now
                if let schemaVersion { record.schemaVersion = schemaVersion }
            }
        } catch {
            await discard(staging)
            throw error
        }
    }
}

/// A writer of the rows of a snapshot, lent to the closure of ``Store/replace(_:appliedSequence:schemaVersion:_:)``.
///
/// Holds about half a mebibyte of rows at a time, however many there are: an append waits while a batch is written.
public struct SnapshotWriter: ~Copyable {
    private let store: Store
    private let staging: Staging
    private var batch: RowBatch

    init(store: Store, staging: Staging) {
        self.store = store
        self.staging = staging
        batch = RowBatch(for: staging)
    }

    /// Adds a row; of two with one key, the later wins.
    ///
    /// Rows in key order, numbers by value and then texts, load fastest and pack tightest.
    ///
    /// - Parameters:
    ///   - payload: copied before this returns.
    ///   - type: the type of the row.
    ///   - key: the key of the row among those of its type.
    ///   - updatedAt: milliseconds since 1970-01-01 UTC.
    ///   - codec: how the payload is to be read.
    /// - Throws: ``StoreError/invalid(_:)`` for a key or payload beyond the format's limits; otherwise as ``flush()``.
    public mutating func append(
        _ payload: RawSpan, type: String, key: String, updatedAt: Int64, codec: PayloadCodec = .json
    ) async throws {
        try batch.append(payload, type: type, key: key, updatedAt: updatedAt, codec: codec)
        try await flushIfFull()
    }

    /// Adds a row whose payload is an array; otherwise as ``append(_:type:key:updatedAt:codec:)-(RawSpan,_,_,_,_)``.
    ///
    /// - Throws: as that function.
    public mutating func append(
        _ payload: [UInt8], type: String, key: String, updatedAt: Int64, codec: PayloadCodec = .json
    ) async throws {
        try batch.append(payload.rawSpan, type: type, key: key, updatedAt: updatedAt, codec: codec)
        try await flushIfFull()
    }

    /// Writes the gathered rows when they fill a batch; rows that arrive slowly keep no other snapshot waiting.
    private mutating func flushIfFull() async throws {
        store.yieldStagingTurn(staging)
        if batch.byteCount >= BulkLimits.bytes { try await flush() }
    }

    /// Writes all rows appended so far; also called when a batch is full and after the last row.
    ///
    /// - Throws: `CancellationError`; ``StoreError/stagingSuperseded(_:)`` when another snapshot of the resource was
    ///   begun or this one discarded; `EngineError`.
    public mutating func flush() async throws {
        if batch.count == 0 { return }
        let full = batch
        batch = RowBatch(for: staging)
        try await store.stage(full, in: staging)
    }
}
