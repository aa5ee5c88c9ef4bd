internal import LarderStore
internal import LarderTransport
internal import Logging
internal import Synchronization

#if ServiceLifecycle
public import ServiceLifecycle

extension Outbox: Service {}
#endif

extension Outbox {
    /// Sends entries that wait or are enqueued, until the task is cancelled, or its service is shut down
    /// (trait `ServiceLifecycle`).
    ///
    /// The attached tasks run with the outbox: those of the ``Session`` that is attached to it, and of each
    /// ``BufferUploader`` that is made over it. They end when it ends.
    ///
    /// ```swift
    /// session.attach(outbox)
    /// let places = BufferUploader(outbox: outbox)
    /// try await outbox.run()  // sends writes and places, and has an expired login renewed
    /// ```
    ///
    /// Requests under way at the end are cancelled; they are sent again under their keys at the next start. While
    /// another outbox sends for the same store, in this process or another, it waits for that one's end and sends
    /// then. While there is no space to start it tries again, and ``status`` says so (``PauseReason/storage``). Call it
    /// once at a time; it waits for a ``drain(within:)`` under way.
    ///
    /// - Throws: `ServerMismatch`, with nothing sent, while writes or points for another server are unsent;
    ///   `CancellationError`; `EngineError` when `outbox.lock` in the store's directory cannot be used.
    public func run() async throws {
        let (companions, starting) = AsyncStream<AttachedTask>.makeStream()
        state.withLock { state in
            state.attachedTaskStarter = starting
            for task in state.attachedTasks { starting.yield(task) }
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            defer { group.cancelAll() }
            group.addTask {
                await withDiscardingTaskGroup { group in
                    for await task in companions { group.addTask { await task() } }
                }
            }
            try await sendUntilShutDown()
        }
    }

    /// Adds a task that runs whenever the outbox does.
    func addAttachedTask(_ companion: @escaping AttachedTask) {
        state.withLock { state in
            state.attachedTasks.append(companion)
            state.attachedTaskStarter?.yield(companion)
        }
    }

    private func sendUntilShutDown() async throws {
        do {
            while !reserve() {
                try await cancelledByShutdown { try await self.store.host.sleep(.milliseconds(50)) }
            }
        } catch {
            return try Task.checkCancellation()
        }
        do {
            if try !tryAcquireOwnership() { try await cancelledByShutdown { try await self.waitForOwnership() } }
            try await cancelledByShutdown { try await self.bindServerWithRetries() }
        } catch {
            unreserve()
            // Shut down while another one sent.
            if error is CancellationError { return try Task.checkCancellation() }
            throw error
        }
        // Created here, so that a shutdown before the start ends the run.
        let (inputs, continuation) = AsyncStream<OutboxInput>.makeStream()
        await withShutdownHandler {
            await loop(inputs, continuation)
        } onShutdown: {
            if !self.post(.event(.stop)) { continuation.yield(.event(.stop)) }
        }
        try Task.checkCancellation()
    }

    /// Sends until nothing waits, nothing more can be sent now, or the time is over, and returns: for the seconds that
    /// a system grants in the background.
    ///
    /// It waits for retries that are due within the limit, and for the tasks that follow a send: renewing the login,
    /// loading the row of a write, refreshing. Beside ``run()`` it waits for the sends of that run. Otherwise drains
    /// share one run, until the last of them ends; a ``run()`` that begins meanwhile continues from there. Requests
    /// under way at the end are cancelled, and sent again under their keys.
    ///
    /// - Parameter limit: above zero; leave a second or so to what the system grants.
    /// - Returns: the entries that are left, by state, and the reasons (``OutboxStatus/pauses``); at once where another
    ///   outbox sends for the store, or the writes are for another server.
    @discardableResult
    public func drain(within limit: Duration) async -> OutboxStatus {
        precondition(limit > .zero, "no time to send")
        let (end, endContinuation) = AsyncStream<Never>.makeStream()
        let run = await join(Drain(deadline: store.host.elapsed() + limit, end: endContinuation))
        await waitForEnd(end, within: limit)
        let pauses = status.pauses
        guard let run, endDrain(of: run) else { return status }
        await run.value
        var left = status
        // At rest the reason would be that nothing runs; and a `run()` that has begun since knows of no network yet.
        if left.unsent > 0, !pauses.isEmpty { left.pauses = pauses }
        return left
    }

    /// Registers a drain with a run: one that has begun, even without a loop yet, or one for drains alone.
    ///
    /// - Returns: the run for drains alone.
    private func join(_ drain: Drain) async -> Task<Void, Never>? {
        let isElsewhere = otherOwner != nil
        while true {
            let (run, isEnding) = state.withLock { state -> (Task<Void, Never>?, Bool) in
                if let draining = state.draining, draining.drains == 0 { return (draining.run, true) }
                if !state.isReserved {
                    state.isReserved = true
                    state.draining = (Task { await self.runForDrains() }, 0)
                }
                state.draining?.drains += 1
                if !state.register(drain, isElsewhere: isElsewhere) { drain.end.finish() }
                return (state.draining?.run, false)
            }
            if !isEnding { return run }
            await run?.value
        }
    }

    /// Records that a drain has ended.
    ///
    /// - Returns: whether the run ends with it.
    private func endDrain(of run: Task<Void, Never>) -> Bool {
        state.withLock { state in
            guard let draining = state.draining, draining.run == run else { return false }
            state.draining?.drains -= 1
            if draining.drains > 1 { return false }
            state.loop?.post(.event(.stop))
            return true
        }
    }

    /// Sends as long as there is a drain.
    private func runForDrains() async {
        do {
            guard try await acquireOwnership() else { return unreserve() }
            try await bindServer()
        } catch {
            unreserve()
            return store.host.logger.error("the outbox cannot be run", metadata: ["error": "\(error)"])
        }
        let (inputs, continuation) = AsyncStream<OutboxInput>.makeStream()
        await loop(inputs, continuation)
    }

    /// Waits for the end of a drain, or of its time.
    private func waitForEnd(_ end: AsyncStream<Never>, within limit: Duration) async {
        await withTaskGroup { group in
            group.addTask { for await _ in end {} }
            group.addTask { try? await self.store.host.sleep(limit) }
            await group.next()
            group.cancelAll()
        }
    }
}

extension OutboxState {
    /// Registers a drain with the run that has begun; returns false when it would have no effect.
    fileprivate mutating func register(_ drain: Drain, isElsewhere: Bool) -> Bool {
        if let isPosted = loop?.post(.drain(drain)) { return isPosted }
        // A run that waits until another outbox ends has no loop for long.
        if draining == nil, isElsewhere { return false }
        earlyDrains.append(drain)
        return true
    }
}
