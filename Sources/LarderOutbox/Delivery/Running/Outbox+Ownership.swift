internal import LarderEngine
internal import LarderFormat
internal import LarderStore
internal import LarderTransport
internal import Logging
internal import Synchronization

// One outbox sends per store, whatever processes have it open: which one, the lock of a file decides.
extension Outbox {
    /// Notes that what is unsent is for the server of this outbox.
    ///
    /// - Throws: `ServerMismatch`; what the store throws.
    func bindServer() async throws { try await store.bindServer(configuration.server, to: .outbox) }

    /// As ``bindServer()``, again and again after the waits of a retry while there is no room for it.
    func bindServerInTime() async throws {
        defer { state.withLock { $0.isStartHeld = false } }
        var failures = 0
        while true {
            do {
                return try await bindServer()
            } catch let error where error.isShortageOfRoom {
                store.host.logger.error("the outbox cannot be run yet", metadata: ["error": "\(error)"])
            }
            failures = failures.incremented
            state.withLock { $0.isStartHeld = true }
            report(.storageFailed)
            publish()
            try await store.host.sleep(policy.retry.delay(afterFailures: failures, chance: 0))
        }
    }

    /// Notes that a run begins; false while drains have one.
    func reserve() -> Bool {
        state.withLock { state in
            precondition(!state.isReserved || state.draining != nil, "the outbox runs already")
            defer { state.isReserved = true }
            return !state.isReserved
        }
    }

    /// Notes that nothing came of the run.
    func unreserve() {
        let drains = givingUp { state in
            (state.isReserved, state.draining) = (false, nil)
            defer { state.earlyDrains = [] }
            return (state.earlyDrains, state.takeIdleOwnership())
        }
        for drain in drains { drain.end.finish() }
    }

    /// Waits until nothing else sends for this store, and holds it from then on.
    ///
    /// - Throws: `CancellationError`; what opening the lock file throws.
    func waitForOwnership() async throws {
        while try await !own() {
            publish()
            try await store.host.sleep(policy.takeoverInterval)
        }
    }

    /// Holds the right to send, if nothing else does.
    func own() async throws -> Bool {
        for attempt in 1...3 {
            if try claim() { return true }
            // Another process that carries out one command is done in a moment.
            if attempt < 3 { try await store.host.sleep(.milliseconds(20)) }
        }
        return false
    }

    /// As ``own()``, by one look.
    ///
    /// - Parameter commands: how many commands are about to be carried out under it, until ``endCommand()``.
    func claim(commands: Int = 0) throws -> Bool {
        try claiming.withLock { _ in
            let isHeld = state.withLock { $0.ownership != nil }
            let taken = try isHeld ? nil : store.ownOutbox()
            return state.withLock { state in
                // What held it may have ended since.
                if let taken { state.ownership = taken }
                guard state.ownership != nil else { return false }
                state.commands += commands
                return true
            }
        }
    }

    /// Notes that a command is over that was carried out under the ownership.
    func endCommand() {
        givingUp { state in
            state.commands -= 1
            return ((), state.takeIdleOwnership())
        }
    }

    /// Lets another outbox send.
    func disown() { givingUp { state in ((), state.ownership.take()) } }

    /// Changes the state, and gives up the ownership that is taken out of it.
    ///
    /// Under the lock of the claims: whoever looks for another owner never sees the file locked by this outbox, and no ownership.
    func givingUp<Result>(_ change: (inout OutboxState) -> (Result, OutboxOwnership?)) -> Result {
        claiming.withLock { _ in
            let (result, ownership) = state.withLock { change(&$0) }
            withExtendedLifetime(ownership) {}
            return result
        }
    }

    /// As ``disown()``, once the store is closed: it may be opened anew, with another outbox, while this one still runs.
    func disownIfClosed() {
        if (try? store.read { view in view.commit }) == nil { disown() }
    }

    /// What sends in place of this outbox; nil when this one does, or nothing does.
    var otherOwner: OutboxOwner? {
        claiming.withLock { _ in
            if state.withLock({ $0.ownership != nil }) { return nil }
            // What cannot be looked at is not known to send.
            return try? store.outboxOwner()
        }
    }
}

extension Error {
    /// Whether the store or the device has no room: that passes.
    fileprivate var isShortageOfRoom: Bool {
        if case .full? = self as? StoreError { return true }
        switch self as? EngineError {
        case .diskFull, .mapFull: return true
        default: return false
        }
    }
}
