package import LarderFormat
package import LarderStore
internal import LarderTransport

/// The table is not as the machine thinks: somebody else has acted.
package struct OutOfStep: Error, Equatable {
    /// The entry whose delivery is another.
    package var id: UUIDBytes
}

/// The account that is to send was signed out, by another process that has the store open.
struct SignedOutElsewhere: Error {}

extension Transaction {
    /// As ``checkSignedIn(as:)``, for what a step begins to send: another process may have signed the account out since this one was told
    /// of it.
    ///
    /// - Throws: ``SignedOutElsewhere``; what the store throws.
    borrowing func checkSignedIn(toBegin step: DeliveryStep, as account: String?) throws {
        guard step.effects.contains(where: { if case .send = $0 { true } else { false } }) else { return }
        do {
            try checkSignedIn(as: account)
        } catch is OutboxError {
            throw SignedOutElsewhere()
        }
    }

    /// Stores the changes of one step; all of them, or none.
    ///
    /// - Parameters:
    ///   - answers: by entry, for those accepted.
    ///   - now: milliseconds since 1970-01-01 UTC.
    ///   - loading: what of an answer becomes a row.
    /// - Returns: the accepted writes whose answers are to be loaded and brought nothing to load.
    /// - Throws: ``OutOfStep``; what the store throws.
    @discardableResult
    package mutating func apply(
        _ changes: [DeliveryChange], answers: [UUIDBytes: AcceptedAnswer], at now: Int64,
        loading: AnswerLoading = .json
    ) throws -> [UnloadedAnswer] {
        var unloaded: [UnloadedAnswer] = []
        for change in changes {
            switch change {
            case .update(let id, let old, let new):
                // Only the delivery is looked at: an entry that cannot be read is put aside like any other.
                guard try update(id, from: old, to: new) else { throw OutOfStep(id: id) }
            case .accept(let id, _):
                let stored = try stored(change)
                let isLoaded = try load(answers[id], of: stored, loading, at: now)
                try accept(id, sequence: answers[id]?.sequence, at: now)
                let head = answers[id]?.head
                if !isLoaded, let answer = try unloadedAnswer(of: stored, head) { unloaded.append(answer) }
            case .reject(let id, let old, let reason):
                _ = try stored(change)
                var delivery = old
                delivery.lastError = reason.description
                if case .status(let status) = reason { delivery.lastStatus = status }
                if case .conflict(let status) = reason { delivery.lastStatus = status }
                try reject(id, delivery, detail: reason.description, at: now)
            case .remove(let id, _, let outcome, let reason):
                _ = try stored(change)
                try acknowledge(id, outcome: outcome, detail: reason?.description, at: now)
            }
        }
        return unloaded
    }

    /// Stores what a step says of the time that a server is left alone for.
    package mutating func apply(_ change: ServerWaitChange?, of server: String, at now: Int64) throws {
        switch change {
        case nil: break
        case .note(let wait): try noteServerWait(of: server, milliseconds: wait.milliseconds, at: now)
        case .end: try endServerWait(of: server, at: now)
        }
    }

    /// The entry that is changed, if its delivery is as expected.
    private borrowing func stored(_ change: DeliveryChange) throws -> OutboxEntry {
        guard let entry = try outboxHead(change.id), entry.delivery == change.expected else {
            throw OutOfStep(id: change.id)
        }
        // What it sent is of interest only to what makes its answer a row.
        guard entry.draft.loadsAnswer else { return entry }
        do {
            return try outboxEntry(change.id) ?? entry
        } catch StoreError.damaged {
            return entry
        }
    }
}
