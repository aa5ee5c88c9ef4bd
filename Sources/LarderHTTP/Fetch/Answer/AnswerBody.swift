internal import LarderFormat
internal import LarderTransport

/// The body of an answer: streamed as it arrives from the network, or lent by the cache.
///
/// A network body can be read once. A short body that is released unread is still stored
/// (``HTTPCacheOptions/finishLimit``); a longer one ends its exchange unless other callers wait for it. A stored body
/// can be read any number of times.
public struct AnswerBody: Sendable, AsyncSequence {
    /// One piece of the body, never empty.
    public typealias Element = [UInt8]
    /// The error of a read.
    public typealias Failure = HTTPCacheError

    enum Origin: Sendable {
        case network(TransportBody)
        case stored(any BodySource, Range<Int64>)
    }

    let origin: Origin

    /// The size of the pieces that are copied out of a stored body, in bytes.
    private static let chunkSize: Int64 = 64 << 10

    init(_ origin: Origin) { self.origin = origin }

    /// A body that is in memory already.
    public init(_ bytes: [UInt8]) { origin = .network(TransportBody(bytes)) }

    /// The source of a stored body and its range there, for reading without a copy; nil for a network body.
    public var stored: (source: any BodySource, range: Range<Int64>)? {
        if case .stored(let source, let range) = origin { (source, range) } else { nil }
    }

    /// Reads the remaining bytes into one array.
    ///
    /// - Parameter limit: the most bytes to accept, 0 or more.
    /// - Throws: ``HTTPCacheError/responseTooLarge(limit:)`` for more, which ends a network body's exchange;
    ///   ``HTTPCacheError/bodyRemoved`` and ``HTTPCacheError/unreadable(_:)`` for a stored body;
    ///   ``HTTPCacheError/transport(_:)`` for a network body that broke off.
    public func bytes(upTo limit: Int = 15 << 20) async throws(HTTPCacheError) -> [UInt8] {
        switch origin {
        case .network(let body):
            do throws(TransportError) {
                return try await body.collect(upTo: limit)
            } catch {
                if case .bodyTooLarge(limit) = error { throw .responseTooLarge(limit: limit) }
                throw .transport(error)
            }
        case .stored(let source, let range):
            guard range.count <= limit else { throw .responseTooLarge(limit: limit) }
            return try Self.copy(source, range)
        }
    }

    /// Returns an iterator: over a stored body from its beginning, over a network body from its current position.
    public func makeAsyncIterator() -> Iterator {
        switch origin {
        case .network(let body): Iterator(source: .network(body.makeAsyncIterator()))
        case .stored(let source, let range): Iterator(source: .stored(source, range))
        }
    }

    /// An iterator over the pieces of a body.
    public struct Iterator: AsyncIteratorProtocol, Sendable {
        enum Source: Sendable {
            case network(TransportBody.Iterator)
            case stored(any BodySource, Range<Int64>)
        }

        var source: Source

        /// Returns the next piece, or nil at the end.
        ///
        /// - Throws: ``HTTPCacheError/transport(_:)`` when a network body broke off; ``HTTPCacheError/bodyRemoved`` and
        ///   ``HTTPCacheError/unreadable(_:)`` for a stored body.
        public mutating func next(
            isolation: isolated (any Actor)? = #isolation
        ) async throws(HTTPCacheError) -> [UInt8]? {
            switch source {
            case .network(let iterator):
                do throws(TransportError) {
                    return try await iterator.next()
                } catch {
                    throw .transport(error)
                }
            case .stored(let body, let rest):
                guard !rest.isEmpty else { return nil }
                let end = Swift.min(rest.upperBound, rest.lowerBound + AnswerBody.chunkSize)
                source = .stored(body, end..<rest.upperBound)
                return try AnswerBody.copy(body, rest.lowerBound..<end)
            }
        }

        /// Returns the next piece, or nil at the end.
        ///
        /// - Throws: as ``next(isolation:)``.
        public mutating func next() async throws(HTTPCacheError) -> [UInt8]? { try await next(isolation: nil) }
    }

    private static func copy(_ source: any BodySource, _ range: Range<Int64>) throws(HTTPCacheError) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(range.count)
        do {
            try source.read(range) { bytes.append(copying: $0) }
        } catch {
            throw .wrapping(error)
        }
        return bytes
    }
}
