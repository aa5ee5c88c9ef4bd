internal import HTTPTypes
internal import LarderEngine
internal import LarderFormat
public import LarderStore
internal import Synchronization

/// A cache that keeps responses in a store: their metadata in one table, their bodies in chunks in another.
///
/// A hit reads the body straight from the map. A confirmation by the server rewrites a small record and leaves the body
/// alone. Stored responses survive a crash; at most the last ones are lost. The store evicts them.
public struct StoreResponseCache: ResponseCache {
    private let store: Store
    private let limit: ResponseLimit?
    private let decoded = DecodedResponses<DecodedResponse>()

    /// Creates a cache in `store`, which may hold other content too.
    ///
    /// Responses and their bodies use at most about `maximumBytes`, at times a sixteenth more. Beyond that, the ones
    /// that cost least to lose are evicted in the background, after long disuse first. Pinned ones are never evicted,
    /// and no response is refused. A store that holds more already is reduced when the next response is stored.
    /// `StoreOptions.sizeCap` limits all content in addition.
    ///
    /// - Parameters:
    ///   - store: the store that keeps the responses.
    ///   - maximumBytes: of keys and values, above zero; nil for no other limit than the store's.
    public init(store: Store, maximumBytes: Int64? = nil) {
        self.store = store
        limit = maximumBytes.map(ResponseLimit.init)
    }

    /// Returns the responses stored under `key`, the most recent first. Damaged records are skipped.
    ///
    /// - Throws: `EngineError` when the store cannot be read.
    public func entries(for key: String) async throws -> [CachedResponse] {
        let (found, isComplete) = try read(key)
        // A body may be removed after its record was read and before it is held; a second view has the new records.
        return isComplete ? found : try read(key).entries
    }

    private func read(_ key: String) throws -> (entries: [CachedResponse], isComplete: Bool) {
        var found: [CachedResponse] = []
        var isComplete = true
        try store.read { view in
            for entry in try view.responses(forKey: key, decoded: decoded, DecodedResponse.init) {
                // A damaged head counts as missing.
                guard let handle = try? view.hold(entry.blob, in: store),
                    let cached = entry.response(StoreBody(handle: handle, place: entry.place, store: store))
                else {
                    isComplete = false
                    continue
                }
                found.append(cached)
            }
        }
        found.sort { $0.response.receivedAt > $1.response.receivedAt }
        if found.count == 1 { recordUse(of: found[0]) }
        return (found, isComplete)
    }

    /// Records the use of an entry. Eviction removes the least recently used entries first.
    public func recordUse(of entry: CachedResponse) {
        guard let body = entry.body as? StoreBody else { return }
        let blob = Int64(bitPattern: entry.identity)
        if store.usage.addUse(ofResponse: blob, at: body.place, now: store.host.now()) { store.writeUsageSoon() }
    }

    /// Begins to store a response whose body follows.
    ///
    /// - Throws: `StoreError.invalid(_:)` for a key, URL, tag or head beyond the limits;
    ///   `StoreError.readOnlyFormat` or `EngineError` when the store is read-only or closed.
    public func write(
        _ response: StoredResponse, for key: String, options: StorageOptions
    ) async throws -> any ResponseWriter {
        let record = ResponseRecord(response, key: key, options: options, now: store.host.now())
        do throws(FormatError) {
            try record.checkLimits()
        } catch {
            // Thrown before a long body is loaded in vain.
            throw StoreError.invalid(error)
        }
        return StoreResponseWriter(store: store, record: record, blob: try store.makeBlob(), limit: limit)
    }

    /// Replaces the metadata of an entry; the body is not touched.
    ///
    /// - Throws: `StoreError.invalid(_:)` for a head beyond the limits; else as `Store.write(durability:_:)`.
    public func refresh(_ entry: CachedResponse, with response: StoredResponse) async throws {
        let blob = Int64(bitPattern: entry.identity)
        let now = store.host.now()
        try await store.write(durability: .relaxed) { transaction in
            for place in try transaction.responsePlaces(forKey: entry.key, where: { $0.blob == blob }) {
                try transaction.updateResponse(at: place.place, blob: blob) { record in
                    record.refresh(with: response)
                    record.lastUsedAt = max(record.lastUsedAt, now)
                }
            }
        }
    }

    /// Adds tags to an entry, and pins it where the options say so.
    ///
    /// - Throws: as `Store.write(durability:_:)`; `StoreError.invalid` for a tag beyond the limits.
    public func add(_ options: StorageOptions, to entry: CachedResponse) async throws {
        let blob = Int64(bitPattern: entry.identity)
        try await store.write(durability: .relaxed) { transaction in
            for place in try transaction.responsePlaces(forKey: entry.key, where: { $0.blob == blob }) {
                try transaction.updateResponse(at: place.place, blob: blob) { $0.add(options) }
            }
        }
    }

    /// Marks the responses under `key`: each is validated before its next use.
    ///
    /// - Throws: as `Store.write(durability:_:)`.
    public func invalidate(_ key: String) async throws {
        try await store.write(durability: .relaxed) { transaction in
            try transaction.invalidateResponses(forKey: key)
        }
    }

    /// Removes the responses that `selection` names, in bounded commits, and returns their number.
    ///
    /// - Throws: `CancellationError` between two commits; `EngineError`.
    @discardableResult
    public func remove(_ selection: CacheSelection) async throws -> Int {
        switch selection {
        case .key(let key): try await store.removeResponses(.key(key))
        case .prefix(let text): try await store.removeResponses(.prefix(text))
        case .tag(let tag): try await store.removeResponses(.tag(tag))
        case .all: try await store.removeResponses(.all)
        }
    }

