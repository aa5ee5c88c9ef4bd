package import HTTPTypes
private import Synchronization

/// Connects one request's network callbacks with the task that reads the response.
///
/// An adapter passes it data from any thread; one task reads from it. It enforces the time limits, ends the exchange on
/// cancellation, and pauses the producer while bytes are unread.
package final class Exchange: Sendable {
    private let clock: any Clock<Duration>
    private let timeouts: TransportTimeouts
    private let unreadLimit: Int?
    private let state = Mutex(ExchangeState())

    /// Creates an exchange before its start.
    ///
    /// - Parameters:
    ///   - timeouts: The limits on its phases, measured by `clock`.
    ///   - unreadLimit: For a producer that cannot be paused, the most unread bytes before the exchange fails with
    ///     ``TransportError/bodyTooLarge(limit:)``; `nil` for one that waits to be resumed.
    package init(clock: any Clock<Duration>, timeouts: TransportTimeouts, unreadLimit: Int? = nil) {
        self.clock = clock
        self.timeouts = timeouts
        self.unreadLimit = unreadLimit
    }

    /// Sets the closure that cancels the underlying exchange; calls it at once when this exchange has failed already.
    ///
    /// The closure is released when the exchange ends, whichever side ends it.
    package func attach(cancel: @escaping @Sendable () -> Void) {
        let isAbandoned = state.withLock { state in
            switch state.end {
            case nil:
                state.cancel = cancel
                return false
            case .finished: return false
            case .failed: return true
            }
        }
        if isAbandoned { cancel() }
    }

    /// Records that the connection is open and the request is being sent: the limit on connecting no longer applies.
    package func connected() {
        state.withLock { $0.isConnected = true }
    }

    /// Whether ``connected()`` was called.
    package var isConnected: Bool { state.withLock { $0.isConnected } }

    /// Whether the head of the response has arrived.
    package var hasHead: Bool { state.withLock { $0.head != nil } }

    /// Records the head of the response.
    ///
    /// - Parameter isDecoded: See ``TransportResponse/isDecoded``.
    package func receive(head: HTTPResponse, isDecoded: Bool = false) {
        state.withLock { state in
            state.isConnected = true
            state.head = head
            state.isDecoded = isDecoded
            return ExchangeState.Effects(waiter: state.waiter.take())
        }.perform()
    }

    /// Appends a piece of the body.
    ///
    /// - Parameter resume: Called once, from any thread, when the next piece is wanted or the exchange is over.
    package func receive(_ chunk: [UInt8], resume: @escaping @Sendable () -> Void = {}) {
        state.withLock { state in
            guard state.end == nil, !chunk.isEmpty else { return ExchangeState.Effects(resume: resume) }
            var effects = state.append(chunk)
            if let unreadLimit {
                if state.unreadBytes > unreadLimit {
                    let waiter = effects.waiter
                    effects = state.abandon(.bodyTooLarge(limit: unreadLimit))
                    effects.waiter = waiter
                }
                effects.resume = resume
            } else {
                state.resume = resume
            }
            return effects
        }.perform()
    }

    /// Records that the response is complete (`nil`) or broke off.
    package func finish(_ error: TransportError? = nil) {
        state.withLock { $0.finish(error.map(ExchangeState.End.failed) ?? .finished) }.perform()
    }

    /// Waits for the head and returns it with the body, which reads the rest.
    ///
    /// - Throws: The ``TransportError`` that ended the exchange, or ``TransportError/timeout(_:)``, or
    ///   ``TransportError/cancelled``.
    package func response() async throws(TransportError) -> TransportResponse {
        let head = try await head()
        let body = TransportBody(
            next: { () async throws(TransportError) in try await self.nextChunk() },
            cancel: { self.abandon(.cancelled) })
        return TransportResponse(head: head, body: body, isDecoded: state.withLock { $0.isDecoded })
    }
}

extension Exchange {
    private func head() async throws(TransportError) -> HTTPResponse {
        let connecting = timer(timeouts.connect) { exchange in
            exchange.expireConnecting()
        }
        defer { connecting.cancel() }
        await wait(for: .head, atMost: timeouts.head, phase: .head)
        if Task.isCancelled { abandon(.cancelled) }
        let (head, end) = state.withLock { ($0.head, $0.end) }
        // A failure after the head belongs to the body; a cancellation is thrown to the current waiter.
        if case .failed(let error) = end, head == nil || error == .cancelled { throw error }
        guard let head else { throw .connectionLost(reason: "the exchange ended without a response") }
        return head
    }

    private func nextChunk() async throws(TransportError) -> [UInt8]? {
        if Task.isCancelled { abandon(.cancelled) }
        if !state.withLock({ $0.isOver(.chunk) }) {
            await wait(for: .chunk, atMost: timeouts.idle, phase: .idle)
        }
        let (chunk, end, resume) = state.withLock { state in
            let chunk = state.popFirst()
            // The producer continues when all its data has been read.
            return (chunk, state.end, state.unreadBytes == 0 ? state.resume.take() : nil)
        }
        resume?()
        if let chunk { return chunk }
        if case .failed(let error) = end { throw error }
        return nil
    }

    /// Suspends the calling task until the state satisfies `condition`, or the time limit ends the exchange.
    private func wait(for condition: ExchangeState.Wait, atMost limit: Duration, phase: TransportError.Phase) async {
        let number = state.withLock { state in
            state.waitNumber += 1
            return state.waitNumber
        }
        let timer = timer(limit) { $0.expire(condition, number: number, phase: phase) }
        defer { timer.cancel() }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isOver = state.withLock { state in
                    if state.isOver(condition) { return true }
                    state.waiter = continuation
                    return false
                }
                if isOver { continuation.resume() }
            }
        } onCancel: {
            abandon(.cancelled)
        }
        // A late timer must not end the next wait.
        state.withLock { $0.waitNumber += 1 }
    }

    private func timer(_ limit: Duration, _ expire: @escaping @Sendable (Exchange) -> Void) -> Task<Void, Never> {
        Task {
            do { try await clock.sleep(for: limit) } catch { return }
            expire(self)
        }
    }

    private func expire(_ condition: ExchangeState.Wait, number: Int, phase: TransportError.Phase) {
        state.withLock { state in
            guard state.waitNumber == number, !state.isOver(condition) else { return ExchangeState.Effects() }
            return state.abandon(.timeout(phase))
        }.perform()
    }

    private func expireConnecting() {
        state.withLock { state in
            guard !state.isConnected, state.end == nil else { return ExchangeState.Effects() }
            return state.abandon(.timeout(.connect))
        }.perform()
    }

    private func abandon(_ error: TransportError) {
        state.withLock { $0.abandon(error) }.perform()
    }
}
