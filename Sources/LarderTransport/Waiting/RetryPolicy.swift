/// How long to wait before the next try: longer after every failure, and never for all at the same moment.
public struct RetryPolicy: Hashable, Sendable {
    /// The wait after the first failure; above zero.
    public var first: Duration
    /// The longest wait.
    public var limit: Duration
    /// The share of a wait that chance takes away, 0 to 1, so that many clients do not return at once.
    public var jitter: Double

    /// Waits that double from `first` to `limit`.
    public init(first: Duration, limit: Duration, jitter: Double = 0.5) {
        precondition(first > .zero && limit >= first && (0...1).contains(jitter), "a wait above zero, jitter 0 to 1")
        self.first = first
        self.limit = limit
        self.jitter = jitter
    }

    /// The wait after so many failures in a row, 1 or more; `chance` is evenly spread over 0 to 1.
    package func delay(afterFailures failures: Int, chance: Double) -> Duration {
        var delay = first
        var doublings = max(failures, 1) - 1
        // Doubling ends at the limit, so that no count of failures takes long.
        while doublings > 0, delay < limit {
            delay = delay * 2
            doublings -= 1
        }
        return min(delay, limit) * (1 - jitter * chance)
    }

    /// As ``delay(afterFailures:chance:)``. Without jitter nothing is left to chance, which then stays as it is.
    package func delay(afterFailures failures: Int, _ chance: inout Chance) -> Duration {
        delay(afterFailures: failures, chance: jitter > 0 ? chance.next() : 0)
    }
}
