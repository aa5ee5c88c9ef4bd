internal import Synchronization

/// The runs under way, one per filter, with everyone who waits for them.
final class Flights: Sendable {
    private typealias Waiter = CheckedContinuation<Result<SyncReport, SyncError>, Never>

    private struct Flight {
        var task: Task<Void, Never>?
        var waiters: [Int: Waiter] = [:]
    }

    private struct State {
        var flights: [String: Flight] = [:]
        var nextWaiter = 0
    }

    private let state = Mutex(State())

    /// Waits for the run of `key`, started with `run` unless it is under way.
    func join(
        _ key: String, _ run: @escaping @Sendable () async throws(SyncError) -> SyncReport
    ) async throws(SyncError) -> SyncReport {
        let number = state.withLock { state in
            state.nextWaiter += 1
            return state.nextWaiter
        }
        let outcome = await withTaskCancellationHandler {
            await withCheckedContinuation { (waiter: Waiter) in
                let isFirst = state.withLock { state in
                    defer { state.flights[key, default: Flight()].waiters[number] = waiter }
                    return state.flights[key] == nil
                }
                if isFirst { start(key, run) }
                // A cancellation that came before the wait found nobody to tell.
                if Task.isCancelled { leave(key, number) }
            }
        } onCancel: {
            leave(key, number)
        }
        return try outcome.get()
    }

    private func start(_ key: String, _ run: @escaping @Sendable () async throws(SyncError) -> SyncReport) {
        let task = Task {
            let outcome: Result<SyncReport, SyncError>
            do throws(SyncError) {
                outcome = .success(try await run())
            } catch {
                outcome = .failure(error)
            }
            self.end(key, outcome)
        }
        let isLeft = state.withLock { state in
            guard state.flights[key] != nil else { return false }
            state.flights[key]?.task = task
            return state.flights[key]?.waiters.isEmpty == true
        }
        if isLeft { task.cancel() }
    }

    private func end(_ key: String, _ outcome: Result<SyncReport, SyncError>) {
        let waiters = state.withLock { state in
            state.flights.removeValue(forKey: key).map { Array($0.waiters.values) } ?? []
        }
        for waiter in waiters { waiter.resume(returning: outcome) }
    }

    private func leave(_ key: String, _ number: Int) {
        let (waiter, task) = state.withLock { state -> (Waiter?, Task<Void, Never>?) in
            guard let waiter = state.flights[key]?.waiters.removeValue(forKey: number) else { return (nil, nil) }
            let isLast = state.flights[key]?.waiters.isEmpty == true
            return (waiter, isLast ? state.flights[key]?.task : nil)
        }
        task?.cancel()
        waiter?.resume(returning: .failure(.cancelled))
    }
}
