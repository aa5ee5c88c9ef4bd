public import LarderTransport

/// The rules for sending a request again: ``HTTPCacheOptions/retries``.
///
/// Only methods that RFC 9110 §9.2.2 calls idempotent are sent again (GET, HEAD, PUT, DELETE, OPTIONS, TRACE), and only
/// before an answer is returned: after no answer, or after a 408, 425, 429, 502, 503 or 504. A request that cannot
/// succeed is not sent again (`TransportError.isRetryable`), nor is one without an answer while the host knows of no
/// network. A cancelled fetch ends at once, also during a wait.
///
/// ```swift
/// let options = HTTPCacheOptions(retries: FetchRetries(mostAttempts: 4))
/// ```
public struct FetchRetries: Hashable, Sendable {
    /// The waits before the second attempt and each after it; the host's randomness shortens each.
    public var waits: RetryPolicy
    /// The maximum number of attempts, the first one included; 1 or more.
    public var mostAttempts: Int
    /// The longest `Retry-After` that is waited for, zero or more; a response with a longer one is returned.
    ///
    /// A shorter one lengthens the wait of ``waits``.
    public var longestRetryAfter: Duration

    /// By default three attempts, after waits of up to 0.5 and 1 seconds.
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
