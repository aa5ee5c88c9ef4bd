public import LarderFormat
public import LarderStore
internal import LarderTransport
internal import Synchronization

/// The final outcome of an entry.
///
/// ```swift
/// switch try await outbox.outcome(of: queued.id) {
/// case .accepted: print("the server has it")
/// case .rejected(let reason): print("refused, and its effect is undone:", reason)
/// case .removed(let word): print("discarded:", word)  // such as: cancelled
/// }
/// ```
public enum OutboxResult: Hashable, Sendable {
    /// The server has it.
    case accepted
    /// The server refused it, or an entry that it came after; the reason, in one line.
    case rejected(String)
    /// It was discarded, under this word: `dropped`, `cancelled`, `superseded` and the like.
    case removed(String)
}

extension Outbox {
    /// Waits for the final outcome of an entry, without a time limit, also when the outbox does not run.
    ///
    /// A failed entry has no outcome yet. An entry that was replaced to resolve a conflict has the outcome of its
    /// successor; one whose conflict was resolved for the server is removed as `resolved`. Cancelling ends the wait.
    ///
    /// - Throws: ``OutboxError/unknownEntry(_:)`` when neither the outbox nor the journal knows it (any more);
    ///   `CancellationError`; `StoreError`, `EngineError`.
    public func outcome(of id: UUIDBytes) async throws -> OutboxResult {
        for try await result in store.values(in: .outbox, { view in try Self.result(of: id, view) }) {
            if let result { return result }
        }
        throw CancellationError()
    }

    private static func result(of id: UUIDBytes, _ view: borrowing ReadView) throws -> OutboxResult? {
        if let entry = try view.outboxHead(id) {
            return entry.delivery.state == .rejected ? .rejected(entry.delivery.lastError ?? "") : nil
        }
        guard let outcome = try view.outboxOutcomes().last(where: { $0.id == id }) else {
            throw OutboxError.unknownEntry(id)
        }
        if outcome.outcome == PreparedResolution.outcome,
            let conflict = try view.conflicts().last(where: { $0.entryID == id }),
            let successor = conflict.successor
        {
            return try result(of: successor, view)
        }
        return switch outcome.outcome {
        case "accepted": .accepted
        case "rejected": .rejected(outcome.detail ?? "")
        default: .removed(outcome.outcome)
        }
    }

    /// Tries an entry at once, and revives it if it has failed: its attempts begin anew, and its key stays. An entry in
    /// conflict is sent again as it is.
    ///
    /// - Throws: ``OutboxError/unknownEntry(_:)``; ``OutboxError/notApplicable(_:_:)`` for one that was rejected: see
    ///   ``retryRejected(_:effects:)``; as `Store.write(durability:_:)`.
    public func retry(_ id: UUIDBytes) async throws {
        guard let delivery = try store.read({ view in try view.outboxDelivery(id) }) else {
            throw OutboxError.unknownEntry(id)
        }
        if delivery.state == .rejected { throw OutboxError.notApplicable(id, .rejected) }
        try await perform(.revive(id)) { _ in nil }
    }

    /// Tries every entry at once that waits, has failed or is in conflict, and ends a wait that the server requested.
    ///
    /// - Throws: as `Store.write(durability:_:)`.
    public func retryAll() async throws { try await perform(.reviveAll) { _ in nil } }

    /// Sends a rejected write again, as an entry of its own with its own key, in the place of the old one.
    ///
    /// - Parameters:
    ///   - id: the rejected entry.
    ///   - effects: the changes that readers see until the server has it; nil: those of the old one before it was
    ///     rejected, up to a mebibyte.
    /// - Returns: the identity of the new entry.
    /// - Throws: ``OutboxError/unknownEntry(_:)``; ``OutboxError/notApplicable(_:_:)`` when it was not rejected;
    ///   ``OutboxError/notSignedIn`` when its account has signed out; as `Store.write(durability:_:)`.
    public func retryRejected(_ id: UUIDBytes, effects: [RowEffect]? = nil) async throws -> UUIDBytes {
        let (new, now) = (store.host.makeID(), store.host.now())
        try await store.write { transaction in
            guard let old = try transaction.outboxEntry(id) else { throw OutboxError.unknownEntry(id) }
            guard old.delivery.state == .rejected else { throw OutboxError.notApplicable(id, old.delivery.state) }
            try transaction.checkSignedIn(as: old.draft.account)
            var draft = old.draft
            draft.id = new
            draft.createdAt = now
            try transaction.replaceEntry(id, with: draft, effects: effects, outcome: "superseded", at: now)
        }
        await rereadTable()
        return new
    }

