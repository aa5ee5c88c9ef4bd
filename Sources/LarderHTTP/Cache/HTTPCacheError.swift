public import HTTPTypes
public import LarderStore
public import LarderTransport

/// Why a fetch gave no answer.
public enum HTTPCacheError: Error, Sendable {
    /// The network failed, took too long, or is not there.
    case transport(TransportError)
    /// The server answered with an error that the caller asked to have thrown.
    case server(HTTPResponse)
    /// Redirections lead back to a request that they came from, or are more than ``HTTPCacheOptions/redirectLimit``: the
    /// last of them.
    case redirectedTooOften(HTTPResponse)
    /// The answer cannot be understood by the program.
    case parse(any Error)
    /// Nothing is stored, and the strategy does not ask the network.
    case notCached(CacheReason)
    /// The host asked for persistence before it said where.
    case notConfigured(String)
    /// The body to send is above the limit, and cannot be kept until there is a connection.
    case uploadTooLarge(actual: Int64, limit: Int64)
    /// The body of an answer is longer than the caller is willing to hold, in bytes.
    case answerTooLarge(limit: Int)
    /// The body of an answer from the cache was removed before it was read.
    case bodyGone
    /// What is stored cannot be read.
    case unreadable(any Error)
    /// The request cannot be sent or cached as it stands.
    case invalidRequest(String)
    /// The account of a write is not signed in any more: the write is neither sent again nor queued. If it was being sent, the
    /// server may have it.
    case notSignedIn
    /// The objects in the store are of another server than the one that is to be asked; nothing was sent. Its text says what to do.
    case otherServer(ServerMismatch)
}

// The six questions a host asks of a failure.
extension HTTPCacheError {
    /// Whether the server wants other credentials: 401 or 403.
    public var isAuthenticationError: Bool { status.map { $0 == 401 || $0 == 403 } ?? false }

    /// Whether the server answered with anything but success, 401 and 403: a 404 as well as a 500.
    public var isServerError: Bool { status.map { !(200..<300).contains($0) && $0 != 401 && $0 != 403 } ?? false }

    /// Whether something unexpected happened on the network: none of the cases that another question names.
    public var isNetworkError: Bool {
        switch self {
        case .transport(.connectionLost), .transport(.tls), .transport(.encodedBody), .transport(.other),
            .transport(.bodyTooLarge):
            true
        default: false
        }
    }

    /// Whether there is no way to the server: no network, no such host, nobody who listens.
    public var isNoConnectionError: Bool {
        switch self {
        case .transport(.noConnection), .transport(.connectionRefused): true
        default: false
        }
    }

    /// Whether the answer came, and cannot be understood.
    public var isParseError: Bool { if case .parse = self { true } else { false } }

    /// Whether the server took too long.
    public var isTimeoutError: Bool { if case .transport(.timeout) = self { true } else { false } }

    private var status: Int? {
        switch self {
        case .server(let head), .redirectedTooOften(let head): head.status.code
        default: nil
        }
    }
}

extension HTTPCacheError {
    /// Whether somebody wished the end: the task was cancelled, or the cache closed.
    var isCancelled: Bool { if case .transport(.cancelled) = self { true } else { false } }

    /// Whether there was no answer: the failures that a stored response may stand in for.
    var isUnanswered: Bool {
        switch self {
        case .transport(.cancelled), .transport(.invalidRequest): false
        case .transport: true
        default: false
        }
    }

    /// Whether the answer did not come from the server: no answer, 511, a redirection, or an HTML page.
    var isWithoutServer: Bool {
        guard case .server(let head) = self else { return isUnanswered }
        let code = head.status.code
        return code == 511 || (300..<400).contains(code) && code != 304
            || ContentKind(head.headerFields[.contentType]) == .page
    }

    /// Whether the server may have performed a request that it did not accept: without an answer, or by one that says nothing else.
    ///
    /// Of answers as the outbox judges them: a gateway's, a conflict that may be the request itself, and a status that HTTP does not know.
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

    /// What reading a stored body failed with.
    static func reading(_ error: any Error) -> HTTPCacheError { error as? HTTPCacheError ?? .unreadable(error) }
}

extension TransportError {
    /// An intermediary answered in the server's place.
    static let notTheServers = TransportError.other(reason: "another host answered in place of the server")
}

extension HTTPCacheError: CustomStringConvertible {
    /// One line in English without content of the exchange.
    public var description: String {
        switch self {
        case .transport(let error): "\(error)"
        case .server(let head): "the server answered with status \(head.status.code)"
        case .redirectedTooOften: "the server redirects in a circle, or too often"
        case .parse: "the answer cannot be understood"
        case .notCached(let reason): "nothing stored can be used: \(reason)"
        case .notConfigured(let what): "not configured: \(what)"
        case .uploadTooLarge(let actual, let limit):
            "the body to send has \(actual) bytes; \(limit) are the limit without a connection"
        case .answerTooLarge(let limit): "the body of the answer is longer than \(limit) bytes"
        case .bodyGone: "the stored body was removed before it was read"
        case .unreadable: "what is stored cannot be read"
        case .invalidRequest(let reason): "the request cannot be sent: \(reason)"
        case .notSignedIn: "the account of the write is not signed in"
        case .otherServer(let mismatch): mismatch.description
        }
    }
}
