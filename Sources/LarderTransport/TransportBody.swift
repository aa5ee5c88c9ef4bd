/// The bytes of a response, in the chunks in which they arrive.
///
/// Can be read once. The sender is held back while nobody reads, so memory stays bounded; dropping the body unread
/// ends the exchange.
public struct TransportBody: AsyncSequence, Sendable {
    /// A chunk, never empty.
    public typealias Element = [UInt8]
    /// What ends a body early.
    public typealias Failure = TransportError

    private let pull: @Sendable () async throws(TransportError) -> [UInt8]?

    /// A body whose chunks `pull` delivers one after the other; nil ends it. `pull` is never called twice at once.
    public init(_ pull: @escaping @Sendable () async throws(TransportError) -> [UInt8]?) {
        self.pull = pull
    }

    /// A body that is there already.
    public init(chunks: [[UInt8]] = []) {
        let source = ChunkSource(chunks)
        self.init { () async throws(TransportError) in await source.next() }
    }

    /// Begins to read.
    public func makeAsyncIterator() -> Iterator {
        Iterator(pull: pull)
    }

    /// The position in a body.
    public struct Iterator: AsyncIteratorProtocol {
        let pull: @Sendable () async throws(TransportError) -> [UInt8]?

        /// The next chunk, or nil at the end.
        public mutating func next() async throws(TransportError) -> [UInt8]? {
            while let chunk = try await pull() {
                if !chunk.isEmpty { return chunk }
            }
            return nil
        }
    }

    /// The whole body, if it has at most `limit` bytes.
    ///
    /// - Throws: ``TransportError/bodyTooLarge(limit:)``, and what ends the body early.
    public func collect(upTo limit: Int) async throws(TransportError) -> [UInt8] {
        var all: [UInt8] = []
        var iterator = makeAsyncIterator()
        while let chunk = try await iterator.next() {
            if chunk.count > limit - all.count { throw .bodyTooLarge(limit: limit) }
            all += chunk
        }
        return all
    }
}

/// Chunks known beforehand.
private actor ChunkSource {
    private var chunks: ArraySlice<[UInt8]>

    init(_ chunks: [[UInt8]]) {
        self.chunks = chunks[...]
    }

    func next() -> [UInt8]? {
        chunks.popFirst()
    }
}
