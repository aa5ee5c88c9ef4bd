internal import LarderStore
internal import LarderTransport
internal import Synchronization

extension HTTPCache {
    /// Gets one answer and what it means to the program.
    ///
    /// A body that cannot be decoded is not stored, so the stored copy stays usable offline. No status but success (2xx) takes its place either. A stored
    /// answer that cannot be understood, or is damaged, is removed, and the server is asked once more (except by
    /// ``SingleAnswerStrategy/cacheOnly``). One that cannot be read at the moment stays, and the server is asked for the
    /// whole.
    ///
    /// - Parameters:
    ///   - limit: the longest body to accept, in bytes.
    ///   - decode: makes the value of the body's bytes; what it throws is a failure to understand. Also called for an
    ///     answer that comes when the call has ended, before that is stored.
    /// - Throws: ``HTTPCacheError/server(_:)`` for every status but success (2xx); ``HTTPCacheError/parse(_:)``;
    ///   else as ``fetch(_:_:)`` and ``AnswerBody/bytes(upTo:)``.
    public func value<Value: Sendable>(
        of request: FetchRequest, _ strategy: SingleAnswerStrategy = .standard, upTo limit: Int = 15 << 20,
        decoding decode: @escaping @Sendable ([UInt8]) throws -> Value
    ) async throws(HTTPCacheError) -> Fetched<Value> {
        let first = Decoding(upTo: limit, decode)
        var again = strategy
        let fetched = try await fetch(request, strategy, check: first.check)
        do throws(HTTPCacheError) {
            return try await first.value(of: fetched)
        } catch {
            guard error.isUnusableContent, fetched.origin != .network, let entry = fetched.value.entry else {
                throw error
            }
            // Damage is reported as `bodyGone`: a failure to read may pass, and the stored copy may be the only one.
            if case .unreadable = error { again = .reload } else { await discard(entry, of: request) }
            if strategy == .cacheOnly { throw error }
        }
        let second = Decoding(upTo: limit, decode)
        return try await second.value(of: try await fetch(request, again, check: second.check))
    }

    private func discard(_ entry: CachedResponse, of request: FetchRequest) async {
        do {
            try await resolve(request).cache?.discard(entry)
        } catch {
            log("could not remove a stored response that cannot be used", error)
        }
    }
}

/// One fetch whose body is decoded once: before it is stored, or else when it is read.
private final class Decoding<Value: Sendable>: Sendable {
    private let limit: Int
    private let decode: @Sendable ([UInt8]) throws -> Value
    private let decoded = Mutex<Result<Value, any Error>?>(nil)

    init(upTo limit: Int, _ decode: @escaping @Sendable ([UInt8]) throws -> Value) {
        self.limit = limit
        self.decode = decode
    }

    /// For the exchange that stores the answer.
    var check: BodyCheck {
        BodyCheck(limit: limit) { bytes in
            let result = Result { try self.decode(bytes) }
            self.decoded.withLock { $0 = result }
            if case .success = result { return true } else { return false }
        }
    }

    func value(of fetched: Fetched<HTTPAnswer>) async throws(HTTPCacheError) -> Fetched<Value> {
        guard fetched.value.isSuccess else { throw .server(fetched.value.head) }
        let bytes = try await fetched.value.body.bytes(upTo: limit)
        // A body that was read as it came has been decoded by then, unless it was not to be stored.
        let known = fetched.value.entry == nil ? decoded.withLock { $0 } : nil
        switch known ?? Result(catching: { try decode(bytes) }) {
        case .success(let value): return fetched.map { _ in value }
        case .failure(let error): throw .parse(error)
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
