internal import LarderEngine
package import LarderFormat
internal import Synchronization

/// The times at which responses were last used, kept in memory.
///
/// Content used last is evicted last. A read must not write, so a use is recorded here. Uses are written once an hour,
/// or sooner when there are many; a killed process loses that hour. The uses of resources are bits: ``UseBits``.
package final class UsageLog: Sendable {
    /// A response that was used.
    package struct UsedResponse: Hashable, Sendable {
        /// The place of the response.
        package var place: ResponseAddress
        /// When it was last used, in milliseconds since 1970-01-01 UTC.
        package var time: Int64
    }

    /// The most by which a response's time of last use is behind while the process lives, in milliseconds.
    package static let interval: Int64 = 3_600_000
    /// The number of recorded uses at which they are written without waiting for the hour to end.
    private static let limit = 1024

    private struct State {
        /// The uses since they were last removed, by the numbers of the blobs.
        var uses: [Int64: UsedResponse] = [:]
        var lastRemovedAt: Int64?
    }

    private let state = Mutex(State())

    init(_ file: FileContext) {}

    /// Records that a response was used.
    ///
    /// - Returns: whether it is time to write the uses.
    @discardableResult
    package func addUse(ofResponse blob: Int64, at place: ResponseAddress, now: Int64) -> Bool {
        state.withLock { state in
            state.uses[blob] = UsedResponse(place: place, time: now)
            return Self.isDue(&state, now)
        }
    }

    /// Returns when a response was used since uses were last removed, in milliseconds since 1970-01-01 UTC.
    package func lastUse(ofResponse blob: Int64) -> Int64? {
        state.withLock { $0.uses[blob]?.time }
    }

    /// Whether no use was recorded since uses were last removed.
    package var isEmpty: Bool { state.withLock { $0.uses.isEmpty } }

    /// Removes and returns the recorded uses, by the numbers of the blobs, to write them.
    package func drain(now: Int64) -> [Int64: UsedResponse] {
        state.withLock { state in
            state.lastRemovedAt = now
            defer { state.uses = [:] }
            return state.uses
        }
    }

    private static func isDue(_ state: inout State, _ now: Int64) -> Bool {
        if state.uses.count >= limit { return true }
        guard let last = state.lastRemovedAt else {
            state.lastRemovedAt = now
            return false
        }
        // A clock that was moved back begins a new hour. An overflow at the end of its range only makes the uses due.
        if now < last { state.lastRemovedAt = now }
        return now.subtractingReportingOverflow(last).partialValue >= interval
    }
}

extension UsageLog: CommitParticipant {
    func end(_ store: Store) { store.writeUsageSoon() }
}

extension SharedState {
    /// The uses since usage was last written.
    var usage: UsageLog { part(UsageLog.self) }
}

extension Store {
    /// The times at which responses were last used.
    package var usage: UsageLog { shared.usage }

    /// Schedules a commit that writes the recorded uses, and for which other writes do not wait; returns at once.
    ///
    /// A store that closes completes scheduled work first, so the uses until then are written with it.
    package func writeUsageSoon() {
        if isReadOnly || usage.isEmpty { return }
        do throws(EngineError) {
            try environment.onWriterInBackground { try? self.writeUsage() }
        } catch {
            // The store is closing: an hour of usage is lost. The same is lost where a suspended one closes.
        }
    }

    /// Writes the recorded uses; on the writer thread.
    private func writeUsage() throws {
        let uses = usage.drain(now: host.now())
        if uses.isEmpty { return }
        try shared.transact(durability: .relaxed, isBulk: true) { transaction in
            try transaction.storeUses(uses)
        }
    }
}

extension Transaction {
    /// Writes when responses were last used; skips those that were replaced meanwhile.
    mutating func storeUses(_ uses: [Int64: UsageLog.UsedResponse]) throws {
        for (blob, use) in uses {
            guard let record = try? tables.response(at: use.place, in: engine), record.blob == blob,
                record.lastUsedAt < use.time
            else { continue }
            var changed = record
            changed.lastUsedAt = use.time
            try putResponseRecord(changed, at: use.place)
        }
    }
}
