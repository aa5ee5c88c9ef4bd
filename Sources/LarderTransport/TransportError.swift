/// The reason an exchange with a server gave no (whole) response.
///
/// The reasons are human-readable, also for logs. They contain error names and codes, never an address, a path or a
/// header.
///
/// ```swift
/// do throws(TransportError) {
///     print(try await transport.send(request).head.status)  // also 404 or 500, which are responses
/// } catch .noConnection, .connectionRefused {
///     print("the server cannot be reached, and has not seen the request")
/// } catch {
///     print(error.isRetryable ? "try again later" : "\(error)")
/// }
/// ```
public enum TransportError: Error, Sendable, Equatable {
    /// The part of an exchange that exceeded its limit; see ``TransportTimeouts``.
    public enum Phase: Sendable, Hashable {
        /// Opening a connection.
        case connect
        /// Waiting for the head of the response.
        case head
        /// Waiting for the next chunk of the body.
        case idle
    }

    /// The task that sent the request or read the body was cancelled, or the transport was shut down.
    case cancelled

    /// A phase lasted longer than its limit.
    ///
    /// Common causes: a server that hangs, a network that drops packets, a captive portal.
    case timeout(Phase)

    /// No process listens on the port of the host. The server has not seen the request.
    case connectionRefused

    /// No connection was made: no route, no such host name, no network. The server has not seen the request.
    case noConnection(reason: String)

    /// The connection ended before the response did: reset, closed early, or fewer bytes than announced.
    ///
    /// The server may have acted on the request.
    case connectionLost(reason: String)

    /// The TLS handshake failed. The server has not seen the request.
    ///
    /// Common causes: a captive portal, a device clock that is wrong, an expired certificate.
    case tls(reason: String)

    /// The request is not valid: see ``RequestTarget``.
    case invalidRequest(reason: String)

    /// The body is longer than the limit of the reader or the adapter, `limit` bytes.
    ///
    /// A compressed body that grows beyond the adapter's limit while it is decoded is too large, too.
    case bodyTooLarge(limit: Int)

    /// The body is compressed, or coded in another way, and cannot be read. RFC 9110 §8.4.
    ///
    /// The request did not allow the coding, or the coded body is damaged or incomplete. Common causes: a proxy or a
    /// server that always compresses, a captive portal.
    case encodedBody

    /// Any other error, for example a response that is not HTTP.
    case other(reason: String)

    /// Whether the same request, sent again later, may succeed.
    ///
    /// False for ``cancelled`` (it was requested), ``invalidRequest(reason:)`` and ``bodyTooLarge(limit:)`` (it would
    /// happen again). True for all others: also for ``tls(reason:)`` and ``encodedBody``, because captive portals and
    /// wrong clocks are temporary, and for ``other(reason:)``, because losing a write for an unknown reason is worse.
    /// Retry with a growing delay, and a request that is not idempotent only under an idempotency key.
    public var isRetryable: Bool {
        switch self {
        case .cancelled, .invalidRequest, .bodyTooLarge: false
        case .timeout, .connectionRefused, .noConnection, .connectionLost, .tls, .encodedBody, .other: true
        }
    }
}

extension TransportError: CustomStringConvertible {
    /// One line in English without user content.
    public var description: String {
        switch self {
        case .cancelled: "the exchange was cancelled"
        case .timeout(.connect): "no connection within the time limit"
        case .timeout(.head): "no response within the time limit"
        case .timeout(.idle): "the response stopped for longer than the time limit"
        case .connectionRefused: "the connection was refused"
        case .noConnection(let reason): "no connection: \(reason)"
        case .connectionLost(let reason): "the connection was lost: \(reason)"
        case .tls(let reason): "no secure connection: \(reason)"
        case .invalidRequest(let reason): "the request cannot be sent: \(reason)"
        case .bodyTooLarge(let limit): "the body is longer than \(limit) bytes"
        case .encodedBody: "the body is compressed in a way that was not requested, or is damaged"
        case .other(let reason): "the exchange failed: \(reason)"
        }
    }
}
