public import LarderFormat
public import LarderStore
internal import LarderTransport
internal import Synchronization

/// What became of an entry in the end.
public enum OutboxResult: Hashable, Sendable {
    /// The server has it.
    case accepted
    /// The server refused it, or what it came after; why, in one line.
    case rejected(String)
    /// It was given up, under this word: `dropped`, `cancelled`, `superseded` and the like.
    case removed(String)
}

extension Outbox {
    /// Waits for what becomes of an entry in the end; also when the outbox does not run, for as long as it takes.
    ///
    /// A failed entry has no outcome yet. One that is sent with another body because of a conflict has that one's; one whose
    /// conflict was settled for the server is removed as `resolved`. Cancelling ends the wait.
    ///
    /// - Throws: ``OutboxError/unknownEntry(_:)`` when there is none and the journal does not know it (any more);
    ///   `CancellationError`; what the store throws.
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
        if outcome.outcome == Settlement.outcome, let conflict = try view.conflicts().last(where: { $0.entryID == id }),
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

    /// Has an entry tried at once, and revives it if it has failed. Its attempts begin anew then; its key stays.
    ///
    /// - Throws: ``OutboxError/unknownEntry(_:)``; ``OutboxError/notApplicable(_:_:)`` for one that was rejected: see
    ///   ``retryRejected(_:effects:)``; what the store throws.
    public func retry(_ id: UUIDBytes) async throws {
        guard let delivery = try store.read({ view in try view.outboxDelivery(id) }) else {
            throw OutboxError.unknownEntry(id)
        }
        if delivery.state == .rejected { throw OutboxError.notApplicable(id, .rejected) }
        try await perform(.revive(id)) { _ in nil }
    }

    /// Has everything tried at once that waits or has failed.
    ///
    /// - Throws: what the store throws.
    public func retryAll() async throws { try await perform(.reviveAll) { _ in nil } }

    /// Sends a rejected write again, as an entry of its own with its own key, in the place of the old one.
    ///
    /// - Parameter effects: what readers see until the server has it; nil: what they saw of the old one before it was rejected, up to
    ///   a mebibyte.
    /// - Returns: the identity of the new entry.
    /// - Throws: ``OutboxError/unknownEntry(_:)``, ``OutboxError/notApplicable(_:_:)`` when it was not rejected,
    ///   ``OutboxError/notSignedIn`` when its account has signed out; what the store throws.
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
        await look()
        return new
    }

    /// Gives an entry up: it is not sent (any more), and what it laid over rows is taken away. What came after it goes with
    /// it. The journal keeps `outcome`. One that is damaged (``damagedEntries()``) is removed as well; it held nothing back.
    ///
    /// - Throws: ``OutboxError/beingSent(_:)``, ``OutboxError/unknownEntry(_:)``; what the store throws.
    public func drop(_ id: UUIDBytes, outcome: String = "dropped") async throws {
        let now = store.host.now()
        let isGone = try await store.write { transaction in
            do {
                guard let entry = try transaction.outboxHead(id) else { throw OutboxError.unknownEntry(id) }
                guard entry.delivery.state == .rejected else { return false }
                try transaction.acknowledge(id, outcome: outcome, at: now)
            } catch StoreError.damaged {
                try transaction.removeDamagedEntry(id, outcome: outcome, at: now)
            }
            return true
        }
        if isGone { return await look() }
        try await perform(.discard(id, outcome: outcome)) { machine in
            guard let entry = machine.entries.first(where: { $0.id == id }) else { return .unknownEntry(id) }
            return entry.delivery.state == .sending ? .beingSent(id) : nil
        }
    }

    /// The entries that cannot be read, as their records are damaged. They are not sent, and hold no other back.
    ///
    /// ```swift
    /// for id in try outbox.damagedEntries() { try await outbox.drop(id) }
    /// ```
    ///
    /// - Throws: what the store throws.
    /// - Complexity: O(entries). Does not block.
    public func damagedEntries() throws -> [UUIDBytes] { try store.read { view in try view.damagedOutboxEntries() } }

    /// Takes back a write that was never tried, with all that was merged into it.
    ///
    /// - Throws: ``OutboxError/alreadyTried(_:)``; otherwise as ``drop(_:outcome:)``.
    public func cancel(_ id: UUIDBytes) async throws {
        try await perform(.discard(id, outcome: "cancelled")) { machine in
            guard let entry = machine.entries.first(where: { $0.id == id }) else { return .unknownEntry(id) }
            return entry.delivery.tries > 0 ? .alreadyTried(id) : nil
        }
    }

    /// Says what is to become of an entry of which nobody can tell whether the server has it.
    ///
    /// - Throws: ``OutboxError/unknownEntry(_:)``, ``OutboxError/notApplicable(_:_:)`` when it is not unresolved; what the
    ///   store throws.
    public func decide(_ id: UUIDBytes, _ decision: Decision) async throws {
        try await perform(.decide(id, decision)) { machine in
            guard let entry = machine.entries.first(where: { $0.id == id }) else { return .unknownEntry(id) }
            return entry.delivery.state == .unresolved ? nil : .notApplicable(id, entry.delivery.state)
        }
    }

    /// Has the machine that runs see what was changed beside it, so that the status says so when a command returns.
    func look() async {
        _ = await withCheckedContinuation { answer in
            if !post(.command(OutboxCommand(act: OutboxAct(.look), answer: answer))) {
                answer.resume(returning: .failure(OutboxError.stopped))
            }
        }
        publish()
    }

    /// Has the machine take an event, and waits until what it changes is stored: the one that runs, or one made for it.
    func perform(
        _ event: DeliveryEvent, along: Alongside? = nil,
        _ refusal: @escaping @Sendable (DeliveryMachine) -> OutboxError?
    ) async throws {
        var act = OutboxAct(event)
        (act.along, act.refusal) = (along, refusal)
        let command = act
        let answer = await withCheckedContinuation { answer in
            if !post(.command(OutboxCommand(act: command, answer: answer))) {
                answer.resume(returning: .failure(OutboxError.stopped))
            }
        }
        do {
            try answer.get()
        } catch OutboxError.stopped where state.withLock({ $0.loop == nil }) {
            // While another outbox sends, what is being sent is its: nothing was given up.
            let isOwner = try claim(commands: 1)
            defer { if isOwner { endCommand() } }
            try await takeAlone(command, isOwner: isOwner)
            publish()
        }
    }
}
