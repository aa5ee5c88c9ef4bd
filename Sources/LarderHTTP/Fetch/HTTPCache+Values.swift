internal import LarderStore
internal import LarderTransport
internal import Synchronization

extension HTTPCache {
    /// Returns one answer, decoded.
    ///
    /// A body that cannot be decoded is not stored, so the stored response stays usable offline. Only success (2xx)
    /// replaces a stored response. A stored answer that is damaged or cannot be decoded is removed, and the
    /// response is requested once more (except by ``SingleAnswerStrategy/cacheOnly``). A stored answer that cannot be
    /// read now stays, and the whole response is requested.
    ///
    /// - Parameters:
    ///   - request: the request.
    ///   - strategy: the order in which the cache and the network are used.
    ///   - limit: the longest body to accept, in bytes.
    ///   - decode: makes the value of the body's bytes; an error means that they cannot be decoded. It is also called
    ///     for an answer that arrives after the call has ended, before that answer is stored.
    /// - Throws: ``HTTPCacheError/server(_:)`` for every status but success (2xx); ``HTTPCacheError/parse(_:)`` when
    ///   the body cannot be decoded; else as ``fetch(_:_:)`` and ``AnswerBody/bytes(upTo:)``.
    public func value<Value: Sendable>(
        of request: FetchRequest, _ strategy: SingleAnswerStrategy = .standard, upTo limit: Int = 15 << 20,
        decoding decode: @escaping @Sendable ([UInt8]) throws -> Value
    ) async throws(HTTPCacheError) -> Fetched<Value> {
        let decoding = Decoding(upTo: limit, decode)
        let fetched = try await fetch(request, strategy, check: decoding.check)
        return try await value(of: fetched, decoding, request, strategy)
    }

    /// Returns the values of one or two answers: of the stored response, where the strategy uses it, and the final one.
    ///
    /// This is the decoding form of ``answers(to:_:)``. As in ``value(of:_:upTo:decoding:)``, a body that cannot be
    /// decoded replaces no stored response. A stored response that cannot be decoded, or has another status than
    /// success, is no intermediate answer.
    ///
    /// ```swift
    /// for try await news in cache.values(of: request, .cacheThenNetwork, decoding: News.init(json:)) {
    ///     show(news.value, isFinal: !news.isIntermediate)
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - request: the request.
    ///   - strategy: the order in which the cache and the network are used.
    ///   - limit: the longest body to accept, in bytes.
    ///   - decode: makes the value of the body's bytes, as for ``value(of:_:upTo:decoding:)``.
    public func values<Value: Sendable>(
        of request: FetchRequest, _ strategy: TwoAnswerStrategy = .standard, upTo limit: Int = 15 << 20,
        decoding decode: @escaping @Sendable ([UInt8]) throws -> Value
    ) -> ValueSequence<Value> {
        ValueSequence(answers: answers(to: request, strategy), decoding: Decoding(upTo: limit, decode))
    }

    /// Returns the value of a final answer, or of a second fetch when that answer is a stored one that cannot be used.
    fileprivate func value<Value>(
        of fetched: Fetched<HTTPAnswer>, _ decoding: Decoding<Value>, _ request: FetchRequest,
        _ strategy: SingleAnswerStrategy
    ) async throws(HTTPCacheError) -> Fetched<Value> {
        do throws(HTTPCacheError) {
            return try await decoding.value(of: fetched)
        } catch {
            guard fetched.origin != .network, let isDiscarded = await discard(fetched, of: request, after: error),
                strategy != .cacheOnly
            else { throw error }
            let second = decoding.copy
            let again = try await fetch(request, isDiscarded ? strategy : .reload, check: second.check)
            return try await second.value(of: again)
        }
    }

    /// Removes a stored answer that the program cannot use.
    ///
    /// - Returns: whether it was removed; nil when the error does not concern stored content.
    fileprivate func discard(
        _ fetched: Fetched<HTTPAnswer>, of request: FetchRequest, after error: HTTPCacheError
    ) async -> Bool? {
        guard error.isUnusableContent, let entry = fetched.value.entry else { return nil }
        // Damage is reported as `bodyRemoved`. A failed read may be temporary, and the response may be the only one.
        if case .unreadable = error { return false }
        await discard(entry, of: request)
        return true
    }

    private func discard(_ entry: CachedResponse, of request: FetchRequest) async {
        do {
            try await resolve(request).cache?.discard(entry)
        } catch {
            log("could not remove a stored response that cannot be used", error)
        }
    }
}

/// The values of the one or two answers to a request. See ``HTTPCache/values(of:_:upTo:decoding:)``.
public struct ValueSequence<Value: Sendable>: AsyncSequence, Sendable {
    /// A value, and the origin of its answer.
    public typealias Element = Fetched<Value>
    /// The error of the final value, as ``HTTPCache/value(of:_:upTo:decoding:)`` throws it.
    public typealias Failure = HTTPCacheError

    let answers: AnswerSequence
    let decoding: Decoding<Value>

    /// Returns an iterator that has sent nothing yet.
    public func makeAsyncIterator() -> Iterator {
        let own = decoding.copy
        var answers = answers
        answers.check = own.check
        return Iterator(sequence: answers, answers: answers.makeAsyncIterator(), decoding: own)
    }

    /// An iterator over the values; releasing it abandons the final one.
    public struct Iterator: AsyncIteratorProtocol {
        let sequence: AnswerSequence
        var answers: AnswerSequence.Iterator
        let decoding: Decoding<Value>

        /// Returns the next value, or nil after the final one and after an error.
        ///
        /// - Throws: the error of the final value, as ``HTTPCache/value(of:_:upTo:decoding:)``.
        public mutating func next(
            isolation: isolated (any Actor)? = #isolation
        ) async throws(HTTPCacheError) -> Fetched<Value>? {
            while let answer = try await answers.next(isolation: isolation) {
                guard answer.isIntermediate else {
                    return try await sequence.cache.value(of: answer, decoding, sequence.request, sequence.single)
                }
                do throws(HTTPCacheError) {
                    return try await decoding.value(of: answer)
                } catch {
                    _ = await sequence.cache.discard(answer, of: sequence.request, after: error)
                }
            }
            return nil
        }

        /// Returns the next value, or nil after the final one and after an error.
        ///
        /// - Throws: as ``next(isolation:)``.
        public mutating func next() async throws(HTTPCacheError) -> Fetched<Value>? {
            try await next(isolation: nil)
        }
    }
}

/// One fetch whose body is decoded once: before it is stored, or otherwise when it is read.
final class Decoding<Value: Sendable>: Sendable {
    private let limit: Int
    private let decode: @Sendable ([UInt8]) throws -> Value
    private let decoded = Mutex<Result<Value, any Error>?>(nil)

    init(upTo limit: Int, _ decode: @escaping @Sendable ([UInt8]) throws -> Value) {
        self.limit = limit
        self.decode = decode
    }

    /// A decoding for another fetch.
    var copy: Decoding { Decoding(upTo: limit, decode) }

    /// The check of the exchange that stores the answer.
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
        // A streamed body has been decoded by now, unless it was not to be stored.
        let known = fetched.value.entry == nil ? decoded.withLock { $0 } : nil
        switch known ?? Result(catching: { try decode(bytes) }) {
        case .success(let value): return fetched.map { _ in value }
        case .failure(let error): throw .parse(error)
        }
    }
}

extension HTTPCacheError {
    /// Whether an answer arrived that cannot be used.
    fileprivate var isUnusableContent: Bool {
        switch self {
        case .parse, .bodyRemoved, .unreadable: true
        default: false
        }
    }
}
