internal import HTTPTypes
internal import LarderFormat
internal import LarderStore
internal import Synchronization

/// A cache that keeps responses in memory, up to a number of bytes, and evicts the least recently used first.
///
/// Use it for tests, and for responses that must not reach the medium. None of its methods throws.
public final class MemoryResponseCache: ResponseCache {
    private struct Entry {
        private(set) var head: Shared<CachedResponse.Head>
        let body: MemoryBody
        let identity: UInt64
        let cost: Int
        var lastUse: UInt64

        var isPinned: Bool { head.value.isPinned }

        var response: StoredResponse {
            get { head.value.response }
            set { change { $0.response = newValue } }
        }

        mutating func change(_ edit: (inout CachedResponse.Head) -> Void) {
            var value = head.value
            edit(&value)
            head = Shared(value)
        }
    }

    private struct State {
        var entries: [ByteKey: [Entry]] = [:]
        var cost = 0
        /// The number of uses and entries so far.
        var clock: UInt64 = 0
        var salt: [UInt8]?

        mutating func tick() -> UInt64 {
            clock += 1
            return clock
        }
    }

    /// The maximum size of the bodies, keys and fields that are kept, in bytes.
    public let maximumBytes: Int
    private let state = Mutex(State())

    /// An empty cache.
    ///
    /// - Parameter maximumBytes: of bodies, keys and fields; 5 MB by default.
    public init(maximumBytes: Int = 5_000_000) {
        precondition(maximumBytes >= 0, "at most \(maximumBytes) bytes")
        self.maximumBytes = maximumBytes
    }

    /// Half of ``maximumBytes``, so that one body never replaces all others.
    public var bodyLimit: Int64 { Int64(maximumBytes / 2) }

    /// True: the responses end with the process.
    public var isVolatile: Bool { true }

    /// The current size of the bodies, keys and fields that are kept, in bytes.
    public var byteCount: Int { state.withLock { $0.cost } }

    /// Returns the responses stored under `key`, the most recent first.
    ///
    /// - Throws: nothing.
    public func entries(for key: String) async throws -> [CachedResponse] {
        state.withLock { state in
            guard let place = state.entries.index(forKey: ByteKey(key)) else { return [] }
            let use = state.tick()
            if state.entries.values[place].count == 1 { state.entries.values[place][0].lastUse = use }
            let found = state.entries.values[place].map { Self.cached($0) }
            return found.count == 1 ? found : found.sorted { $0.response.receivedAt > $1.response.receivedAt }
        }
    }

    /// Records the use of an entry. Eviction removes the least recently used entries first.
    public func recordUse(of entry: CachedResponse) {
        state.withLock { state in
            guard let place = state.entries.index(forKey: ByteKey(entry.key)),
                let index = state.entries.values[place].firstIndex(where: { $0.identity == entry.identity })
            else { return }
            let use = state.tick()
            state.entries.values[place][index].lastUse = use
        }
    }

    /// Begins to store a response whose body follows.
    ///
    /// A response larger than half of ``maximumBytes`` is not kept and evicts nothing; it stays readable as long as it
    /// is held. At most 32 responses of one key are kept; pinned ones do not count.
    ///
    /// - Throws: nothing.
    public func write(
        _ response: StoredResponse, for key: String, options: StorageOptions
    ) async throws -> any ResponseWriter {
        MemoryResponseWriter { bytes, coverage in
            var response = response
            if let coverage { response.coverage = coverage }
            return self.put(response, MemoryBody(bytes), key, options)
        }
    }

    private func put(
        _ response: StoredResponse, _ body: MemoryBody, _ key: String, _ options: StorageOptions
    ) -> CachedResponse {
        state.withLock { state in
            let number = state.tick()
            let entry = Entry(
                head: Shared(
                    CachedResponse.Head(
                        key: key, response: response, tags: options.tags, isPinned: options.isPinned)),
                body: body, identity: number,
                cost: body.bytes.count + key.utf8.count + response.cost, lastUse: number)
            if entry.cost > maximumBytes / 2 { return Self.cached(entry, isStored: false) }
            let bytes = ByteKey(key)
            remove(&state) { $0 == bytes && $1.response.selecting == response.selecting }
            removeExcess(&state, bytes)
            state.entries[bytes, default: []].append(entry)
            state.cost += entry.cost
            evictOldest(&state)
            let isStored = state.entries[bytes]?.contains { $0.identity == number } ?? false
            return Self.cached(entry, isStored: isStored)
        }
    }

