package import LarderFormat
package import LarderStore
internal import LarderTransport

extension Transaction {
    /// Stores the changes of one step; all of them, or none.
    ///
    /// - Parameters:
    ///   - answers: the responses to the accepted entries, by entry.
    ///   - now: milliseconds since 1970-01-01 UTC.
    ///   - loading: extracts a row from a response.
    /// - Returns: the accepted writes that load their responses, and whose responses contained no row.
    /// - Throws: `StoreError.unknownEntry` when an entry differs from the state that the machine has seen;
    ///   `StoreError.damaged`; `EngineError`.
    @discardableResult
    package mutating func apply(
        _ changes: [DeliveryChange], answers: [UUIDBytes: AcceptedResponse], at now: Int64,
        loading: ResponseLoading = .json
    ) throws -> [UnloadedRow] {
        var unloaded: [UnloadedRow] = []
        for change in changes {
            switch change {
            case .update(let id, let old, let new):
                // Only the delivery is compared, so that an entry that cannot be read is parked like any other.
                guard try updateDelivery(of: id, from: old, to: new) else { throw StoreError.unknownEntry(id) }
            case .accept(let id):
                let stored = try stored(id)
                let isLoaded = try load(answers[id], of: stored, loading, at: now)
                try completeEntry(id, sequence: answers[id]?.sequence, at: now)
                if !isLoaded, let answer = try unloadedRow(of: stored, answers[id]) { unloaded.append(answer) }
            case .reject(let id, var delivery, let reason):
                delivery.lastError = reason.description
                if case .status(let status) = reason { delivery.lastStatus = status }
                if case .conflict(let status) = reason { delivery.lastStatus = status }
                try rejectEntry(id, delivery, detail: reason.description, at: now)
            case .remove(let id, let outcome): try removeEntry(id, outcome: outcome, at: now)
            }
        }
        return unloaded
    }

    /// Stores the change that a step makes to the wait of a server.
    ///
    /// - Throws: as `setServerWait(of:milliseconds:at:)`.
    package mutating func apply(_ change: ServerWaitChange?, of server: String, at now: Int64) throws {
        switch change {
        case nil: break
        case .begin(let wait): try setServerWait(of: server, milliseconds: wait.milliseconds, at: now)
        case .end: try clearServerWait(of: server, at: now)
        }
    }

    private borrowing func stored(_ id: UUIDBytes) throws -> OutboxEntry {
        guard let entry = try outboxHead(id) else { throw StoreError.unknownEntry(id) }
        // The content of the write is needed only to make a row of its response.
        guard entry.draft.loadsResponse else { return entry }
        do {
            return try outboxEntry(id) ?? entry
        } catch StoreError.damaged {
            return entry
        }
    }
}
