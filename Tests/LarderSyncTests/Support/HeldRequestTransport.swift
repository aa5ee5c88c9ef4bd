// HeldRequestTransport: a transport that holds selected requests back until they are released.

import HTTPTypes
import LarderTransport
import Synchronization

/// A transport that holds certain requests back until it is opened.
final class HeldRequestTransport: Transport {
    private struct State {
        var isOpen = false
        var held = 0
        /// Whether a test that watches was cancelled, as by its limit of time.
        var isGivenUp = false
        var waiters: [CheckedContinuation<Void, Never>] = []
        var watchers: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []
    }

    private let base: any Transport
    private let matches: @Sendable (HTTPRequest) -> Bool
    private let state = Mutex(State())

    /// Holds requests to `base` that `matches` is true of.
    init(_ base: any Transport, where matches: @escaping @Sendable (HTTPRequest) -> Bool) {
        self.base = base
        self.matches = matches
    }

    /// Returns when so many requests have been held, or when the task is cancelled.
    func waitUntilHeld(_ count: Int = 1) async {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isThere = state.withLock { state in
                    if state.held >= count || state.isGivenUp { return true }
                    state.watchers.append((count, continuation))
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
            for watcher in watchers { watcher.continuation.resume() }
        }
    }

    /// Lets everything through from now on.
    func release() {
        let waiters = state.withLock { state in
            state.isOpen = true
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter.resume() }
    }

    func send(
        _ request: HTTPRequest, body: [UInt8]?, timeouts: TransportTimeouts
    ) async throws(TransportError) -> TransportResponse {
        if matches(request) {
            await withTaskCancellationHandler {
                await wait()
            } onCancel: {
                release()
            }
        }
        if Task.isCancelled { throw .cancelled }
        return try await base.send(request, body: body, timeouts: timeouts)
    }

    private func wait() async {
        await withCheckedContinuation { continuation in
            let (isOpen, watchers) = state.withLock { state in
                state.held += 1
                let held = state.held
                let watchers = state.watchers.filter { $0.count <= held }
                state.watchers.removeAll { $0.count <= held }
                if !state.isOpen { state.waiters.append(continuation) }
                return (state.isOpen, watchers)
            }
            if isOpen { continuation.resume() }
            for watcher in watchers { watcher.continuation.resume() }
        }
    }
}
