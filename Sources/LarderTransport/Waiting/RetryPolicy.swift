/// The waits before the next try: longer after every failure, and randomly shortened so that clients do not retry
/// together.
public struct RetryPolicy: Hashable, Sendable {
    /// The wait after the first failure; above zero.
    public var first: Duration
    /// The longest wait.
    public var limit: Duration
    /// The largest share by which a wait is randomly shortened, 0 to 1, so that many clients do not return at once.
    public var jitter: Double

    /// Creates waits that double from `first` to `limit`.
    public init(first: Duration, limit: Duration, jitter: Double = 0.5) {
        precondition(first > .zero && limit >= first && (0...1).contains(jitter), "a wait above zero, jitter 0 to 1")
        self.first = first
        self.limit = limit
        self.jitter = jitter
    }

    /// Returns the wait after this many failures in a row, 1 or more; `random` is evenly distributed over 0 to 1.
    package func delay(afterFailures failures: Int, random: Double) -> Duration {
        var delay = first
        var doublings = max(failures, 1) - 1
        // Doubling stops at the limit, so that a large count of failures costs no time.
        while doublings > 0, delay < limit {
            delay = delay * 2
            doublings -= 1
        }
        return min(delay, limit) * (1 - jitter * random)
    }

    /// Returns a wait that a server requested, randomly lengthened by up to the share of ``jitter``.
    ///
    /// A server that is overloaded requests the same wait of all: without this they would all return in the same second.
    package func lengthened(_ wait: Duration, _ random: inout SplitMix64) -> Duration {
        jitter > 0 ? wait * (1 + jitter * random.next()) : wait
    }

    /// Returns ``delay(afterFailures:random:)`` with the next random number. Without jitter `random` does not change.
    package func delay(afterFailures failures: Int, _ random: inout SplitMix64) -> Duration {
        delay(afterFailures: failures, random: jitter > 0 ? random.next() : 0)
    }
}
