// HeldResponseTransport: a transport that holds selected responses back until they are released.

import HTTPTypes
import LarderTransport
import Synchronization

/// A transport that gets certain answers and keeps them until they are released.
final class HeldResponseTransport: Transport {
    private struct State {
        var isAnswered = false
        var isReleased = false
        /// Whether a test that watches was cancelled, as by its limit of time.
        var isGivenUp = false
        var watchers: [CheckedContinuation<Void, Never>] = []
        var waiters: [CheckedContinuation<Void, Never>] = []
    }

    private let base: any Transport
    private let matches: @Sendable (HTTPRequest) -> Bool
    private let state = Mutex(State())

    /// Keeps the answers to requests that `matches` is true of.
    init(_ base: any Transport, where matches: @escaping @Sendable (HTTPRequest) -> Bool = { _ in true }) {
        self.base = base
        self.matches = matches
    }

    /// Returns when an answer is being kept, or when the task is cancelled.
    func waitUntilAnswered() async {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isThere = state.withLock { state in
                    if state.isAnswered || state.isGivenUp { return true }
                    state.watchers.append(continuation)
                    return false
                }
                if isThere { continuation.resume() }
            }
        } onCancel: {
            let watchers = state.withLock { state in
                state.isGivenUp = true
                defer { state.watchers = [] }
                return state.watchers
            }
            for watcher in watchers { watcher.resume() }
        }
    }

    /// Hands out what is kept, and keeps nothing more.
    func release() {
        let waiters = state.withLock { state in
            state.isReleased = true
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter.resume() }
    }

    func send(
        _ request: HTTPRequest, body: [UInt8]?, timeouts: TransportTimeouts
    ) async throws(TransportError) -> TransportResponse {
        let response = try await base.send(request, body: body, timeouts: timeouts)
        guard matches(request) else { return response }
        await withCheckedContinuation { continuation in
            let (isReleased, watchers) = state.withLock { state in
                state.isAnswered = true
                if !state.isReleased { state.waiters.append(continuation) }
                defer { state.watchers = [] }
                return (state.isReleased, state.watchers)
            }
            if isReleased { continuation.resume() }
            for watcher in watchers { watcher.resume() }
        }
        return response
    }
}
