internal import Synchronization

/// A cache that keeps nothing, so that every request is sent. None of its methods throws.
public struct NoCache: ResponseCache {
    /// A cache that is always empty.
    public init() {}

    /// Returns no response.
    ///
    /// - Throws: nothing.
    public func entries(for key: String) async throws -> [CachedResponse] { [] }

    /// Counts the bytes of the body and discards them. The returned entry has only the length of its body.
    ///
    /// - Throws: nothing.
    public func write(
        _ response: StoredResponse, for key: String, options: StorageOptions
    ) async throws -> any ResponseWriter {
        CountingWriter(response: response, key: key, tags: options.tags)
    }

    /// Does nothing.
    ///
    /// - Throws: nothing.
    public func refresh(_ entry: CachedResponse, with response: StoredResponse) async throws {}

    /// Does nothing.
    ///
    /// - Throws: nothing.
    public func invalidate(_ key: String) async throws {}

    /// Removes nothing.
    ///
    /// - Throws: nothing.
    @discardableResult
    public func remove(_ selection: CacheSelection) async throws -> Int { 0 }
}

/// A writer that only counts the bytes of a body.
private final class CountingWriter: ResponseWriter {
    private let response: StoredResponse
    private let key: String
    private let tags: Set<String>
    private let byteCount = Mutex<Int64>(0)

    init(response: StoredResponse, key: String, tags: Set<String>) {
        self.response = response
        self.key = key
        self.tags = tags
    }

    func append(_ bytes: RawSpan) { byteCount.withLock { $0 += Int64(bytes.byteCount) } }

    func flush() async throws {}

    func finish(coverage: StoredResponse.Coverage?) async throws -> CachedResponse {
        var response = response
        if let coverage { response.coverage = coverage }
        let body = UnavailableBody(byteCount: byteCount.withLock { $0 })
        return CachedResponse(key: key, identity: 0, response: response, body: body, tags: tags, isStored: false)
    }

    func cancel() async {}
}
