/// When a write is tried again, and how often: the same for the outbox and for writes that wait in memory.
public struct WriteSchedule: Hashable, Sendable {
    /// The waits between tries.
    public var retry: RetryPolicy
    /// The waits after which a write is tried once more that has failed through the server's fault.
    public var revival: RetryPolicy
    /// How many answers may ask for another try before a write has failed; 1 or more.
    public var mostAttempts: Int
    /// The longest wait that a server's Retry-After is followed for.
    public var longestRetryAfter: Duration

    /// The outbox's defaults: tries after 1, 2, 4, 8, 16, 32, 60 seconds, failed after five answers, revived after 5, 10, 20, 40, 60
    /// minutes, less chance.
    public init(
        retry: RetryPolicy = RetryPolicy(first: .seconds(1), limit: .seconds(60), jitter: 0.2),
        revival: RetryPolicy = RetryPolicy(first: .seconds(300), limit: .seconds(3600), jitter: 0.2),
        mostAttempts: Int = 5, longestRetryAfter: Duration = .seconds(24 * 3600)
    ) {
        self.retry = retry
        self.revival = revival
        self.mostAttempts = mostAttempts
        self.longestRetryAfter = longestRetryAfter
    }

    /// The wait after so many answers that asked for another try, without chance: until the next try, or until a write is revived
    /// whose attempts are used up.
    ///
    /// - Parameter asked: the wait that the last answer asks for.
    package func wait(afterAttempts attempts: Int, asked: Duration?) -> Duration {
        let rounds = attempts - mostAttempts + 1
        let own =
            rounds > 0
            ? revival.delay(afterFailures: rounds, chance: 0) : retry.delay(afterFailures: attempts, chance: 0)
        return max(own, min(asked ?? .zero, longestRetryAfter))
    }
}
