import LarderStore
import LarderTransport
import Synchronization

/// A pipe for a body, from the exchange that stores it to its reader. The exchange waits beyond a number of unread
/// bytes.
///
/// One task writes, one reads.
final class BodyPipe: Sendable {
    private struct State {
        var chunks: ArraySlice<[UInt8]> = []
        var unreadBytes = 0
        var isFinished = false
        var error: TransportError?
        /// Whether the reader has gone, so that pushed chunks are discarded.
        var isAbandoned = false
        /// Whether other callers wait for the exchange, which then does not wait for the reader.
        var isUnbounded = false
        var reader: DeferredValue<Void>?
        var writer: DeferredValue<Void>?
    }

    private let limit: Int
    private let state = Mutex(State())

    /// A pipe that holds `limit` bytes before its writer waits.
    init(limit: Int) { self.limit = limit }

    /// Adds a chunk, and returns whether there is space for another; if not, ``waitForSpace()`` must come before it.
    func push(_ chunk: [UInt8]) -> Bool {
        let (reader, hasSpace) = state.withLock { state -> (DeferredValue<Void>?, Bool) in
            guard !state.isAbandoned else { return (nil, true) }
            state.chunks.append(chunk)
            state.unreadBytes += chunk.count
            return (state.reader.take(), state.unreadBytes <= limit || state.isUnbounded)
        }
        reader?.fulfil(())
        return hasSpace
    }

    /// Waits until there is space for a chunk.
    ///
    /// Returns at once when the reader has gone, or the calling task is cancelled.
    func waitForSpace() async {
        let space = state.withLock { state -> DeferredValue<Void>? in
            if state.unreadBytes <= limit || state.isUnbounded || state.isAbandoned { return nil }
            state.writer = DeferredValue()
            return state.writer
        }
        await space?.value()
    }

    /// Ends the body: it is whole, or broke off with `error`.
    func finish(_ error: TransportError? = nil) {
        let reader = state.withLock { state -> DeferredValue<Void>? in
            guard !state.isFinished else { return nil }
            state.isFinished = true
            state.error = error
            return state.reader.take()
        }
        reader?.fulfil(())
    }

    /// Discards the unread chunks and all later ones: the reader has gone.
    func abandon() {
        state.withLock { state in
            state.isAbandoned = true
            state.chunks = []
            state.unreadBytes = 0
        }
        wakeWriter()
    }

    /// Stops the writer from waiting for the reader.
    func unbind() {
        state.withLock { $0.isUnbounded = true }
        wakeWriter()
    }

    /// Lets the writer wait for the reader again.
    func bind() {
        state.withLock { $0.isUnbounded = false }
    }

    /// Returns the next chunk, or nil at the end.
    func next() async throws(TransportError) -> [UInt8]? {
        let arrival = state.withLock { state -> DeferredValue<Void>? in
            if !state.chunks.isEmpty || state.isFinished { return nil }
            state.reader = DeferredValue()
            return state.reader
        }
        await arrival?.value()
        if Task.isCancelled { throw .cancelled }
        let (chunk, error, writer) = state.withLock { state in
            let chunk = state.chunks.popFirst()
            state.unreadBytes -= chunk?.count ?? 0
            let error = chunk == nil ? state.error : nil
            return (chunk, error, state.unreadBytes <= limit ? state.writer.take() : nil)
        }
        writer?.fulfil(())
        if let error { throw error }
        return chunk
    }

    private func wakeWriter() {
        state.withLock { $0.writer.take() }?.fulfil(())
    }
}
