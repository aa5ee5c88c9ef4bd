internal import HTTPTypes
internal import LarderEngine
internal import LarderFormat
public import LarderStore
internal import Synchronization

/// Keeps responses in a store: their metadata in one table, their bodies in chunks in another.
///
/// A hit reads a body straight from the map. A confirmation by the server rewrites a small record and leaves the body
/// alone. What was kept survives a crash; at most the last responses are lost. Eviction is the store's.
public struct StoreResponseCache: ResponseCache {
    private let store: Store
    private let limit: ResponseLimit?

    /// A cache in `store`, which may hold anything else beside it.
    ///
    /// Responses and their bodies take at most about `maximumBytes`, a sixteenth more at times. When they take more, what costs least to
    /// lose is evicted behind the caller's back: what was not used for long goes first, what is pinned never. Nothing is refused. A store that
    /// holds more already is brought down when the next response is kept. Beside it, ``StoreOptions/sizeCap`` holds for everything.
    ///
    /// - Parameter maximumBytes: of keys and values, above zero; nil for no other limit than the store's.
    public init(store: Store, maximumBytes: Int64? = nil) {
        self.store = store
        limit = maximumBytes.map(ResponseLimit.init)
    }

    /// What is kept under `key`, the most recent first. Damaged records are passed over.
    public func entries(for key: String) async throws -> [CachedResponse] {
        let (found, isComplete) = try read(key)
        // A body may be gone between a snapshot and the look at who holds it; a later snapshot knows why.
        return isComplete ? found : try read(key).entries
    }

    private func read(_ key: String) throws -> (entries: [CachedResponse], isComplete: Bool) {
        var found: [CachedResponse] = []
        var isComplete = true
        try store.read { view in
            for entry in try view.responses(forKey: key) {
                // A damaged head is as good as none.
                guard let handle = try? view.hold(entry.record.blob, in: store),
                    let kept = CachedResponse(
                        entry.record, body: StoreBody(handle: handle, place: entry.place, store: store))
                else {
                    isComplete = false
                    continue
                }
                found.append(kept)
            }
        }
        if found.count == 1 { noteUse(of: found[0]) }
        return (found, isComplete)
    }

    /// Notes that an entry answered a request: what was used longest ago is evicted first.
    public func noteUse(of entry: CachedResponse) {
        guard let body = entry.body as? StoreBody else { return }
        let blob = Int64(bitPattern: entry.identity)
        if store.usage.noteUse(ofResponse: blob, at: body.place, now: store.host.now()) { store.writeUsageSoon() }
    }

    /// Begins to keep a response whose body is still to come.
    public func write(
        _ response: StoredResponse, for key: String, options: KeepOptions
    ) async throws -> any ResponseWriter {
        let record = ResponseRecord(response, key: key, options: options, now: store.host.now())
        do throws(FormatError) {
            try record.checkLimits()
        } catch {
            // Said before a long body is loaded for nothing.
            throw StoreError.invalid(error)
        }
        return StoreResponseWriter(store: store, record: record, blob: try store.makeBlob(), limit: limit)
    }

    /// Puts new metadata in place of an entry's; its body is not touched.
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

    /// Marks what is kept under `key` as to be validated before its next use.
    public func invalidate(_ key: String) async throws {
        try await store.write(durability: .relaxed) { transaction in
            try transaction.invalidateResponses(forKey: key)
        }
    }

    /// Removes what `selection` says, in bounded commits.
    @discardableResult
    public func remove(_ selection: CacheSelection) async throws -> Int {
        switch selection {
        case .key(let key): try await store.removeResponses(.key(key))
        case .prefix(let text): try await store.removeResponses(.prefix(text))
        case .tag(let tag): try await store.removeResponses(.tag(tag))
        case .all: try await store.removeResponses(.all)
        }
    }

    /// Removes this very entry.
    public func discard(_ entry: CachedResponse) async throws {
        let blob = Int64(bitPattern: entry.identity)
        try await store.write(durability: .relaxed) { transaction in
            for place in try transaction.responsePlaces(forKey: entry.key, where: { $0.blob == blob }) {
                try transaction.removeResponse(at: place.place)
            }
        }
    }

    /// The salt of the store: it outlasts the process, and ``Store/clear(discardingUnsent:)``.
    public func selectingSalt(drawing draw: (@Sendable () -> [UInt8])?) async throws -> [UInt8]? {
        // A damaged one is replaced: what it hashed is selected by nothing any more.
        if let kept = try? store.read({ view in try view.responseSalt() }) { return kept }
        guard let draw, !store.isReadOnly else { return nil }
        return try await store.write(durability: .relaxed) { transaction in
            // Another process may have been first.
            if let kept = try? transaction.responseSalt() { return kept }
            let salt = draw()
            try transaction.putResponseSalt(salt)
            return salt
        }
    }
}

/// Takes a body and puts it, with its response, into the store.
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
                    // Replaced by another in the same moment.
                    GoneBody(byteCount: entry.record.byteCount)
                }
            if let limit { store.keep(limit, behind: entry.record) }
            guard var kept = CachedResponse(entry.record, body: body) else {
                throw HTTPCacheError.invalidRequest("The response is none that can be kept.")
            }
            kept.isKept = body is StoreBody
            return kept
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
    let place: ResponsePlace
    let store: Store

    var byteCount: Int64 { handle.byteCount }

    func read(_ range: Range<Int64>, _ body: (RawSpan) throws -> Void) throws {
        do {
            try handle.read(range, body)
        } catch StoreError.blobGone {
            throw HTTPCacheError.bodyGone
        } catch StoreError.damaged(TableName.blobs.rawValue, _) {
            // Nobody can use it any more, so the next request is to go to the network.
            store.removeResponseSoon(at: place, blob: handle.number)
            throw HTTPCacheError.bodyGone
        }
    }
}

/// A body of which only the length is known any more.
struct GoneBody: BodySource {
    let byteCount: Int64

    func read(_ range: Range<Int64>, _ body: (RawSpan) throws -> Void) throws {
        if !range.isEmpty { throw HTTPCacheError.bodyGone }
    }
}

extension CachedResponse {
    /// The entry of a record, or nil when that holds what no HTTP message has, or a body of another length.
    init?(_ record: ResponseRecord, body: any BodySource) {
        guard body.byteCount == record.byteCount, let response = StoredResponse(record) else { return nil }
        self.init(
            key: record.key, identity: UInt64(bitPattern: record.blob), response: response, body: body,
            tags: Set(record.tags))
    }
}
