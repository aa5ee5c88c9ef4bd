/// The longest waits an exchange may make, one for each of its phases.
///
/// There is no limit on the whole exchange: a large body over a slow line may take as long as it makes progress.
public struct TransportTimeouts: Sendable, Hashable {
    /// How long a connection may take, a wait for a free pooled connection and the TLS handshake included.
    public var connect: Duration

    /// How long the head of the response may take, counted from the call of `send`.
    public var head: Duration

    /// How long the reader of the body may wait for its next chunk, counted from when it asks.
    ///
    /// A reader that takes its time spends none of it.
    public var idle: Duration

    /// The three limits; each must be positive.
    public init(connect: Duration = .seconds(2), head: Duration = .seconds(10), idle: Duration = .seconds(30)) {
        precondition(connect > .zero && head > .zero && idle > .zero, "a timeout must be positive")
        self.connect = connect
        self.head = head
        self.idle = idle
    }
}
