internal import LarderEngine
internal import LarderFormat
internal import LarderStore
internal import LarderTransport
internal import Logging
internal import Synchronization

// One outbox sends per store, whatever processes have it open: the lock of a file decides which one.
extension Outbox {
    /// Records that unsent writes and points are for the server of this outbox.
    ///
    /// - Throws: `ServerMismatch`; as ``Store/write(durability:_:)``.
    func bindServer() async throws { try await store.bindServer(configuration.server, to: .outbox) }

    /// As ``bindServer()``, repeated after the waits of a retry while there is no space for it.
    func bindServerWithRetries() async throws {
        defer { state.withLock { $0.isStartBlocked = false } }
        var failures = 0
        while true {
            do {
                return try await bindServer()
            } catch let error where error.isOutOfSpace {
                store.host.logger.error("the outbox cannot be run yet", metadata: ["error": "\(error)"])
            }
            failures = failures.incremented
            state.withLock { $0.isStartBlocked = true }
            report(.storageFailed)
            publish()
            try await store.host.sleep(policy.retry.delay(afterFailures: failures, random: 0))
        }
    }

    /// Records that a run begins; returns false while drains have one.
    func reserve() -> Bool {
        state.withLock { state in
            precondition(!state.isReserved || state.draining != nil, "the outbox runs already")
            defer { state.isReserved = true }
            return !state.isReserved
        }
    }

    /// Records that a run ended before its loop began.
    func unreserve() {
        let drains = releasingOwnership { state in
            (state.isReserved, state.draining) = (false, nil)
            defer { state.earlyDrains = [] }
            return (state.earlyDrains, state.removeIdleOwnership())
        }
        for drain in drains { drain.end.finish() }
    }

    /// Waits until nothing else sends for this store, and acquires the ownership.
    ///
    /// - Throws: `CancellationError`; `EngineError` when the lock file cannot be opened.
    func waitForOwnership() async throws {
        while try await !acquireOwnership() {
            publish()
            try await store.host.sleep(policy.takeoverInterval)
        }
    }

    /// Acquires the right to send, if nothing else has it; returns whether this outbox has it.
    func acquireOwnership() async throws -> Bool {
        for attempt in 1...3 {
            if try tryAcquireOwnership() { return true }
            // Another process that carries out one command releases it soon.
            if attempt < 3 { try await store.host.sleep(.milliseconds(20)) }
        }
        return false
    }

    /// As ``acquireOwnership()``, with a single attempt.
    ///
    /// - Parameter commands: the number of commands to carry out under it, until ``endCommand()``.
    func tryAcquireOwnership(commands: Int = 0) throws -> Bool {
        try ownershipLock.withLock { _ in
            let isHeld = state.withLock { $0.ownership != nil }
            let acquired = try isHeld ? nil : store.acquireOutboxOwnership()
            return state.withLock { state in
                // It may have been released since.
                if let acquired { state.ownership = acquired }
                guard state.ownership != nil else { return false }
                state.commands += commands
                return true
            }
        }
    }

    /// Records that a command under the ownership has ended.
    func endCommand() {
        releasingOwnership { state in
            state.commands -= 1
            return ((), state.removeIdleOwnership())
        }
    }

    /// Releases the ownership, so that another outbox may send.
    func releaseOwnership() { releasingOwnership { state in ((), state.ownership.take()) } }

    /// Changes the state, and releases the ownership that is removed from it.
    ///
    /// Under the claiming lock: a check for another owner never finds the file locked by this outbox without ownership.
    func releasingOwnership<Result>(_ change: (inout OutboxState) -> (Result, OutboxOwnership?)) -> Result {
        ownershipLock.withLock { _ in
            let (result, ownership) = state.withLock { change(&$0) }
            withExtendedLifetime(ownership) {}
            return result
        }
    }

    /// As ``releaseOwnership()``, once the store is closed: it may be opened anew, with another outbox, while this one runs.
    func releaseOwnershipIfClosed() {
        if (try? store.read { view in view.commit }) == nil { releaseOwnership() }
    }

    /// The outbox that sends in place of this one; nil when this one does, or none.
    var otherOwner: OutboxOwner? {
        ownershipLock.withLock { _ in
            if state.withLock({ $0.ownership != nil }) { return nil }
            // An owner that cannot be determined is not known to send.
            return try? store.outboxOwner()
        }
    }
}

extension Error {
    /// Whether the store or the device has no space: that passes.
    fileprivate var isOutOfSpace: Bool {
        if case .full? = self as? StoreError { return true }
        switch self as? EngineError {
        case .diskFull, .mapFull: return true
        default: return false
        }
    }
}
