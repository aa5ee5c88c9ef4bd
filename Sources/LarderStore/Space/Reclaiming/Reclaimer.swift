internal import LarderEngine
internal import LarderFormat
internal import Logging
internal import Synchronization

/// Removes garbage behind the callers' backs, in short commits that let other writes go first.
///
/// When a commit fails, as on a full disk, everything that waits is kept and tried again after the next commit that
/// succeeds. Only what cannot be removed because it is damaged is left to the next open.
final class Reclaimer: SharedPart {
    private struct State {
        var generations: [Int64] = []
        var blobs: [Int64] = []
        /// Blobs whose writers gave up.
        var discarded: [Int64] = []
        /// Secondary indexes that were given up.
        var indexes: [Int64] = []
        var isRunning = false
        /// The failure that was logged last, until a commit succeeds.
        var failure: String?

        var isDone: Bool { generations.isEmpty && blobs.isEmpty && discarded.isEmpty && indexes.isEmpty }
    }

    private let host: HostServices
    private let state = Mutex(State())

    init(_ file: OpenFile) { host = file.host }

    /// Has removed what garbage generations hold, the chunks of garbage blobs that nobody holds, and the entries of indexes
    /// that were given up.
    func add(_ generations: [Int64], blobs: [Int64] = [], indexes: [Int64] = [], in shared: SharedState) {
        if generations.isEmpty && blobs.isEmpty && indexes.isEmpty { return }
        wake(shared) { state in
            state.generations += generations
            state.blobs += blobs
            state.indexes += indexes
        }
    }

    /// What waits to be removed.
    var waiting: Room.Garbage {
        state.withLock { state in
            Room.Garbage(
                generations: state.generations, blobs: state.blobs, discarded: state.discarded,
                indexes: state.indexes)
        }
    }

    /// Makes a blob garbage if it is still being written, and has it removed.
    func discard(_ blob: Int64, in shared: SharedState) {
        wake(shared) { $0.discarded.append(blob) }
    }

    /// Tries again what a failed commit has left; to be called after a commit that succeeded.
    func retry(in shared: SharedState) { wake(shared) { _ in } }

    private func wake(_ shared: SharedState, _ add: (inout State) -> Void) {
        let isIdle = state.withLock { state in
            add(&state)
            if state.isRunning || state.isDone { return false }
            state.isRunning = true
            return true
        }
        if isIdle { schedule(in: shared) }
    }

    private func schedule(in shared: SharedState) {
        do throws(EngineError) {
            try shared.environment.onWriter(isBulk: true) { self.step(in: shared) }
        } catch {
            // The store is closing, or was stopped; the next open goes on.
            state.withLock { $0.isRunning = false }
            host.logger.debug("garbage is left to the next open", metadata: ["error": "\(error)"])
        }
    }

    /// One batch; on the writer thread.
    private func step(in shared: SharedState) {
        let now = state.withLock { $0 }
        let outcome =
            if !now.discarded.isEmpty {
                discardSome(now.discarded, shared)
            } else if !now.blobs.isEmpty {
                reclaimSome(now.blobs, shared)
            } else if let generation = now.generations.first {
                reclaimSome(of: generation, shared)
            } else if let index = now.indexes.first {
                reclaimSome(ofIndex: index, shared)
            } else {
                Outcome.done
            }
        let goesOn = state.withLock { state in
            // What failed is tried again after another commit: trying at once would keep the writer busy for nothing.
            state.isRunning = outcome != .failed && !state.isDone
            return state.isRunning
        }
        if goesOn { schedule(in: shared) }
    }

    private func reclaimSome(of generation: Int64, _ shared: SharedState) -> Outcome {
        let (isMore, outcome) = commit(shared) { transaction in
            try transaction.reclaimSome(of: generation, isTimeUp: shared.deadline())
        }
        if outcome != .failed, isMore != true { state.withLock { _ = $0.generations.removeFirst() } }
        return outcome
    }

