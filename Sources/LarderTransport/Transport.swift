public import HTTPTypes

/// Sends requests and hands out responses as they arrive: the one door to the network.
///
/// A transport follows no redirect, keeps no cookie and no cache, and decodes no content coding: what the server
/// answered is what the caller gets, and no header leaves the host the request names.
public protocol Transport: Sendable {
    /// Sends one request and returns when the head of the response is there; the body streams.
    ///
    /// Cancelling the task ends the exchange at once.
    ///
    /// - Parameters:
    ///   - request: method, scheme, authority, path and header fields.
    ///   - body: what to send after the head; nil sends none.
    ///   - timeouts: how long to wait for each step.
    func send(
        _ request: HTTPRequest, body: [UInt8]?, timeouts: TransportTimeouts
    ) async throws(TransportError) -> TransportResponse
}

/// How long to wait for each step of an exchange.
public struct TransportTimeouts: Sendable, Hashable {
    /// For the connection.
    public var connect: Duration
    /// For the head of the response.
    public var head: Duration
    /// For the next bytes of the body.
    public var idle: Duration

    /// Two seconds, ten seconds, thirty seconds unless told otherwise.
    public init(connect: Duration = .seconds(2), head: Duration = .seconds(10), idle: Duration = .seconds(30)) {
        self.connect = connect
        self.head = head
        self.idle = idle
    }
}

/// A response whose body is still arriving.
public struct TransportResponse: Sendable {
    /// Status and header fields.
    public var head: HTTPResponse
    /// The body.
    public var body: TransportBody

    /// A response of the given parts.
    public init(head: HTTPResponse, body: TransportBody) {
        self.head = head
        self.body = body
    }
}
