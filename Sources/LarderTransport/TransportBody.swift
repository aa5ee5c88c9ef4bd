private import Synchronization

/// The bytes of a response, in chunks, as they arrive; they can be read once.
///
/// Chunks are never empty, and their bounds have no meaning. Data is received only on demand: at most a bounded number
/// of bytes is held for a reader that stops reading. When the last copy of the body (and its iterators) is released
/// before the end was read, the exchange is cancelled.
///
/// Iterators of one body share its position: a second one continues where the first stopped. Traps when two tasks wait
/// for a chunk of one body at the same time.
public struct TransportBody: AsyncSequence, Sendable {
    /// One piece of the body, never empty.
    public typealias Element = [UInt8]

    /// The error that ended the exchange too early.
    public typealias Failure = TransportError

    private let source: Source

    /// Creates a body that calls `next` for each chunk, until it returns `nil` or throws.
    ///
    /// - Parameters:
    ///   - next: Returns the next chunk; is never called again after `nil` or an error, nor twice at once.
    ///   - cancel: Called at most once, when the body is released or refused before its end; not after `nil` or an
    ///     error.
    public init(
        next: @escaping @Sendable () async throws(TransportError) -> [UInt8]?,
        cancel: @escaping @Sendable () -> Void = {}
    ) {
        source = Source(next: next, cancel: cancel)
    }

    /// Creates a body of these chunks; empty ones are left out.
    public init(chunks: [[UInt8]]) {
        let remaining = ChunkList(chunks)
        self.init(next: { remaining.removeFirst() })
    }

    /// Creates a body that is in memory already, in one chunk.
    public init(_ bytes: [UInt8]) {
        self.init(chunks: [bytes])
    }

    /// Reads the remaining bytes into one array.
    ///
    /// - Parameter limit: The most bytes to accept, 0 or more.
    /// - Throws: ``TransportError/bodyTooLarge(limit:)`` as soon as more arrive, which ends the exchange; else the
    ///   error that ended the exchange too early.
    public func collect(upTo limit: Int) async throws(TransportError) -> [UInt8] {
        precondition(limit >= 0, "a limit of \(limit) bytes")
        var whole: [UInt8] = []
        while let chunk = try await source.next() {
            guard chunk.count <= limit - whole.count else {
                source.cancelIfOpen()
                throw .bodyTooLarge(limit: limit)
            }
            whole.append(contentsOf: chunk)
        }
        return whole
    }

    /// Returns an iterator from the current position of the body.
    public func makeAsyncIterator() -> Iterator {
        Iterator(source: source)
    }

    /// Returns the chunks one by one.
    public struct Iterator: AsyncIteratorProtocol, Sendable {
        fileprivate let source: Source

        /// Returns the next chunk, or `nil` at the end and after an error.
        ///
        /// Cancelling the task ends the wait at once, with ``TransportError/cancelled``.
        ///
        /// - Throws: The error that ended the exchange too early.
        public func next(isolation: isolated (any Actor)? = #isolation) async throws(TransportError) -> [UInt8]? {
            try await source.next()
        }

        /// Returns the next chunk, or `nil` at the end and after an error.
        ///
        /// - Throws: The error that ended the exchange too early.
        public func next() async throws(TransportError) -> [UInt8]? {
            try await source.next()
        }
    }
}

/// The shared position of a body; its deinitialization before the end cancels the exchange.
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

    deinit { cancelIfOpen() }

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

    func cancelIfOpen() {
        let wasOpen = state.withLock { state in
            defer { state = .ended }
            return state != .ended
        }
        if wasOpen { cancel() }
    }
}

/// Chunks already in memory, removed from the front.
private final class ChunkList: Sendable {
    private let chunks: Mutex<ArraySlice<[UInt8]>>

    init(_ chunks: [[UInt8]]) {
        self.chunks = Mutex(chunks[...])
    }

    func removeFirst() -> [UInt8]? {
        chunks.withLock { $0.popFirst() }
    }
}
