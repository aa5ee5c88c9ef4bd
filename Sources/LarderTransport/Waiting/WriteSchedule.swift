/// The times and the number of retries of a write: the same for the outbox and for writes that wait in memory.
public struct WriteSchedule: Hashable, Sendable {
    /// The waits between tries.
    public var retry: RetryPolicy
    /// The waits before another try of a write that failed through the server's fault.
    public var revival: RetryPolicy
    /// The number of responses requesting a retry after which a write has failed; 1 or more.
    public var mostAttempts: Int
    /// The longest wait accepted from a server's Retry-After.
    public var longestRetryAfter: Duration

    /// Creates a schedule with the outbox's defaults: tries after 1, 2, 4, 8, 16, 32, 60 seconds, failure after five
    /// responses, revival after 5, 10, 20, 40, 60 minutes. Jitter shortens these waits.
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

    /// Returns the wait after this many responses that requested a retry, without jitter: until the next try, or, once
    /// the attempts are used up, until the write is revived.
    ///
    /// - Parameter requested: The wait that the last response requests.
    package func wait(afterAttempts attempts: Int, requested: Duration?) -> Duration {
        let rounds = attempts - mostAttempts + 1
        let scheduled =
            rounds > 0
            ? revival.delay(afterFailures: rounds, random: 0) : retry.delay(afterFailures: attempts, random: 0)
        return max(scheduled, min(requested ?? .zero, longestRetryAfter))
    }
}
