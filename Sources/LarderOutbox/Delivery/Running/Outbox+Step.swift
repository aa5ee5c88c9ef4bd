internal import LarderFormat
internal import LarderStore
internal import LarderTransport
internal import Logging
internal import Synchronization

/// Events for the machine, and what is stored with them.
struct StepRequest: Sendable {
    let events: [DeliveryEvent]
    /// The content of the responses, by entry.
    var accepted: [UUIDBytes: AcceptedResponse] = [:]
    /// Changes of the same transaction, made before those of the machine.
    var commitHook: CommitHook?
    /// Whether nothing begins for a while when it cannot be stored.
    var pausesOnFailure = true
    /// The reason why it cannot be done, if it cannot.
    var refusal: @Sendable (DeliveryMachine) -> OutboxError? = { _ in nil }

    init(_ event: DeliveryEvent) { events = [event] }

    init(_ events: [DeliveryEvent]) { self.events = events }
}

/// The stored result of an event.
private struct StoredStep: Sendable {
    var machine: DeliveryMachine
    /// The version of the table that the machine has seen, its own changes included.
    var version: OutboxVersion
    var effects: [DeliveryEffect]
    /// The accepted writes whose rows are to be loaded, and were not in their responses.
    var unloaded: [UnloadedRow]
    /// Whether the table had changed before this step.
    var hasTableChanged: Bool
    /// The number of entries that could not be read, where all were.
    var damaged: Int
    /// Whether another process has signed the account out that was to send.
    var isSignedOut = false
}

// The one way in which the machine steps: it reads the table in the transaction that stores its changes.
extension Outbox {
    /// Steps the machine of the loop, stores its changes, and performs its effects. If they cannot be stored, the
    /// machine stays as it is, and requests under way continue.
    ///
    /// - Returns: the reason why nothing was stored, if it was not.
    @discardableResult
    func runStep(_ request: StepRequest, in group: inout DiscardingTaskGroup) async -> (any Error)? {
        let known = state.withLock { state in
            state.loop.map { (machine: $0.machine, version: $0.version, awaited: Set(state.completionHandlers.keys)) }
        }
        guard let known else { return OutboxError.stopped }
        let stored: StoredStep
        do {
            stored = try await storeStep(of: request, by: known.machine, since: known.version)
        } catch {
            if !(error is OutboxError || error is CancellationError) {
                store.host.logger.error("a step of the outbox was not stored", metadata: ["error": "\(error)"])
                if request.pausesOnFailure {
                    stepWithoutStoring([.storageFailed] + request.events, at: clockReading(), in: &group)
                }
            }
            return error
        }
        adopt(stored)
        if stored.hasTableChanged { notifyCompletion(among: known.awaited, in: &group) }
        for effect in stored.effects { perform(effect, request.accepted, in: &group) }
        for answer in stored.unloaded { addTask(to: &group) { await self.load(answer) } }
        return nil
    }

    /// As ``runStep(_:in:)``, with a machine that is made for it. It knows of no network, so that it begins nothing, and
    /// its only effects are reports of events.
    ///
    /// - Parameter isOwner: whether entries in state `sending` were abandoned; otherwise they are another outbox's.
    func runStandaloneStep(_ request: StepRequest, isOwner: Bool) async throws {
        var machine = DeliveryMachine(policy: policy, authentication: authentication, seed: 0)
        machine.isOwner = isOwner
        let stored = try await storeStep(of: request, by: machine, since: nil)
        for case .report(let event) in stored.effects { report(event) }
    }

    /// Steps the machine by events that need no storing; during a storage pause they lead to no changes.
    func stepWithoutStoring(_ events: [DeliveryEvent], at reading: ClockReading, in group: inout DiscardingTaskGroup) {
        let key = store.host.makeID()
        for event in events.compactMap(\.fact) {
            let step = state.withLock { $0.loop?.machine.step(event, at: reading, freshKey: key) }
            for effect in step?.effects ?? [] { perform(effect, in: &group) }
        }
    }

