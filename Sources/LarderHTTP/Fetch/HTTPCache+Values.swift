extension HTTPCache {
    /// Gets one answer and what it means to the program.
    ///
    /// A stored answer that cannot be understood, or read, is removed, and the server is asked once more (except by
    /// ``SingleAnswerStrategy/cacheOnly``).
    ///
    /// - Parameters:
    ///   - limit: the longest body to accept, in bytes.
    ///   - decode: makes the value of the body's bytes; what it throws is a failure to understand.
    /// - Throws: ``HTTPCacheError/server(_:)`` for every status but success (2xx); ``HTTPCacheError/parse(_:)``;
    ///   else as ``fetch(_:_:)`` and ``AnswerBody/bytes(upTo:)``.
    public func value<Value: Sendable>(
        of request: FetchRequest, _ strategy: SingleAnswerStrategy = .standard, upTo limit: Int = 15 << 20,
        decoding decode: @Sendable ([UInt8]) throws -> Value
    ) async throws(HTTPCacheError) -> Fetched<Value> {
        let fetched = try await fetch(request, strategy)
        do throws(HTTPCacheError) {
            return try await value(of: fetched, upTo: limit, decode)
        } catch {
            guard error.isUnusableContent else { throw error }
            await removeUnusable(request)
            if fetched.origin == .network || strategy == .cacheOnly { throw error }
        }
        return try await value(of: try await fetch(request, strategy), upTo: limit, decode)
    }

    private func value<Value: Sendable>(
        of fetched: Fetched<HTTPAnswer>, upTo limit: Int, _ decode: @Sendable ([UInt8]) throws -> Value
    ) async throws(HTTPCacheError) -> Fetched<Value> {
        guard fetched.value.isSuccess else { throw .server(fetched.value.head) }
        let bytes = try await fetched.value.body.bytes(upTo: limit)
        do {
            let value = try decode(bytes)
            return fetched.map { _ in value }
        } catch {
            throw .parse(error)
        }
    }

    private func removeUnusable(_ request: FetchRequest) async {
        guard let inquiry = try? inquiry(request) else { return }
        do {
            _ = try await inquiry.cache?.remove(.key(inquiry.key))
        } catch {
            log("could not remove a stored response that cannot be used", error)
        }
    }
}

extension HTTPCacheError {
    /// Whether an answer came, and nothing can be made of it.
    fileprivate var isUnusableContent: Bool {
        switch self {
        case .parse, .bodyGone, .unreadable: true
        default: false
        }
    }
}