    private func reclaimSome(ofIndex index: Int64, _ shared: SharedState) -> Outcome {
        let (isMore, outcome) = commit(shared) { transaction in
            try transaction.reclaimSome(ofIndex: index, isTimeUp: shared.deadline())
        }
        if outcome != .failed, isMore != true { state.withLock { _ = $0.indexes.removeFirst() } }
        return outcome
    }

    /// Makes what is still staging garbage; what was committed meanwhile stays.
    private func discardSome(_ blobs: [Int64], _ shared: SharedState) -> Outcome {
        let (garbage, outcome) = commit(shared) { transaction in
            try blobs.filter { blob in
                try transaction.discardStagedBlob(blob)
                return try transaction.isGarbage(blob)
            }
        }
        if outcome == .failed { return outcome }
        state.withLock { state in
            state.discarded.removeFirst(blobs.count)
            state.blobs += garbage ?? []
        }
        return outcome
    }

    /// Removes as many blobs as one batch may, at least a part of one.
    private func reclaimSome(_ blobs: [Int64], _ shared: SharedState) -> Outcome {
        var condemned: [Int64] = []
        let (ended, outcome) = commit(shared) { transaction -> Int in
            let isTimeUp = shared.deadline()
            var bytes: Int64 = 0
            for (position, blob) in blobs.enumerated() {
                if bytes >= BulkLimits.bytes || isTimeUp() { return position }
                // A claim made by an earlier run of this closure still holds.
                if !condemned.contains(blob) {
                    guard shared.leases.condemn(blob) else { continue }
                    condemned.append(blob)
                }
                let limit = Int64(BulkLimits.bytes) - bytes
                let (isMore, removed) = try transaction.reclaimBlob(blob, limit: limit, isTimeUp: isTimeUp)
                if isMore { return position }
                bytes += removed
            }
            return blobs.count
        }
        for blob in condemned { shared.leases.absolve(blob) }
        if outcome != .failed { state.withLock { $0.blobs.removeFirst(ended ?? blobs.count) } }
        return outcome
    }

    /// How a batch ended.
    private enum Outcome {
        /// Committed.
        case done
        /// What is stored is damaged, and trying again would not help: left to the next open.
        case damaged
        /// Not committed; to be tried again.
        case failed
    }

    /// Runs `body` in a commit of its own; nil when it failed.
    private func commit<Result>(
        _ shared: SharedState, _ body: (inout Transaction) throws -> Result
    ) -> (Result?, Outcome) {
        do {
            let result = try shared.meter.measure(isBulk: true) {
                try shared.environment.transact(durability: .relaxed) { (engine: inout WriteTransaction) in
                    try Transaction.run(&engine, shared, body).0
                }
            }
            state.withLock { $0.failure = nil }
            return (result, .done)
        } catch {
            report(error)
            return (nil, Self.isDamage(error) ? .damaged : .failed)
        }
    }

    /// Logs why a commit failed: once as a warning while it fails for the same reason, for each write tries again.
    private func report(_ error: any Error) {
        let failure = "\(error)"
        let isKnown = state.withLock { state in
            defer { state.failure = failure }
            return state.failure == failure
        }
        host.logger.log(
            level: isKnown ? .debug : .warning, "could not reclaim garbage", metadata: ["error": "\(failure)"])
    }

    private static func isDamage(_ error: any Error) -> Bool {
        switch error {
        case StoreError.damaged, EngineError.corrupted: true
        default: false
        }
    }
}

extension Reclaimer: CommitStage {
    func committed(_ effects: CommitEffects, in shared: SharedState) {
        add(effects.garbage, blobs: effects.garbageBlobs, indexes: effects.garbageIndexes, in: shared)
        retry(in: shared)
    }

    func recover(_ store: Store, isAlone: Bool) { store.recover(isAlone: isAlone) }
}

extension Reclaimer: BlobStage {
    func isLeft(_ blob: Int64, in shared: SharedState) { add([], blobs: [blob], in: shared) }

    func isGivenUp(_ blob: Int64, in shared: SharedState) { discard(blob, in: shared) }
}

extension SharedState {
    /// Removes garbage.
    var reclaimer: Reclaimer { part(Reclaimer.self) }
}