    /// Removes this entry only.
    ///
    /// - Throws: as `Store.write(durability:_:)`.
    public func discard(_ entry: CachedResponse) async throws {
        let blob = Int64(bitPattern: entry.identity)
        try await store.write(durability: .relaxed) { transaction in
            for place in try transaction.responsePlaces(forKey: entry.key, where: { $0.blob == blob }) {
                try transaction.removeResponse(at: place.place)
            }
        }
    }

    /// Returns the salt of the store, which outlasts the process and `Store.clear(discardingUnsent:)`.
    ///
    /// - Throws: as `Store.write(durability:_:)`, when a new salt is stored.
    public func selectingSalt(drawing draw: (@Sendable () -> [UInt8])?) async throws -> [UInt8]? {
        // A damaged salt is replaced: no request can select again what it hashed.
        if let storedSalt = try? store.read({ view in try view.responseSalt() }) { return storedSalt }
        guard let draw, !store.isReadOnly else { return nil }
        return try await store.write(durability: .relaxed) { transaction in
            // Another process may have stored one meanwhile.
            if let storedSalt = try? transaction.responseSalt() { return storedSalt }
            let salt = draw()
            try transaction.putResponseSalt(salt)
            return salt
        }
    }
}

/// A writer that puts a body, with its response, into the store.
private final class StoreResponseWriter: ResponseWriter {
    private let store: Store
    private let record: ResponseRecord
    private let blob: BlobWriter
    private let limit: ResponseLimit?

    init(store: Store, record: ResponseRecord, blob: BlobWriter, limit: ResponseLimit?) {
        self.store = store
        self.record = record
        self.blob = blob
        self.limit = limit
    }

    func append(_ bytes: RawSpan) { blob.append(bytes) }

    func flush() async throws { try await blob.flush() }

    func finish(coverage: StoredResponse.Coverage?) async throws -> CachedResponse {
        var record = record
        if let coverage { record.part = ResponseRecord.Part(coverage) }
        let finished = record
        do {
            let entry = try await store.write(durability: .relaxed) { [blob] transaction in
                try transaction.putResponse(finished, body: try blob.finish(in: &transaction))
            }
            let body: any BodySource =
                if let handle = try store.blob(entry.record.blob) {
                    StoreBody(handle: handle, place: entry.place, store: store)
                } else {
                    // Another response has replaced it at the same time.
                    UnavailableBody(byteCount: entry.record.byteCount)
                }
            if let limit { store.enforce(limit, after: entry.record) }
            guard var cached = CachedResponse(entry.record, body: body) else {
                throw HTTPCacheError.invalidRequest("The response cannot be stored.")
            }
            cached.isStored = body is StoreBody
            return cached
        } catch {
            blob.cancel()
            throw error
        }
    }

    func cancel() async { blob.cancel() }
}

/// A body in the store.
private struct StoreBody: BodySource {
    let handle: BlobHandle
    let place: ResponseAddress
    let store: Store

    var byteCount: Int64 { handle.byteCount }

    func read(_ range: Range<Int64>, _ body: (RawSpan) throws -> Void) throws {
        do {
            try handle.read(range, body)
        } catch StoreError.blobRemoved {
            throw HTTPCacheError.bodyRemoved
        } catch StoreError.damaged(TableName.blobs.rawValue, _) {
            // The body is unusable, so the response is removed and the next request is sent to the server.
            store.removeResponseSoon(at: place, blob: handle.number)
            throw HTTPCacheError.bodyRemoved
        }
    }
}

/// A body of which only the length is left.
struct UnavailableBody: BodySource {
    let byteCount: Int64

    func read(_ range: Range<Int64>, _ body: (RawSpan) throws -> Void) throws {
        if !range.isEmpty { throw HTTPCacheError.bodyRemoved }
    }
}

/// What the record of a response says, as an HTTP message; its body is held anew by each lookup.
private struct DecodedResponse: Sendable {
    let place: ResponseAddress
    let blob: Int64
    private let byteCount: Int64
    private let head: Shared<CachedResponse.Head>

    /// Creates it; nil when the record fits no HTTP message.
    init?(_ entry: ResponseEntry) {
        let record = entry.record
        guard let response = StoredResponse(record) else { return nil }
        (place, blob, byteCount) = (entry.place, record.blob, record.byteCount)
        head = Shared(
            CachedResponse.Head(
                key: record.key, response: response, tags: Set(record.tags), isPinned: record.isPinned))
    }

    /// Returns the entry with its body; nil when the body has another length.
    func response(_ body: any BodySource) -> CachedResponse? {
        guard body.byteCount == byteCount else { return nil }
        return CachedResponse(head, identity: UInt64(bitPattern: blob), body: body)
    }
}

extension CachedResponse {
    /// Creates the entry of a record; nil when the record fits no HTTP message, or the body has another length.
    init?(_ record: ResponseRecord, body: any BodySource) {
        guard body.byteCount == record.byteCount, let response = StoredResponse(record) else { return nil }
        self.init(
            key: record.key, identity: UInt64(bitPattern: record.blob), response: response, body: body,
            tags: Set(record.tags))
        isPinned = record.isPinned
    }
}
