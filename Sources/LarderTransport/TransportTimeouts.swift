/// The longest waits of an exchange, one for each of its phases.
///
/// There is no limit on the whole exchange: a large body over a slow line may last as long as it makes progress.
public struct TransportTimeouts: Sendable, Hashable {
    /// The limit for a connection, including a wait for a free pooled connection and the TLS handshake.
    public var connect: Duration

    /// The limit for the head of the response, counted from the call of `send`.
    public var head: Duration

    /// The limit for the next chunk of the body, counted from the reader's call for it.
    ///
    /// The time between two calls of a slow reader does not count.
    public var idle: Duration

    /// Creates the three limits; each must be positive.
    public init(connect: Duration = .seconds(2), head: Duration = .seconds(10), idle: Duration = .seconds(30)) {
        precondition(connect > .zero && head > .zero && idle > .zero, "a timeout must be positive")
        self.connect = connect
        self.head = head
        self.idle = idle
    }
}