    /// Replaces the metadata of an entry.
    ///
    /// - Throws: nothing.
    public func refresh(_ entry: CachedResponse, with response: StoredResponse) async throws {
        state.withLock { state in
            let bytes = ByteKey(entry.key)
            guard let place = state.entries[bytes]?.firstIndex(where: { $0.identity == entry.identity }) else { return }
            state.entries[bytes]?[place].response = response
            remove(&state) { key, other in
                key == bytes && other.identity != entry.identity && other.response.selecting == response.selecting
            }
        }
    }

    /// Adds tags to an entry, and pins it where the options say so.
    ///
    /// - Throws: nothing.
    public func add(_ options: StorageOptions, to entry: CachedResponse) async throws {
        edit(entry.key) { stored in
            guard stored.identity == entry.identity else { return }
            stored.change { head in
                head.tags.formUnion(options.tags)
                head.isPinned = head.isPinned || options.isPinned
            }
        }
    }

    /// Marks the responses under `key`: each is validated before its next use.
    ///
    /// - Throws: nothing.
    public func invalidate(_ key: String) async throws {
        edit(key) { $0.response.isInvalidated = true }
    }

    /// Removes the responses that `selection` names, and returns their number.
    ///
    /// - Throws: nothing.
    @discardableResult
    public func remove(_ selection: CacheSelection) async throws -> Int {
        state.withLock { state in
            remove(&state) { key, entry in
                switch selection {
                case .key(let wanted): key == ByteKey(wanted)
                case .prefix(let text): key.text.utf8.starts(with: text.utf8)
                case .tag(let tag): entry.head.value.tags.contains(tag)
                case .all: true
                }
            }
        }
    }

    /// Removes this entry only.
    ///
    /// - Throws: nothing.
    public func discard(_ entry: CachedResponse) async throws {
        _ = state.withLock { state in
            remove(&state) { $1.identity == entry.identity }
        }
    }

    /// Returns the salt of this cache, which is not persistent.
    ///
    /// - Throws: nothing.
    public func selectingSalt(drawing draw: (@Sendable () -> [UInt8])?) async throws -> [UInt8]? {
        state.withLock { state in
            if state.salt == nil { state.salt = draw?() }
            return state.salt
        }
    }

    private func edit(_ key: String, _ edit: (inout Entry) -> Void) {
        state.withLock { state in
            let bytes = ByteKey(key)
            guard var stored = state.entries[bytes] else { return }
            for index in stored.indices { edit(&stored[index]) }
            state.entries[bytes] = stored
        }
    }

    @discardableResult
    private func remove(_ state: inout State, _ isSelected: (ByteKey, Entry) -> Bool) -> Int {
        var removed = 0
        for (key, entries) in state.entries {
            let rest = entries.filter { !isSelected(key, $0) }
            if rest.count == entries.count { continue }
            removed += entries.count - rest.count
            state.cost -= entries.reduce(0) { $0 + $1.cost } - rest.reduce(0) { $0 + $1.cost }
            state.entries[key] = rest.isEmpty ? nil : rest
        }
        return removed
    }

    /// Removes the least recently used responses of a key until one more is within the limit.
    private func removeExcess(_ state: inout State, _ key: ByteKey) {
        let unpinned = (state.entries[key] ?? []).filter { !$0.isPinned }
        let excess = Set(
            ResponseLimits.excess(of: unpinned, leaving: ResponseLimits.variants - 1, \.lastUse).map(\.identity))
        if !excess.isEmpty { remove(&state) { excess.contains($1.identity) } }
    }

    /// Evicts the least recently used entries until the rest fits. Pinned entries stay, whatever their size.
    private func evictOldest(_ state: inout State) {
        if state.cost <= maximumBytes { return }
        var candidates = state.entries.values.joined().filter { !$0.isPinned }.sorted {
            $0.lastUse > $1.lastUse
        }
        var evicted: Set<UInt64> = []
        var cost = state.cost
        while cost > maximumBytes, let last = candidates.popLast() {
            evicted.insert(last.identity)
            cost -= last.cost
        }
        remove(&state) { evicted.contains($1.identity) }
    }

    private static func cached(_ entry: Entry, isStored: Bool = true) -> CachedResponse {
        CachedResponse(entry.head, identity: entry.identity, body: entry.body, isStored: isStored)
    }
}

/// A text compared by its bytes: canonically equivalent texts differ.
struct ByteKey: Hashable, Sendable {
    let text: String

    init(_ text: String) { self.text = text }

    static func == (left: ByteKey, right: ByteKey) -> Bool { left.text.equalsBytewise(right.text) }

    func hash(into hasher: inout Hasher) {
        text.hashBytewise(into: &hasher)
    }
}

extension StoredResponse {
    /// The approximate size of the response without its body, in bytes.
    fileprivate var cost: Int {
        fields.reduce(url.utf8.count) { $0 + $1.name.rawName.utf8.count + $1.value.utf8.count }
    }
}
