internal import Synchronization

/// The runs under way, one per filter, with everyone who waits for them.
final class Flights: Sendable {
    typealias Run = @Sendable () async throws(SyncError) -> SyncReport
    private typealias Waiter = CheckedContinuation<Result<SyncReport, SyncError>, Never>

    private struct Flight {
        var task: Task<Void, Never>?
        var waiters: [Int: Waiter] = [:]
        /// Whether everyone left: the run is ending, and who comes now waits for the next one.
        var isAbandoned = false
        var followers: [Int: Waiter] = [:]
        var next: Run?
    }

    private struct State {
        var flights: [String: Flight] = [:]
        var nextWaiter = 0
    }

    private let state = Mutex(State())

    /// Waits for the run of `key`, started with `run` unless it is under way.
    func join(_ key: String, _ run: @escaping Run) async throws(SyncError) -> SyncReport {
        let number = state.withLock { state in
            state.nextWaiter += 1
            return state.nextWaiter
        }
        let outcome = await withTaskCancellationHandler {
            await withCheckedContinuation { (waiter: Waiter) in
                if enter(key, number, waiter, run) { start(key, run) }
                // A cancellation that came before the wait found nobody to tell.
                if Task.isCancelled { leave(key, number) }
            }
        } onCancel: {
            leave(key, number)
        }
        return try outcome.get()
    }

    /// Notes who waits; true when the run has to be started.
    private func enter(_ key: String, _ number: Int, _ waiter: Waiter, _ run: @escaping Run) -> Bool {
        state.withLock { state in
            guard let flight = state.flights[key] else {
                state.flights[key] = Flight(waiters: [number: waiter])
                return true
            }
            if flight.isAbandoned {
                state.flights[key]?.followers[number] = waiter
                state.flights[key]?.next = run
            } else {
                state.flights[key]?.waiters[number] = waiter
            }
            return false
        }
    }

    /// Starts the run of a flight that has none yet.
    private func start(_ key: String, _ run: @escaping Run) {
        let (starts, started) = AsyncStream<Void>.makeStream()
        let task = Task {
            // The flight knows its task before the run can end.
            for await _ in starts { break }
            let outcome: Result<SyncReport, SyncError>
            do throws(SyncError) {
                outcome = .success(try await run())
            } catch {
                outcome = .failure(error)
            }
            self.end(key, outcome)
        }
        let isAbandoned = state.withLock { state in
            state.flights[key]?.task = task
            return state.flights[key]?.isAbandoned == true
        }
        if isAbandoned { task.cancel() }
        started.finish()
    }

    private func end(_ key: String, _ outcome: Result<SyncReport, SyncError>) {
        let (waiters, next) = state.withLock { state -> ([Waiter], Run?) in
            let flight = state.flights.removeValue(forKey: key)
            let followers = flight?.followers ?? [:]
            if !followers.isEmpty { state.flights[key] = Flight(waiters: followers) }
            return (flight.map { Array($0.waiters.values) } ?? [], followers.isEmpty ? nil : flight?.next)
        }
        if let next { start(key, next) }
        for waiter in waiters { waiter.resume(returning: outcome) }
    }

    private func leave(_ key: String, _ number: Int) {
        let (waiter, task) = state.withLock { state -> (Waiter?, Task<Void, Never>?) in
            if let follower = state.flights[key]?.followers.removeValue(forKey: number) { return (follower, nil) }
            guard let waiter = state.flights[key]?.waiters.removeValue(forKey: number) else { return (nil, nil) }
            guard state.flights[key]?.waiters.isEmpty == true else { return (waiter, nil) }
            state.flights[key]?.isAbandoned = true
            return (waiter, state.flights[key]?.task)
        }
        task?.cancel()
        waiter?.resume(returning: .failure(.cancelled))
    }
}
