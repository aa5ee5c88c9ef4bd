internal import LarderEngine
package import LarderFormat
internal import Synchronization

/// The times at which responses and resources were last used, kept in memory.
///
/// Content used last is evicted last. A read must not write, so a use is recorded here. Uses of responses are written
/// once an hour, or sooner when there are many; a killed process loses that hour. Uses of resources are not written.
package final class UsageNotes: Sendable {
    /// A response that was used.
    package struct UsedResponse: Hashable, Sendable {
        /// The place of the response.
        package var place: ResponsePlace
        /// When it was last used, in milliseconds since 1970-01-01 UTC.
        package var time: Int64
    }

    /// The uses recorded since they were last removed.
    package struct Taken: Sendable {
        /// Responses, by the numbers of their blobs.
        package var responses: [Int64: UsedResponse] = [:]
        /// Resources, with the times of their last uses in milliseconds since 1970-01-01 UTC.
        package var resources: [ResourceKey: Int64] = [:]

        /// Whether nothing was used.
        package var isEmpty: Bool { responses.isEmpty && resources.isEmpty }
    }

    /// The most by which a response's time of last use is behind while the process lives, in milliseconds.
    package static let interval: Int64 = 3_600_000
    /// The number of recorded uses at which they are written without waiting for the hour to end.
    private static let limit = 1024

    private struct State {
        var notes = Taken()
        var lastTaken: Int64?
    }

    private let state = Mutex(State())

    init(_ file: OpenFile) {}

    /// Records that a response was used.
    ///
    /// - Returns: whether it is time to write the uses.
    @discardableResult
    package func noteUse(ofResponse blob: Int64, at place: ResponsePlace, now: Int64) -> Bool {
        state.withLock { state in
            state.notes.responses[blob] = UsedResponse(place: place, time: now)
            return Self.isDue(&state, now)
        }
    }

    /// Records that a resource was used.
    ///
    /// - Returns: whether it is time to write the uses.
    @discardableResult
    package func noteUse(of resource: ResourceKey, now: Int64) -> Bool {
        state.withLock { state in
            state.notes.resources[resource] = now
            return Self.isDue(&state, now)
        }
    }

    /// Returns when a response was used since uses were last removed, in milliseconds since 1970-01-01 UTC.
    package func lastUse(ofResponse blob: Int64) -> Int64? {
        state.withLock { $0.notes.responses[blob]?.time }
    }

    /// Returns when a resource was used since uses were last removed, in milliseconds since 1970-01-01 UTC.
    package func lastUse(of resource: ResourceKey) -> Int64? {
        state.withLock { $0.notes.resources[resource] }
    }

    /// Whether no use was recorded since uses were last removed.
    package var isEmpty: Bool { state.withLock { $0.notes.isEmpty } }

    /// Removes and returns the recorded uses, to write them.
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
        // A clock that was set back begins a new hour. An overflow at the end of its range only makes the uses due.
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
    /// The times at which responses and resources were last used.
    package var usage: UsageNotes { shared.usage }

    /// Schedules a commit that writes the recorded uses, and for which other writes do not wait; returns at once.
    ///
    /// A store that closes completes scheduled work first, so the uses until then are written with it.
    package func writeUsageSoon() {
        if isReadOnly || usage.isEmpty { return }
        do throws(EngineError) {
            try environment.onWriter(isBulk: true) { try? self.writeUsage() }
        } catch {
            // The store is closing: an hour of usage is lost.
        }
    }

    /// Writes the recorded uses; on the writer thread.
    private func writeUsage() throws {
        let taken = usage.take(now: host.now())
        if taken.isEmpty { return }
        try shared.transact(durability: .relaxed, isBulk: true) { transaction in
            try transaction.note(taken)
        }
    }

}

extension Transaction {
    /// Writes when responses were last used; skips those that were replaced meanwhile.
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
