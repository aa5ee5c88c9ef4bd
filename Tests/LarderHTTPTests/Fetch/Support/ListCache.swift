// ListCache: a response cache in a list that counts its calls and can be made to fail.

import HTTPTypes
import LarderFormat
import LarderHTTP
import Synchronization

/// A cache that keeps everything in a list, and counts what is asked of it.
final class ListCache: ResponseCache {
    struct Counts: Hashable {
        var writes = 0
        var refreshes = 0
        var invalidations = 0
        var additions = 0
    }

    private struct Entry {
        var cached: CachedResponse
    }

    private struct State {
        var entries: [Entry] = []
        var counts = Counts()
        var nextIdentity: UInt64 = 1
        var isBroken = false
        var failsWrites = false
        var lookups = 0
        var saltReads = 0
        var failingReads = 0
    }

    private let state = Mutex(State())

    /// How often a key was looked up.
    var lookups: Int { state.withLock { $0.lookups } }

    /// How often the salt was read.
    var saltReads: Int { state.withLock { $0.saltReads } }

    var counts: Counts { state.withLock { $0.counts } }

    /// Everything that is kept, the most recent first.
    var all: [CachedResponse] { state.withLock { $0.entries.map(\.cached) } }

    /// From now on everything fails.
    func failAll() { state.withLock { $0.isBroken = true } }

    /// From now on nothing new is kept.
    func failWrites() { state.withLock { $0.failsWrites = true } }

    /// So many reads of bodies fail.
    func failReads(_ count: Int) { state.withLock { $0.failingReads = count } }

    fileprivate func failsRead() -> Bool {
        state.withLock { state in
            state.failingReads -= 1
            return state.failingReads >= 0
        }
    }

    private func check() throws {
        if state.withLock({ $0.isBroken }) { throw Broken() }
    }

    func entries(for key: String) async throws -> [CachedResponse] {
        try check()
        defer { state.withLock { $0.lookups += 1 } }
        return all.filter { $0.key == key }
    }

    func selectingSalt(drawing draw: (@Sendable () -> [UInt8])?) async throws -> [UInt8]? {
        state.withLock { $0.saltReads += 1 }
        return [UInt8](repeating: 7, count: 16)
    }

    func write(_ response: StoredResponse, for key: String, options: StorageOptions) async throws -> any ResponseWriter
    {
        try check()
        if state.withLock({ $0.failsWrites }) { throw Broken() }
        return Writer(cache: self, key: key, response: response, options: options)
    }

    func refresh(_ entry: CachedResponse, with response: StoredResponse) async throws {
        try check()
        state.withLock { state in
            state.counts.refreshes += 1
            for place in state.entries.indices where state.entries[place].cached.identity == entry.identity {
                state.entries[place].cached.response = response
            }
        }
    }

    func add(_ options: StorageOptions, to entry: CachedResponse) async throws {
        try check()
        state.withLock { state in
            state.counts.additions += 1
            for place in state.entries.indices where state.entries[place].cached.identity == entry.identity {
                state.entries[place].cached.tags.formUnion(options.tags)
                if options.isPinned { state.entries[place].cached.isPinned = true }
            }
        }
    }

    func invalidate(_ key: String) async throws {
        try check()
        state.withLock { state in
            state.counts.invalidations += 1
            for place in state.entries.indices where state.entries[place].cached.key == key {
                state.entries[place].cached.response.isInvalidated = true
            }
        }
    }

    func remove(_ selection: CacheSelection) async throws -> Int {
        try check()
        return state.withLock { state in
            let count = state.entries.count
            state.entries.removeAll { entry in
                switch selection {
                case .key(let key): entry.cached.key == key
                case .prefix(let prefix): entry.cached.key.hasPrefix(prefix)
                case .tag(let tag): entry.cached.tags.contains(tag)
                case .all: true
                }
            }
            return count - state.entries.count
        }
    }

    fileprivate func store(_ response: StoredResponse, _ key: String, _ options: StorageOptions, _ body: [UInt8]) throws
        -> CachedResponse
    {
        try check()
        return state.withLock { state in
            var cached = CachedResponse(
                key: key, identity: state.nextIdentity, response: response, body: Bytes(bytes: body, cache: self),
                tags: options.tags)
            cached.isPinned = options.isPinned
            state.nextIdentity += 1
            state.counts.writes += 1
            state.entries.removeAll { $0.cached.key == key && $0.cached.response.selecting == response.selecting }
            state.entries.insert(Entry(cached: cached), at: 0)
            return cached
        }
    }

    struct Broken: Error {}

    struct Bytes: BodySource {
        let bytes: [UInt8]
        let cache: ListCache
        var byteCount: Int64 { Int64(bytes.count) }

        func read(_ range: Range<Int64>, _ body: (RawSpan) throws -> Void) throws {
            if cache.failsRead() { throw Broken() }
            let part = Array(bytes[Int(range.lowerBound)..<Int(range.upperBound)])
            try body(part.rawSpan)
        }
    }

    final class Writer: ResponseWriter {
        private let cache: ListCache
        private let key: String
        private let response: StoredResponse
        private let options: StorageOptions
        private let body = Mutex<[UInt8]>([])

        init(cache: ListCache, key: String, response: StoredResponse, options: StorageOptions) {
            self.cache = cache
            self.key = key
            self.response = response
            self.options = options
        }

        func append(_ bytes: RawSpan) throws {
            let copy = [UInt8](copying: bytes)
            body.withLock { $0 += copy }
        }

        func flush() async throws {}

        func finish(coverage: StoredResponse.Coverage?) async throws -> CachedResponse {
            var response = response
            if let coverage { response.coverage = coverage }
            return try cache.store(response, key, options, body.withLock { $0 })
        }

        func cancel() async {}
    }
}
