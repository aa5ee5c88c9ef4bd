import Synchronization

/// The turn of one exchange at a gate: taken once or more often, held at most once, and given back once.
final class ExchangeTurn: Sendable {
    /// What came of waiting for a turn.
    enum Outcome: Sendable {
        case taken
        case cancelled
        /// No turn has come back for too long.
        case noProgress
    }

    private let gate: ExchangeGate
    private let exchange: ObjectIdentifier
    private let isHeld = Mutex(false)

    /// No turn yet, for an exchange of this identity.
    init(_ gate: ExchangeGate, for exchange: ObjectIdentifier) {
        self.gate = gate
        self.exchange = exchange
    }

    /// Waits for a turn; false when the task is cancelled.
    func take(_ priority: FetchPriority) async -> Bool {
        let isTaken = if gate.enterAtOnce() { true } else { await gate.enter(priority, for: exchange) }
        if isTaken { hold() }
        return isTaken
    }

    /// Waits for a turn as long as others give theirs back.
    ///
    /// - Parameter patience: how long to wait for any of them. The wait of many requests is as long as it takes, and one
    ///   behind exchanges that hang has an end.
    func take(
        _ priority: FetchPriority, patience: Duration, _ sleep: @escaping @Sendable (Duration) async throws -> Void
    ) async -> Outcome {
        if gate.enterAtOnce() {
            hold()
            return .taken
        }
        let outcome = await withTaskGroup(of: Outcome.self) { group in
            group.addTask { [gate, exchange] in await gate.enter(priority, for: exchange) ? .taken : .cancelled }
            group.addTask { [gate] in
                var seen = -1
                while gate.departures != seen {
                    seen = gate.departures
                    do { try await sleep(patience) } catch { return .cancelled }
                }
                return .noProgress
            }
            let first = await group.next() ?? .cancelled
            group.cancelAll()
            // The turn may have come in the same moment.
            let second = await group.next() ?? .cancelled
            return second == .taken ? .taken : first
        }
        if outcome == .taken { hold() }
        return outcome
    }

    private func hold() { isHeld.withLock { $0 = true } }

    /// Gives the turn back, when it is held.
    func giveBack() {
        let wasHeld = isHeld.withLock { isHeld in
            defer { isHeld = false }
            return isHeld
        }
        if wasHeld { gate.leave() }
    }
}