    private func storeStep(
        of request: StepRequest, by machine: DeliveryMachine, since version: OutboxVersion?
    ) async throws -> StoredStep {
        let (reading, key) = (clockReading(), store.host.makeID())
        let (server, loading) = (configuration.base.origin, configuration.loading)
        func stored(since version: OutboxVersion?) async throws -> StoredStep {
            // The body does not capture the outbox: the writer's thread may be the last to hold what it captures.
            try await store.write { transaction in
                let changes = try transaction.tableChanges(since: version, server: server, at: reading)
                return try transaction.store(
                    request, of: machine, seeing: changes, loading, server, at: reading, freshKey: key)
            }
        }
        do {
            return try await stored(since: version)
        } catch let error where version != nil && error.isAboutRecord {
            // An entry was damaged since it was read: the step is repeated with all entries that can be read.
            return try await stored(since: nil)
        }
    }

    private func adopt(_ stored: StoredStep) {
        if stored.damaged > 0 {
            let metadata: Logger.Metadata = ["entries": "\(stored.damaged)"]
            store.host.logger.error("the outbox contains damaged entries: verify the store", metadata: metadata)
        }
        state.withLock { state in
            state.loop?.machine = stored.machine
            state.loop?.version = stored.version
            // A sign-in since then is posted already.
            guard stored.isSignedOut, state.unhandledAuthenticationChanges == 0 else { return }
            state.authentication = .signedOut
            state.authenticationChanges += 1
            authenticationBroadcast.set(.signedOut)
        }
    }
}

extension Transaction {
    /// Returns the changes of the table since a version; with the server's wait, where that is nil.
    fileprivate borrowing func tableChanges(
        since version: OutboxVersion?, server: String, at reading: ClockReading
    ) throws -> (table: TableChanges, damaged: Int) {
        let found = try outboxUpdate(since: version)
        let wait = try version == nil ? serverWait(of: server, at: reading.now) : nil
        let table = TableChanges(
            found.entries.map { LaneEntry($0) }, changed: found.changed,
            serverWait: wait.map { .milliseconds($0.remaining(at: reading.now)) })
        return (table, found.damaged)
    }

    /// Has a machine read the table and handle an event, and stores its changes.
    fileprivate mutating func store(
        _ request: StepRequest, of before: DeliveryMachine, seeing changes: (table: TableChanges, damaged: Int),
        _ loading: ResponseLoading, _ server: String, at reading: ClockReading, freshKey key: UUIDBytes
    ) throws -> StoredStep {
        var machine = before
        machine.applyTableChanges(changes.table, at: reading)
        if let refusal = request.refusal(machine) { throw refusal }
        var step = machine.step(request.events, at: reading, freshKey: key)
        // Where the session cannot be read nothing begins, and the event is stored all the same.
        let isSignedIn = step.isSending ? try? isSignedIn(machine.authentication.account) : true
        if isSignedIn != true {
            let authentication = machine.authentication
            machine = before
            machine.applyTableChanges(changes.table, at: reading)
            step = machine.step(request.events, signedOutAt: reading, freshKey: key)
            // A session that cannot be read signs no account out: the next event checks again.
            if isSignedIn == nil { machine.setAuthentication(authentication) }
        }
        try request.commitHook?(&self)
        try apply(step.serverWait, of: server, at: reading.now)
        let unloaded = try apply(step.changes, answers: request.accepted, at: reading.now, loading: loading)
        return StoredStep(
            machine: machine, version: outboxVersion, effects: step.effects, unloaded: unloaded,
            hasTableChanged: changes.table.changed != [], damaged: changes.damaged, isSignedOut: isSignedIn == false)
    }
}

extension DeliveryStep {
    /// Whether it begins to send anything.
    fileprivate var isSending: Bool {
        effects.contains { if case .send = $0 { true } else { false } }
    }
}

extension DeliveryEvent {
    /// The part of it that is true even if nothing can be stored; nil for none.
    fileprivate var fact: DeliveryEvent? {
        switch self {
        case .network, .foreground, .session, .signInFailed, .unauthorized, .storageFailed, .stop, .throttled: self
        case .tryEnded(_, .whole(.head(let head))) where head.isThrottling: .throttled(after: head.retryAfter)
        case .tableChanged, .timer, .tryEnded, .revive, .reviveAll, .discard, .decide, .remoteUnknown: nil
        }
    }
}

extension Error {
    /// Whether it may be about one record, which is not read again when all readable records are.
    var isAboutRecord: Bool {
        switch self as? StoreError {
        case .damaged, .unknownEntry: true
        default: false
        }
    }
}
