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
    /// The time after which a connection counts as one that works.
    private static let stable = Duration.seconds(60)
    /// The number of connections in a row that ended before that.
    private(set) var failures = 0
    private var openedAt = Duration.zero
    /// The earliest time of the next connection, after the last one has ended.
    private var notBefore: Duration?
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
        if number == self.number { (isRefused, hasArrived) = (false, true) }
    }

    /// Opens a connection at once that waits because the server refused the last one.
    mutating func forgetRefusal(at reading: ClockReading) {
        guard isRefused else { return }
        (failures, isRefused, notBefore) = (0, false, nil)
        if scheduled != nil { phase = .waiting(reading.elapsed) }
    }

    /// Returns what to do for the filters that are wanted now.
    ///
    /// - Parameter wait: Returns the wait before a connection after so many failures.
    mutating func update(
        _ filters: [String], after sequence: Int64, at reading: ClockReading, wait: (Int) -> Duration
    ) -> CoordinatorEffect? {
        switch phase {
        case .closed:
            // A network that comes and goes does not end the wait of a refusal.
            if !filters.isEmpty { phase = .waiting(max(reading.elapsed + wait(1), notBefore ?? .zero)) }
        case .waiting where filters.isEmpty: phase = .closed
        case .waiting(let time):
            guard time <= reading.elapsed else { return nil }
            number += 1
            (hasArrived, openedAt) = (false, reading.elapsed)
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
        // A proxy may end each connection soon after it has begun.
        if hasArrived, reading.elapsed - openedAt >= Self.stable { failures = 0 }
        failures = failures.next
        let time = reading.elapsed + wait(failures)
        (phase, notBefore) = (.waiting(time), time)
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

    /// Notes up to which change a run has brought a filter, and requests another run for a change that was reported since.
    ///
    /// Where the run did not even bring what was reported before it began, the replica that responded lags behind: the next
    /// run waits, ever longer as long as nothing new arrives.
    mutating func noteSequence(_ index: Int, _ report: SyncReport, _ reading: ClockReading) {
        let previous = schedules[index].sequence ?? 0
        let sequence = report.untilSequence
        schedules[index].sequence = sequence
        schedules[index].behindUntil = nil
        // Numbers of a server that was restored count anew.
        if report.kind == .bootstrap || sequence < previous { schedules[index].announced = nil }
        guard let announced = schedules[index].announced, sequence < announced else {
            schedules[index].announced = nil
            schedules[index].runsBehind = 0
            return
        }
        schedules[index].request(.background, at: reading)
        if sequence > previous { schedules[index].runsBehind = 0 }
        guard let awaited = schedules[index].awaited, sequence < awaited else { return }
        schedules[index].runsBehind = schedules[index].runsBehind.next
        let wait = policy.retry.delay(afterFailures: schedules[index].runsBehind, &random)
        schedules[index].behindUntil = reading.elapsed + wait
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
