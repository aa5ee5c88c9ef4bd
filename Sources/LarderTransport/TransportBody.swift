private import Synchronization

/// The bytes of a response, in chunks, as they arrive; they can be read once.
///
/// Chunks are never empty, and their bounds mean nothing. Reading is what moves the network: no more than a bounded
/// number of bytes is held for a reader that stops asking. When the last copy of the body (and its iterators) goes away
/// before the end was read, the exchange is cancelled.
///
/// Iterators of one body share its position: a second one goes on where the first stopped. Traps when two
/// tasks wait for a chunk of one body at the same time.
public struct TransportBody: AsyncSequence, Sendable {
    /// One piece of the body, never empty.
    public typealias Element = [UInt8]

    /// What reading may throw: how the exchange ended too early.
    public typealias Failure = TransportError

    private let source: Source

    /// A body that asks `next` for each chunk, until it answers `nil` or throws.
    ///
    /// - Parameters:
    ///   - next: gives the next chunk; is never called again after `nil` or an error, nor twice at once.
    ///   - cancel: called at most once, when the body is given up before its end; not after `nil` or an error.
    public init(
        next: @escaping @Sendable () async throws(TransportError) -> [UInt8]?,
        cancel: @escaping @Sendable () -> Void = {}
    ) {
        source = Source(next: next, cancel: cancel)
    }

    /// A body of these chunks; empty ones are left out.
    public init(chunks: [[UInt8]]) {
        let remaining = ChunkList(chunks)
        self.init(next: { remaining.removeFirst() })
    }

    /// A body that is in memory already, in one chunk.
    public init(_ bytes: [UInt8]) {
        self.init(chunks: [bytes])
    }

    /// Reads what is left into one array.
    ///
    /// - Parameter limit: the most bytes to accept, 0 or more.
    /// - Throws: ``TransportError/bodyTooLarge(limit:)`` as soon as more arrive, which ends the exchange;
    ///   else what ended the exchange too early.
    public func collect(upTo limit: Int) async throws(TransportError) -> [UInt8] {
        precondition(limit >= 0, "a limit of \(limit) bytes")
        var whole: [UInt8] = []
        while let chunk = try await source.next() {
            guard chunk.count <= limit - whole.count else {
                source.giveUp()
                throw .bodyTooLarge(limit: limit)
            }
            whole.append(contentsOf: chunk)
        }
        return whole
    }

    /// An iterator from the current position of the body.
    public func makeAsyncIterator() -> Iterator {
        Iterator(source: source)
    }

    /// Gives the chunks one by one.
    public struct Iterator: AsyncIteratorProtocol, Sendable {
        fileprivate let source: Source

        /// The next chunk, or `nil` at the end and after an error.
        ///
        /// Cancelling the task ends the wait at once, with ``TransportError/cancelled``.
        public func next(isolation: isolated (any Actor)? = #isolation) async throws(TransportError) -> [UInt8]? {
            try await source.next()
        }

        /// The next chunk, or `nil` at the end and after an error.
        public func next() async throws(TransportError) -> [UInt8]? {
            try await source.next()
        }
    }
}

/// The shared position of a body: its end of life is the reader's loss of interest.
private final class Source: Sendable {
    private enum State {
        case idle, reading, ended
    }

    private let state = Mutex(State.idle)
    private let produce: @Sendable () async throws(TransportError) -> [UInt8]?
    private let cancel: @Sendable () -> Void

    init(
        next: @escaping @Sendable () async throws(TransportError) -> [UInt8]?, cancel: @escaping @Sendable () -> Void
    ) {
        produce = next
        self.cancel = cancel
    }

    deinit { giveUp() }

    func next() async throws(TransportError) -> [UInt8]? {
        let isOver = state.withLock { state in
            precondition(state != .reading, "two tasks read one body at the same time")
            if state == .ended { return true }
            state = .reading
            return false
        }
        if isOver { return nil }
        do throws(TransportError) {
            while let chunk = try await produce() {
                if chunk.isEmpty { continue }
                state.withLock { $0 = .idle }
                return chunk
            }
        } catch {
            state.withLock { $0 = .ended }
            throw error
        }
        state.withLock { $0 = .ended }
        return nil
    }

    func giveUp() {
        let wasOpen = state.withLock { state in
            defer { state = .ended }
            return state != .ended
        }
        if wasOpen { cancel() }
    }
}

/// Chunks already in memory, taken from the front.
private final class ChunkList: Sendable {
    private let chunks: Mutex<ArraySlice<[UInt8]>>

    init(_ chunks: [[UInt8]]) {
        self.chunks = Mutex(chunks[...])
    }

    func removeFirst() -> [UInt8]? {
        chunks.withLock { $0.popFirst() }
    }
}
