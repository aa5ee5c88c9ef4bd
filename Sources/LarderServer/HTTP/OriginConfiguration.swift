public import HTTPTypes

/// How an origin is served over HTTP.
public struct OriginConfiguration: Sendable {
    /// What each request has to bring in `x-auth-token` and `x-client-id`.
    public struct Credentials: Hashable, Sendable {
        /// The value of `x-auth-token`.
        public var authToken: String
        /// The value of `x-client-id`.
        public var clientID: String

        /// Takes both values.
        public init(authToken: String, clientID: String) {
            self.authToken = authToken
            self.clientID = clientID
        }
    }

    /// How many requests are answered within a window of time; the others get 429 and `Retry-After`.
    public struct RateLimit: Hashable, Sendable {
        /// The number of requests answered in one window; 0 and above.
        public var requests: Int
        /// The length of a window, which begins with the first request after the last one; whole seconds, 1 and above.
        public var seconds: Int

        /// Limits all clients together.
        public init(requests: Int, seconds: Int) {
            precondition(requests >= 0 && seconds >= 1, "\(requests) requests in \(seconds) s is no limit")
            self.requests = requests
            self.seconds = seconds
        }
    }

    /// What all paths begin with: `/` and a name, without a slash at the end. Clients append `/api/v4/…`.
    public let basePath: String
    /// What requests have to bring, or `nil` when everybody is served. Others get 401.
    public var credentials: Credentials?
    /// The rate limit, if any. Administration is not limited.
    public var rateLimit: RateLimit?
    /// Whether `{basePath}/admin/…` changes content. Turn it on only where nobody else can reach the port.
    public var isAdministrable: Bool
    /// Called for each request under the base path before anything else; a problem that it returns is the answer.
    ///
    /// The place for a maintenance mode (503), for 403, or for a delay. Cancelled when the server stops.
    public var intercept: (@Sendable (HTTPRequest) async -> OriginProblem?)?

    /// A configuration that serves everybody and lets nobody change content.
    ///
    /// - Precondition: `basePath` begins with a slash, does not end with one, and has a name in between.
    public init(
        basePath: String = "/content", credentials: Credentials? = nil, rateLimit: RateLimit? = nil,
        isAdministrable: Bool = false, intercept: (@Sendable (HTTPRequest) async -> OriginProblem?)? = nil
    ) {
        let isPath = basePath.utf8.count > 1 && basePath.hasPrefix("/") && !basePath.hasSuffix("/")
        precondition(isPath, "\(basePath) is no base path")
        self.basePath = basePath
        self.credentials = credentials
        self.rateLimit = rateLimit
        self.isAdministrable = isAdministrable
        self.intercept = intercept
    }
}
