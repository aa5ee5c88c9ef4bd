import Synchronization

/// The slot of one exchange at a limiter: acquired any number of times, held at most once.
final class ExchangeSlot: Sendable {
    /// The result of waiting for a slot.
    enum Outcome: Sendable {
        case acquired
        case cancelled
        /// No progress within the limit.
        case noProgress
    }

    private let limiter: ExchangeLimiter
    private let exchange: ObjectIdentifier
    private let isHeld = Mutex(false)

    /// Creates the slot of an exchange, which does not hold it yet.
    init(_ limiter: ExchangeLimiter, for exchange: ObjectIdentifier) {
        self.limiter = limiter
        self.exchange = exchange
    }

    /// Waits for a slot; returns false when the task is cancelled.
    func acquire(_ priority: FetchPriority) async -> Bool {
        let isAcquired = if limiter.tryAcquire() { true } else { await limiter.acquire(priority, for: exchange) }
        if isAcquired { hold() }
        return isAcquired
    }

    /// Waits for a slot as long as other exchanges progress.
    ///
    /// - Parameter timeLimit: the longest time without progress. The wait for exchanges that progress is unlimited, and
    ///   the wait for exchanges that hang ends.
    func acquire(
        _ priority: FetchPriority, timeLimit: Duration, _ sleep: @escaping @Sendable (Duration) async throws -> Void
    ) async -> Outcome {
        if limiter.tryAcquire() {
            hold()
            return .acquired
        }
        let outcome = await withTaskGroup(of: Outcome.self) { group in
            group.addTask { [limiter, exchange] in
                await limiter.acquire(priority, for: exchange) ? .acquired : .cancelled
            }
            group.addTask { [limiter] in
                var seen = -1
                while limiter.progress != seen {
                    seen = limiter.progress
                    do { try await sleep(timeLimit) } catch { return .cancelled }
                }
                return .noProgress
            }
            let first = await group.next() ?? .cancelled
            group.cancelAll()
            // The slot may have been acquired at the same time.
            let second = await group.next() ?? .cancelled
            return second == .acquired ? .acquired : first
        }
        if outcome == .acquired { hold() }
        return outcome
    }

    /// Records progress of the exchange.
    func recordProgress() { limiter.recordProgress() }

    private func hold() { isHeld.withLock { $0 = true } }

    /// Releases the slot.
    ///
    /// - Returns: whether it was held.
    @discardableResult
    func release() -> Bool {
        let wasHeld = isHeld.withLock { isHeld in
            defer { isHeld = false }
            return isHeld
        }
        if wasHeld { limiter.release() }
        return wasHeld
    }
}
