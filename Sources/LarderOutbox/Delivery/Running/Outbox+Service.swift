internal import LarderStore
internal import Logging
public import ServiceLifecycle
internal import Synchronization

extension Outbox: Service {
    /// Sends what waits, and what is enqueued, until the service is shut down or the task is cancelled.
    ///
    /// Requests under way then are ended; they are sent again under their keys at the next start. While another outbox
    /// sends for the same store, in this process or another, it waits for that one's end and takes over then. Called once
    /// at a time; a ``drain(within:)`` under way is waited for.
    ///
    /// - Throws: `ServerMismatch`, with nothing sent, while writes or points are unsent that are for another server;
    ///   `CancellationError`; `EngineError` when `outbox.lock` in the store's directory cannot be used.
    public func run() async throws {
        while !reserve() {
            precondition(state.withLock { $0.isDraining }, "the outbox runs already")
            try await store.host.sleep(.milliseconds(50))
        }
        do {
            if try !claim() { try await cancelWhenGracefulShutdown { try await self.waitForOwnership() } }
            try await bindServer()
        } catch {
            unreserve()
            // Shut down while another one sent.
            if error is CancellationError { return try Task.checkCancellation() }
            throw error
        }
        // Here, so that a shutdown that came before the start ends the run.
        let (inputs, continuation) = AsyncStream<OutboxInput>.makeStream()
        await withGracefulShutdownHandler {
            await loop(inputs, continuation)
        } onGracefulShutdown: {
            continuation.yield(.event(.stop))
        }
        try Task.checkCancellation()
    }

    /// Sends until nothing waits, nothing more can be sent now, or the time is over, and returns: for the seconds that a
    /// system grants in the background.
    ///
    /// It waits for retries that are due within the limit. Beside ``run()`` it waits for what that sends, otherwise it
    /// sends itself; a ``run()`` that begins meanwhile goes on from there. What is under way at the limit then is ended, and
    /// sent again under its key.
    ///
    /// - Parameter limit: above zero; leave a second or so to what the system grants.
    /// - Returns: what is left, by state, and why (``OutboxStatus/pauses``); at once where another outbox sends for the
    ///   store, or the writes are for another server.
    @discardableResult
    public func drain(within limit: Duration) async -> OutboxStatus {
        precondition(limit > .zero, "no time to send")
        let (inputs, continuation) = AsyncStream<OutboxInput>.makeStream()
        let (end, told) = AsyncStream<Never>.makeStream()
        let drain = Drain(deadline: store.host.elapsed() + limit, end: told)
        guard reserve(asDrain: true) else {
            if join(drain) { await over(end, within: limit) }
            return status
        }
        do {
            if try await !own() {
                unreserve()
                return status
            }
            try await bindServer()
        } catch {
            unreserve()
            store.host.logger.error("the outbox cannot be run", metadata: ["error": "\(error)"])
            return status
        }
        continuation.yield(.drain(drain))
        async let run: Void = loop(inputs, continuation)
        await over(end, within: limit)
        let pauses = status.pauses
        continuation.yield(.event(.stop))
        await run
        var left = status
        if !pauses.isEmpty { left.pauses = pauses }
        return left
    }

    /// Has a run go by a drain, also one that begins and has no loop yet.
    ///
    /// - Returns: false when nothing would come of it: another outbox sends.
    private func join(_ drain: Drain) -> Bool {
        let isElsewhere = otherOwner != nil
        return state.withLock { state in
            if let loop = state.loop {
                return if case .enqueued = loop.inputs.yield(.drain(drain)) { true } else { false }
            }
            guard state.isReserved, !isElsewhere else { return false }
            state.earlyDrains.append(drain)
            return true
        }
    }

    /// Waits for the end of a drain, or of its time.
    private func over(_ end: AsyncStream<Never>, within limit: Duration) async {
        await withTaskGroup { group in
            group.addTask { for await _ in end {} }
            group.addTask { try? await self.store.host.sleep(limit) }
            await group.next()
            group.cancelAll()
        }
    }
}
