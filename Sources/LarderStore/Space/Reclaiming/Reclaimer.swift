internal import LarderEngine
internal import LarderFormat
internal import Logging
internal import Synchronization

/// A worker that removes the ranges in `garbage` in the background, in short commits that let other writes go first.
///
/// The ranges are recorded in the store alone. Each round begins with what processes were writing that have died. A
/// commit that fails, as on a full disk, is tried again after the next one that succeeds. A damaged range stays in
/// `garbage` and is skipped until the store is opened again.
final class Reclaimer: SharedPart {
    private struct State {
        /// Whether there may be ranges to remove that were not checked.
        var isWanted = false
        var isRunning = false
        /// The key at which the next step begins.
        var place = GarbageKey.removable
        /// The failure that was logged last, until a commit succeeds.
        var failure: String?
        /// Ranges that could not be removed, because a page or a record of theirs is damaged.
        var damaged: Set<GarbageKey> = []
        /// Whether the transaction under way has found a damaged range that was not known.
        var hasFoundDamage = false
    }

    private let host: HostServices
    private let state = Mutex(State())

    init(_ file: FileContext) { host = file.host }

    /// Whether something may wait to be removed.
    var isWanted: Bool { state.withLock { $0.isWanted || $0.isRunning } }

    /// Starts the removal of garbage that the last commit has not made: found by an open, or no longer held.
    func start(in shared: SharedState) { startIfNeeded(hasMore: true, in: shared) }

    /// Starts the removal of garbage unless it is running; called after a commit that succeeded, with whether it made
    /// more.
    func startIfNeeded(hasMore: Bool, in shared: SharedState) {
        let isIdle = state.withLock { state in
            if hasMore { state.isWanted = true }
            if state.isRunning || !state.isWanted { return false }
            state.isRunning = true
            return true
        }
        if isIdle { schedule(in: shared) }
    }

    private func schedule(in shared: SharedState) {
        do throws(EngineError) {
            try shared.environment.onWriterInBackground { self.step(in: shared) }
        } catch {
            // The store is closing, or was stopped; the next open continues.
            state.withLock { $0.isRunning = false }
            host.logger.debug("garbage is left to the next open", metadata: ["error": "\(error)"])
        }
    }

    /// Runs one batch; called on the writer thread.
    private func step(in shared: SharedState) {
        let start = state.withLock { state in
            // Garbage made while a round is under way may be before its place: another round is due then.
            if state.place == GarbageKey.removable { state.isWanted = false }
            return state.place
        }
        var place = start
        do {
            try discardAbandoned(in: shared)
            if start == GarbageKey.removable { try shared.discardRemains() }
            let isMore = try shared.transact(durability: .relaxed, isBulk: true) { transaction in
                place = start
                return try transaction.reclaimSome(
                    from: &place, isTimeUp: shared.deadline())
            }
            let shouldContinue = state.withLock { [place] state in
                state.failure = nil
                state.place = isMore ? place : GarbageKey.removable
                state.isRunning = isMore || state.isWanted
                return state.isRunning
            }
            if shouldContinue { schedule(in: shared) }
        } catch {
            logFailure(error)
            // Another try at once would keep the writer busy for nothing.
            state.withLock { state in
                state.place = GarbageKey.removable
                state.isWanted = true
                state.isRunning = false
            }
        }
    }

    /// Discards the blobs and snapshots that their writers have abandoned.
    private func discardAbandoned(in shared: SharedState) throws {
        let (blobs, snapshots) = (shared.leases.abandoned, shared.stagingTurn.abandoned)
        if blobs.isEmpty, snapshots.isEmpty { return }
        try shared.transact(durability: .relaxed, isBulk: true) { transaction in
            for blob in blobs { try transaction.discardStagedBlob(blob) }
            for snapshot in snapshots { try transaction.discard(snapshot) }
        }
        shared.leases.removeAbandoned(blobs.count)
        shared.stagingTurn.removeAbandoned(snapshots.count)
    }

    /// Logs the reason that a commit failed: as a warning once while the reason stays the same, for each write tries
    /// again.
    private func logFailure(_ error: any Error) {
        let failure = "\(error)"
        let isKnown = state.withLock { state in
            defer { state.failure = failure }
            return state.failure == failure
        }
        host.logger.log(
            level: isKnown ? .debug : .warning, "could not reclaim garbage", metadata: ["error": "\(failure)"])
    }

    /// Whether a range is skipped.
    func isDamaged(_ key: GarbageKey) -> Bool { state.withLock { $0.damaged.contains(key) } }

    /// Records that a range could not be removed, if the reason is damage.
    func handleFailure(_ error: any Error, removing key: GarbageKey) {
        switch error {
        case StoreError.damaged, EngineError.corrupted: break
        default: return
        }
        state.withLock { state in
            state.damaged.insert(key)
            state.hasFoundDamage = true
        }
        host.logger.warning(
            "a damaged range of garbage is skipped", metadata: ["range": "\(key)", "error": "\(error)"])
    }
}

extension Reclaimer: CommitParticipant {
    /// Damage may have spoiled all of the transaction that met it; run again, that skips the range.
    func canRunAgain() -> Bool {
        state.withLock { state in
            defer { state.hasFoundDamage = false }
            return state.hasFoundDamage
        }
    }

    func didCommit(_ effects: CommitEffects, in shared: SharedState) {
        startIfNeeded(hasMore: effects.hasGarbage || !shared.stagingTurn.abandoned.isEmpty, in: shared)
    }

    func recover(_ store: Store, from look: OpeningState) { store.recover(from: look) }
}

extension Reclaimer: BlobDiscardHandler {
    func removeDiscardedBlobs(in shared: SharedState) { start(in: shared) }
}

extension SharedState {
    /// The worker that removes garbage.
    var reclaimer: Reclaimer { part(Reclaimer.self) }
}
