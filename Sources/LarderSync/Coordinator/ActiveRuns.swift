internal import LarderStore
internal import Synchronization

/// The runs under way, one per filter, with their callers.
final class ActiveRuns: Sendable {
    typealias Run = @Sendable () async throws(SyncError) -> SyncReport
    private typealias Outcome = DeferredValue<Result<SyncReport, SyncError>>

    private struct ActiveRun {
        let outcome: Outcome
        let task: Task<Void, Never>
        /// The number of callers that wait for it. Without any it is ending, and a new caller waits for the next one.
        var callers = 1
    }

    private let runs = Mutex<[String: ActiveRun]>([:])

    /// Waits for the run of `key`, started with `run` unless it is under way.
    func join(_ key: String, _ run: @escaping Run) async throws(SyncError) -> SyncReport {
        while !Task.isCancelled {
            let (outcome, isJoined) = joinOrStart(key, run)
            let ended = await outcome.value()
            if isJoined, let ended { return try ended.get() }
            if isJoined { removeCaller(key, outcome) }
        }
        throw .cancelled
    }

    /// Returns the outcome of the run under way or of a new one, and whether the caller has joined it.
    private func joinOrStart(_ key: String, _ run: @escaping Run) -> (Outcome, isJoined: Bool) {
        runs.withLock { runs in
            if let active = runs[key] {
                if active.callers > 0 { runs[key]?.callers += 1 }
                return (active.outcome, active.callers > 0)
            }
            let outcome = Outcome()
            let task = Task {
                let result: Result<SyncReport, SyncError>
                do throws(SyncError) {
                    result = .success(try await run())
                } catch {
                    result = .failure(error)
                }
                self.runs.withLock { $0[key] = nil }
                outcome.fulfil(result)
            }
            runs[key] = ActiveRun(outcome: outcome, task: task)
            return (outcome, true)
        }
    }

    private func removeCaller(_ key: String, _ outcome: Outcome) {
        let abandoned = runs.withLock { runs -> Task<Void, Never>? in
            guard let active = runs[key], active.outcome === outcome else { return nil }
            runs[key]?.callers -= 1
            return active.callers == 1 ? active.task : nil
        }
        abandoned?.cancel()
    }
}
