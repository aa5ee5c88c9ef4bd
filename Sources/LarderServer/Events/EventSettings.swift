/// The limits of the events by which clients learn of changes without asking.
///
/// A connection stays open for each client that listens. Where the origin is in a database, it is read at an
/// interval while any client listens, once for all of them.
public struct EventSettings: Hashable, Sendable {
    /// The time between two readings of the origin, and so the longest time until a change is found; above zero.
    public var interval: Duration
    /// The largest number of clients that learn of a change within a second, 1 and above: each requests a page then.
    ///
    /// When more clients are concerned by a change, they learn of it one after another.
    public var rate: Int
    /// The largest number of clients that listen, 1 and above; others get 503 with `Retry-After`.
    ///
    /// Closing many connections at once takes time in proportion to the square of their number: 0.9 s for 2,000.
    public var listeners: Int
    /// The time after which a connection is ended, so that clients spread over servers that were added, and renew
    /// their credentials; above zero.
    public var connectionTime: Duration

    /// Creates limits; by default, a change is found within a quarter of a second.
    public init(
        interval: Duration = .milliseconds(250), rate: Int = 1000, listeners: Int = 2_000,
        connectionTime: Duration = .seconds(600)
    ) {
        precondition(interval > .zero && connectionTime > .zero, "an interval above zero")
        precondition(rate >= 1 && listeners >= 1, "at least one client")
        self.interval = interval
        self.rate = rate
        self.listeners = listeners
        self.connectionTime = connectionTime
    }

    /// The time after which a line without an event shows that the connection is alive.
    static let silence = Duration.seconds(15)

    /// The intervals after which something is written in any case, and after which a connection ends.
    var keepAlive: Int { intervals(in: Self.silence) }
    var lifetime: Int { intervals(in: connectionTime) }
    /// The intervals after which a client's number has to be known here.
    var patience: Int { intervals(in: .seconds(1)) }
    var wakesPerInterval: Int { max(1, Int((Double(rate) * (interval / .seconds(1))).rounded())) }

    private func intervals(in time: Duration) -> Int { max(1, Int((time / interval).rounded())) }
}
