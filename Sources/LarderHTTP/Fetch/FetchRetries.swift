public import LarderTransport

/// When a fetch sends a request again, and how often: ``HTTPCacheOptions/retries``.
///
/// Only requests with a method that RFC 9110 §9.2.2 calls idempotent are sent again (GET, HEAD, PUT, DELETE, OPTIONS,
/// TRACE), and only before any answer is handed out: after none, or after a 408, 425, 429, 502, 503 or 504. Not sent
/// again is what cannot succeed (``TransportError/isRetryable``), and what got no answer while the host knows of no network. A
/// cancelled fetch ends at once, also during a wait.
///
/// ```swift
/// let options = HTTPCacheOptions(retries: FetchRetries(mostAttempts: 4))
/// ```
public struct FetchRetries: Hashable, Sendable {
    /// The waits before the second attempt and each after it; the host's randomness shortens each.
    public var waits: RetryPolicy
    /// How often a request is sent at most, the first time included; 1 or more.
    public var mostAttempts: Int
    /// The longest wait that a `Retry-After` is followed for, zero or more; an answer that asks for a longer one is handed out.
    ///
    /// A shorter one lengthens the wait of ``waits``.
    public var longestRetryAfter: Duration

    /// Three attempts, after waits of up to 0.5 and 1 seconds, unless told otherwise.
    public init(
        waits: RetryPolicy = RetryPolicy(first: .milliseconds(500), limit: .seconds(8)), mostAttempts: Int = 3,
        longestRetryAfter: Duration = .seconds(30)
    ) {
        precondition(mostAttempts >= 1 && longestRetryAfter >= .zero, "\(mostAttempts) attempts, \(longestRetryAfter)")
        self.waits = waits
        self.mostAttempts = mostAttempts
        self.longestRetryAfter = longestRetryAfter
    }
}
