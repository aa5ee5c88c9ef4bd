public import HTTPTypes
public import LarderStore
public import LarderTransport

/// The reason a fetch returned no answer.
///
/// ```swift
/// do throws(HTTPCacheError) {
///     print(try await cache.fetch(request).value.head.status)  // a 404 is an answer here, not an error
/// } catch {
///     print(error.isNoConnectionError ? "no connection" : "failed: \(error)")
/// }
/// ```
public enum HTTPCacheError: Error, Sendable {
    /// The network failed, exceeded a time limit, or is not available.
    case transport(TransportError)
    /// The server responded with a status that the call throws as an error.
    case server(HTTPResponse)
    /// Redirections returned to an earlier request, or exceeded ``HTTPCacheOptions/redirectLimit``; with the last one.
    case redirectedTooOften(HTTPResponse)
    /// The program cannot decode the answer.
    case parse(any Error)
    /// No stored response can be used, and the request may not be sent.
    case notCached(CacheReason)
    /// Persistence is requested, and no place for it is configured.
    case notConfigured(String)
    /// The body to send exceeds the limit for bodies that wait for a connection. Sizes in bytes.
    case uploadTooLarge(actual: Int64, limit: Int64)
    /// The body of an answer is longer than the caller accepts, in bytes.
    case responseTooLarge(limit: Int)
    /// The body of a stored answer was removed, or proved damaged, before it was read.
    case bodyRemoved
    /// Stored content cannot be read.
    case unreadable(any Error)
    /// The request is invalid and cannot be sent or cached.
    case invalidRequest(String)
    /// The account of a write is no longer signed in: the write is neither sent again nor queued. If it was being sent,
    /// the server may have received it.
    case notSignedIn
    /// The stored objects belong to another server than the configured one; nothing was sent. The text names remedies.
    case otherServer(ServerMismatch)
}

// Properties that classify a failure for the host.
extension HTTPCacheError {
    /// Whether the server wants other credentials: 401 or 403.
    public var isAuthenticationError: Bool { status.map { $0 == 401 || $0 == 403 } ?? false }

    /// Whether the server answered with anything but success, 401 and 403: a 404 as well as a 500.
    public var isServerError: Bool { status.map { !(200..<300).contains($0) && $0 != 401 && $0 != 403 } ?? false }

    /// Whether the network failed unexpectedly: the transport failures that no other property covers.
    public var isNetworkError: Bool {
        switch self {
        case .transport(.connectionLost), .transport(.tls), .transport(.encodedBody), .transport(.other),
            .transport(.bodyTooLarge):
            true
        default: false
        }
    }

    /// Whether the server cannot be reached: no network, no such host, or a refused connection.
    public var isNoConnectionError: Bool {
        switch self {
        case .transport(.noConnection), .transport(.connectionRefused): true
        default: false
        }
    }

    /// Whether an answer arrived that the program cannot decode.
    public var isParseError: Bool { if case .parse = self { true } else { false } }

    /// Whether a time limit was exceeded.
    public var isTimeoutError: Bool { if case .transport(.timeout) = self { true } else { false } }

    private var status: Int? {
        switch self {
        case .server(let head), .redirectedTooOften(let head): head.status.code
        default: nil
        }
    }
}

extension HTTPCacheError {
    /// Whether the task was cancelled, or the cache closed.
    var isCancelled: Bool { if case .transport(.cancelled) = self { true } else { false } }

    /// Whether there was no answer. A stored response may be the fallback for such a failure.
    var isUnanswered: Bool {
        switch self {
        case .transport(.cancelled), .transport(.invalidRequest): false
        case .transport: true
        default: false
        }
    }

    /// Whether no answer of the server itself arrived: none at all, 511, a redirection other than 304, or an HTML page.
    var isServerUnavailable: Bool {
        guard case .server(let head) = self else { return isUnanswered }
        let code = head.status.code
        return code == 511 || (300..<400).contains(code) && code != 304
            || ContentKind(head.headerFields[.contentType]) == .page
    }

    /// Whether the server may have performed a request for which no success was reported.
    ///
    /// True without an answer, unless the request cannot have reached the server. Among statuses it is true for 502 and
    /// 504, for 409, because the request itself may have caused the conflict, and outside 200 to 599.
    var mayHaveArrived: Bool {
        switch self {
        case .transport(.connectionRefused), .transport(.noConnection), .transport(.tls),
            .transport(.timeout(.connect)),
            .transport(.invalidRequest):
            false
        case .server(let head): [409, 502, 504].contains(head.status.code) || !(200...599).contains(head.status.code)
        default: true
        }
    }

    /// Returns the error of a failed read of a stored body.
    static func wrapping(_ error: any Error) -> HTTPCacheError { error as? HTTPCacheError ?? .unreadable(error) }
}

extension TransportError {
    /// The error for an intermediary that responded in place of the server.
    static let foreignResponse = TransportError.other(reason: "the response is not the server's own")
}

extension HTTPCacheError: CustomStringConvertible {
    /// One line in English without content of the exchange.
    public var description: String {
        switch self {
        case .transport(let error): "\(error)"
        case .server(let head): "the server responded with status \(head.status.code)"
        case .redirectedTooOften: "the server redirects in a circle, or too often"
        case .parse: "the response cannot be decoded"
        case .notCached(let reason): "nothing stored can be used: \(reason)"
        case .notConfigured(let what): "not configured: \(what)"
        case .uploadTooLarge(let actual, let limit):
            "the body to send has \(actual) bytes; \(limit) are the limit without a connection"
        case .responseTooLarge(let limit): "the body of the response is longer than \(limit) bytes"
        case .bodyRemoved: "the stored body was removed before it was read"
        case .unreadable: "what is stored cannot be read"
        case .invalidRequest(let reason): "the request cannot be sent: \(reason)"
        case .notSignedIn: "the account of the write is not signed in"
        case .otherServer(let mismatch): mismatch.description
        }
    }
}
