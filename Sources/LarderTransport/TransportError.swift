/// Why an exchange failed before the server's answer was whole.
public enum TransportError: Error, Hashable, Sendable {
    /// A step of an exchange.
    public enum Phase: String, Hashable, Sendable {
        /// Connecting.
        case connect
        /// Waiting for the head of the response.
        case head
        /// Waiting for the next bytes of the body.
        case idle
    }

    /// The task was cancelled.
    case cancelled
    /// A step took longer than it may.
    case timeout(Phase)
    /// No connection could be made.
    case noConnection(reason: String)
    /// The connection broke after the request was on its way.
    case connectionLost(reason: String)
    /// The peer could not be trusted.
    case tls(reason: String)
    /// The request cannot be sent as it is.
    case invalidRequest(reason: String)
    /// The body is longer than the caller accepts, in bytes.
    case bodyTooLarge(limit: Int)
    /// Anything else.
    case other(reason: String)

    /// Whether the same request may succeed later.
    public var isRetryable: Bool {
        switch self {
        case .timeout, .noConnection, .connectionLost, .other: true
        case .cancelled, .tls, .invalidRequest, .bodyTooLarge: false
        }
    }
}

extension TransportError: CustomStringConvertible {
    /// What happened, in one line.
    public var description: String {
        switch self {
        case .cancelled: "The exchange was cancelled."
        case .timeout(.connect): "The server could not be reached in time."
        case .timeout(.head): "The server did not answer in time."
        case .timeout(.idle): "The server stopped sending."
        case .noConnection(let reason): "There is no connection to the server (\(reason))."
        case .connectionLost(let reason): "The connection was lost (\(reason))."
        case .tls(let reason): "The server could not be trusted (\(reason))."
        case .invalidRequest(let reason): "The request cannot be sent (\(reason))."
        case .bodyTooLarge(let limit): "The answer is longer than \(limit) bytes."
        case .other(let reason): "The exchange failed (\(reason))."
        }
    }
}