    /// Discards an entry: it is not sent (any more), and its overlays are removed. Entries that come after it are
    /// rejected. The journal keeps `outcome`. A damaged entry (``damagedEntries()``) is removed as well; it held none
    /// back.
    ///
    /// - Throws: ``OutboxError/beingSent(_:)`` during a send; ``OutboxError/unknownEntry(_:)``; as
    ///   `Store.write(durability:_:)`.
    public func drop(_ id: UUIDBytes, outcome: String = "dropped") async throws {
        let now = store.host.now()
        let isRemoved = try await store.write { transaction in
            do {
                guard let entry = try transaction.outboxHead(id) else { throw OutboxError.unknownEntry(id) }
                guard entry.delivery.state == .rejected else { return false }
                try transaction.removeEntry(id, outcome: outcome, at: now)
            } catch StoreError.damaged {
                try transaction.removeDamagedEntry(id, outcome: outcome, at: now)
            }
            return true
        }
        if isRemoved { return await rereadTable() }
        try await perform(.discard(id, outcome: outcome)) { machine in
            guard let entry = machine.entries.first(where: { $0.id == id }) else { return .unknownEntry(id) }
            return entry.delivery.state == .sending ? .beingSent(id) : nil
        }
    }

    /// Returns the entries with damaged records. They are not sent, and hold no other back.
    ///
    /// ```swift
    /// for id in try outbox.damagedEntries() { try await outbox.drop(id) }
    /// ```
    ///
    /// - Throws: `StoreError`, `EngineError`.
    /// - Complexity: O(entries). Does not block.
    public func damagedEntries() throws -> [UUIDBytes] { try store.read { view in try view.damagedOutboxEntries() } }

    /// Discards a write that was never tried, with all that was merged into it.
    ///
    /// - Throws: ``OutboxError/alreadyTried(_:)`` when a send of it was begun; otherwise as ``drop(_:outcome:)``.
    public func cancel(_ id: UUIDBytes) async throws {
        try await perform(.discard(id, outcome: "cancelled")) { machine in
            guard let entry = machine.entries.first(where: { $0.id == id }) else { return .unknownEntry(id) }
            return entry.delivery.tries > 0 ? .alreadyTried(id) : nil
        }
    }

    /// Applies the host's decision on an entry for which it is unknown whether the server has it.
    ///
    /// - Throws: ``OutboxError/unknownEntry(_:)``; ``OutboxError/notApplicable(_:_:)`` when it is not unresolved; as
    ///   `Store.write(durability:_:)`.
    public func decide(_ id: UUIDBytes, _ decision: Decision) async throws {
        try await perform(.decide(id, decision)) { machine in
            guard let entry = machine.entries.first(where: { $0.id == id }) else { return .unknownEntry(id) }
            return entry.delivery.state == .unresolved ? nil : .notApplicable(id, entry.delivery.state)
        }
    }

    /// Has the running machine read changes made outside of it, so that the status shows them when a command returns.
    func rereadTable() async {
        _ = await withCheckedContinuation { answer in
            if !post(.command(OutboxCommand(request: StepRequest(.tableChanged), continuation: answer))) {
                answer.resume(returning: .failure(OutboxError.stopped))
            }
        }
        publish()
    }

    /// Has the machine handle an event, and waits until its changes are stored: the one that runs, or one made for it.
    func perform(
        _ event: DeliveryEvent, commitHook: CommitHook? = nil,
        _ refusal: @escaping @Sendable (DeliveryMachine) -> OutboxError?
    ) async throws {
        var request = StepRequest(event)
        (request.commitHook, request.refusal) = (commitHook, refusal)
        let command = request
        let answer = await withCheckedContinuation { answer in
            if !post(.command(OutboxCommand(request: command, continuation: answer))) {
                answer.resume(returning: .failure(OutboxError.stopped))
            }
        }
        do {
            try answer.get()
        } catch OutboxError.stopped where state.withLock({ $0.loop == nil }) {
            // While another outbox sends, entries in state `sending` are its own and were not abandoned.
            let isOwner = try tryAcquireOwnership(commands: 1)
            defer { if isOwner { endCommand() } }
            try await runStandaloneStep(command, isOwner: isOwner)
            publish()
        }
    }
}
