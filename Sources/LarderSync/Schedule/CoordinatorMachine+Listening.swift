internal import LarderTransport

/// The state of the connection over which the server reports changes.
struct Listening: Sendable {
    private enum Phase {
        case closed
        /// The connection is opened at this time.
        case waiting(Duration)
        case open(Int, [String])
    }

    private var phase = Phase.closed
    /// The number of the last connection.
    private var number = 0
    /// The number of connections in a row that ended before anything arrived.
    private(set) var failures = 0
    /// Whether the server refused the last connection, so that another attempt needs a reason.
    private var isRefused = false
    /// Whether something has arrived over the last connection.
    private var hasArrived = false

    /// The time at which a connection is opened; nil while one is open, or none is wanted.
    var scheduled: Duration? { if case .waiting(let time) = phase { time } else { nil } }

    /// Whether something has arrived over an open connection.
    var isOpen: Bool { if case .open = phase { hasArrived } else { false } }

    /// Notes that something has arrived over a connection.
    mutating func hasOpened(_ number: Int) {
        if number == self.number { (failures, isRefused, hasArrived) = (0, false, true) }
    }

    /// Opens a connection at once that waits because the server refused the last one.
    mutating func forgetRefusal(at reading: ClockReading) {
        guard isRefused, scheduled != nil else { return }
        (failures, isRefused) = (0, false)
        phase = .waiting(reading.elapsed)
    }

    /// Returns what to do for the filters that are wanted now.
    ///
    /// - Parameter wait: Returns the wait before a connection after so many failures.
    mutating func update(
        _ filters: [String], after sequence: Int64, at reading: ClockReading, wait: (Int) -> Duration
    ) -> CoordinatorEffect? {
        switch phase {
        case .closed:
            if !filters.isEmpty { phase = .waiting(reading.elapsed + wait(1)) }
        case .waiting where filters.isEmpty: phase = .closed
        case .waiting(let time):
            guard time <= reading.elapsed else { return nil }
            number += 1
            hasArrived = false
            phase = .open(number, filters)
            return .listen(number, EventsRequest(filters, after: sequence))
        case .open(_, filters): break
        case .open(let open, _):
            phase = filters.isEmpty ? .closed : .waiting(reading.elapsed + wait(1))
            return .stopListening(open)
        }
        return nil
    }

    /// Notes the end of a connection; does nothing for one that was closed.
    mutating func end(_ number: Int, isRefused: Bool, at reading: ClockReading, wait: (Int) -> Duration) {
        guard case .open(number, _) = phase else { return }
        self.isRefused = isRefused
        failures = failures.next
        phase = .waiting(reading.elapsed + wait(failures))
    }
}

extension CoordinatorMachine {
    /// Opens or closes the connection as filters, conditions and time require.
    mutating func updateListening(_ reading: ClockReading) {
        guard policy.listensForChanges else { return }
        let isAllowed = !isStopping && allowance >= .normal
        // A filter without a run is in step with nothing that the server could count from.
        let wanted = schedules.filter { isAllowed && !$0.isRemoved && !$0.isList && $0.hasToken && $0.sequence != nil }
        let first = wanted.compactMap(\.sequence).min() ?? 0
        let effect = listening.update(wanted.map(\.text), after: first, at: reading) { failures in
            policy.listenRetry.delay(afterFailures: failures, &random)
        }
        if let effect { effects.append(effect) }
    }

    /// Requests a run for a change that the server reports.
    mutating func handleChange(_ text: String, _ sequence: Int64?, _ reading: ClockReading) {
        guard let index = index(text) else { return }
        if let sequence {
            if let known = schedules[index].sequence, known >= sequence { return }
            schedules[index].announced = max(sequence, schedules[index].announced ?? sequence)
        }
        schedules[index].request(.background, at: reading)
    }

    /// Requests another run, after a wait, where the last one did not bring a change that the server has reported: the
    /// replica that responded lags behind.
    mutating func requestAnnounced(_ index: Int, _ reading: ClockReading) {
        guard let announced = schedules[index].announced, let sequence = schedules[index].sequence,
            sequence < announced
        else {
            schedules[index].announced = nil
            schedules[index].runsBehind = 0
            return
        }
        schedules[index].runsBehind = schedules[index].runsBehind.next
        let wait = policy.retry.delay(afterFailures: schedules[index].runsBehind, &random)
        schedules[index].notBefore = reading.elapsed + wait
        schedules[index].request(.background, at: reading)
    }

    mutating func handleEndOfListening(_ number: Int, _ error: SyncError?, _ reading: ClockReading) {
        let isRefused = error.map { !$0.isRetryable } ?? false
        let retry = isRefused ? policy.refusedRetry : policy.listenRetry
        listening.end(number, isRefused: isRefused, at: reading) { failures in
            let wait = retry.delay(afterFailures: failures, &random)
            guard let seconds = error?.retryAfter else { return wait }
            // Clients that were refused together do not return together.
            return min(.seconds(seconds), policy.maximumRetryAfter) + wait
        }
    }
}
