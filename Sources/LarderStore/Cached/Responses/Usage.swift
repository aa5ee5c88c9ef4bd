internal import LarderEngine
package import LarderFormat
internal import Synchronization

/// When responses and resources were last used, kept in memory and written down now and then.
///
/// What was used is evicted last. A read must not write, so a use is noted here, and records learn of it at most once an
/// hour; a killed process forgets that hour.
package final class UsageNotes: Sendable {
    /// A response that was used.
    package struct UsedResponse: Hashable, Sendable {
        /// Where it stands.
        package var place: ResponsePlace
        /// When it was last used, in milliseconds since 1970-01-01 UTC.
        package var time: Int64
    }

    /// What was used since the notes were last taken.
    package struct Taken: Sendable {
        /// Responses, by the numbers of their blobs.
        package var responses: [Int64: UsedResponse] = [:]
        /// Resources, with the times of their last uses in milliseconds since 1970-01-01 UTC.
        package var resources: [ResourceKey: Int64] = [:]

        /// Whether nothing was used.
        package var isEmpty: Bool { responses.isEmpty && resources.isEmpty }
    }

    /// A record's time of last use is this much behind, at most, while the process lives.
    package static let interval: Int64 = 3_600_000
    /// From so many notes on they are written down without waiting for the hour to end.
    private static let limit = 1024

    private struct State {
        var notes = Taken()
        var lastTaken: Int64?
    }

    private let state = Mutex(State())

    init(_ file: OpenFile) {}

    /// Notes that a response was used.
    ///
    /// - Returns: whether it is time to write the notes down.
    @discardableResult
    package func noteUse(ofResponse blob: Int64, at place: ResponsePlace, now: Int64) -> Bool {
        state.withLock { state in
            state.notes.responses[blob] = UsedResponse(place: place, time: now)
            return Self.isDue(&state, now)
        }
    }

    /// Notes that a resource was used.
    ///
    /// - Returns: whether it is time to write the notes down.
    @discardableResult
    package func noteUse(of resource: ResourceKey, now: Int64) -> Bool {
        state.withLock { state in
            state.notes.resources[resource] = now
            return Self.isDue(&state, now)
        }
    }

    /// When a response was used since the notes were last taken, in milliseconds since 1970-01-01 UTC.
    package func lastUse(ofResponse blob: Int64) -> Int64? {
        state.withLock { $0.notes.responses[blob]?.time }
    }

    /// When a resource was used since the notes were last taken, in milliseconds since 1970-01-01 UTC.
    package func lastUse(of resource: ResourceKey) -> Int64? {
        state.withLock { $0.notes.resources[resource] }
    }

    /// Whether nothing was used since the notes were last taken.
    package var isEmpty: Bool { state.withLock { $0.notes.isEmpty } }

    /// Takes the notes to write them down.
    package func take(now: Int64) -> Taken {
        state.withLock { state in
            state.lastTaken = now
            defer { state.notes = Taken() }
            return state.notes
        }
    }

    private static func isDue(_ state: inout State, _ now: Int64) -> Bool {
        if state.notes.responses.count + state.notes.resources.count >= limit { return true }
        guard let last = state.lastTaken else {
            state.lastTaken = now
            return false
        }
        // A clock that was set back begins a new hour; one near the end of its range only makes it due.
        if now < last { state.lastTaken = now }
        return now.subtractingReportingOverflow(last).partialValue >= interval
    }
}

extension UsageNotes: CommitStage {
    func end(_ store: Store) { store.writeUsageSoon() }
}

extension SharedState {
    /// The uses since usage was last written.
    var usage: UsageNotes { part(UsageNotes.self) }
}

extension Store {
    /// When responses and resources were last used.
    package var usage: UsageNotes { shared.usage }

    /// Writes down what was used, in a commit that other writes do not wait for; returns at once.
    ///
    /// A store that closes finishes what waits, so what was used until then is written down with it.
    package func writeUsageSoon() {
        if isReadOnly || usage.isEmpty { return }
        do throws(EngineError) {
            try environment.onWriter(isBulk: true) { try? self.writeUsage() }
        } catch {
            // The store is closing: an hour of usage is forgotten.
        }
    }

    /// Writes down what was used; on the writer thread.
    private func writeUsage() throws {
        let taken = usage.take(now: host.now())
        if taken.isEmpty { return }
        try shared.transact(durability: .relaxed, isBulk: true) { transaction in
            try transaction.note(taken)
        }
    }

}

extension Transaction {
    /// Writes down when responses were last used; those that were replaced meanwhile are passed over.
    mutating func note(_ used: UsageNotes.Taken) throws {
        for (blob, use) in used.responses {
            guard let record = try? tables.response(at: use.place, in: engine), record.blob == blob,
                record.lastUsedAt < use.time
            else { continue }
            var changed = record
            changed.lastUsedAt = use.time
            try putResponseRecord(changed, at: use.place)
        }
    }
}
