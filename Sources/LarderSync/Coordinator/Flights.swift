internal import LarderStore
internal import Synchronization

/// The runs under way, one per filter, with their callers.
final class Flights: Sendable {
    typealias Run = @Sendable () async throws(SyncError) -> SyncReport
    private typealias Outcome = Pending<Result<SyncReport, SyncError>>

    private struct Flight {
        let outcome: Outcome
        let task: Task<Void, Never>
        /// The number of callers that wait for it. Without any it is ending, and a new caller waits for the next one.
        var callers = 1
    }

    private let flights = Mutex<[String: Flight]>([:])

    /// Waits for the run of `key`, started with `run` unless it is under way.
    func join(_ key: String, _ run: @escaping Run) async throws(SyncError) -> SyncReport {
        while !Task.isCancelled {
            let (outcome, isJoined) = board(key, run)
            let ended = await outcome.value()
            if isJoined, let ended { return try ended.get() }
            if isJoined { leave(key, outcome) }
        }
        throw .cancelled
    }

    /// Returns the outcome of the run under way or of a new one, and whether the caller has joined it.
    private func board(_ key: String, _ run: @escaping Run) -> (Outcome, isJoined: Bool) {
        flights.withLock { flights in
            if let flight = flights[key] {
                if flight.callers > 0 { flights[key]?.callers += 1 }
                return (flight.outcome, flight.callers > 0)
            }
            let outcome = Outcome()
            let task = Task {
                let result: Result<SyncReport, SyncError>
                do throws(SyncError) {
                    result = .success(try await run())
                } catch {
                    result = .failure(error)
                }
                self.flights.withLock { $0[key] = nil }
                outcome.fulfil(result)
            }
            flights[key] = Flight(outcome: outcome, task: task)
            return (outcome, true)
        }
    }

    private func leave(_ key: String, _ outcome: Outcome) {
        let abandoned = flights.withLock { flights -> Task<Void, Never>? in
            guard let flight = flights[key], flight.outcome === outcome else { return nil }
            flights[key]?.callers -= 1
            return flight.callers == 1 ? flight.task : nil
        }
        abandoned?.cancel()
    }
}
