public import HTTPTypes

/// The HTTP settings of an origin.
public struct OriginConfiguration: Sendable {
    /// The values that each request must carry in `x-auth-token` and `x-client-id`.
    public struct Credentials: Hashable, Sendable {
        /// The value of `x-auth-token`.
        public var authToken: String
        /// The value of `x-client-id`.
        public var clientID: String

        /// Creates credentials of both values.
        public init(authToken: String, clientID: String) {
            self.authToken = authToken
            self.clientID = clientID
        }
    }

    /// The number of requests of one client that are served within a window of time; the others get 429 and
    /// `Retry-After`.
    public struct RateLimit: Hashable, Sendable {
        /// The number of requests served in one window; 0 and above.
        public var requests: Int
        /// The length of a window, which begins with a client's first request after the last one; whole seconds, 1 and
        /// above.
        public var seconds: Int
        /// The number of clients with a window of their own, 1 and above. All others share one, so that a client that
        /// changes its name with each request gains no more than that.
        public var clients: Int

        /// Creates a limit for each client.
        public init(requests: Int, seconds: Int, clients: Int = 10_000) {
            precondition(requests >= 0 && seconds >= 1, "\(requests) requests in \(seconds) s is no limit")
            precondition(clients >= 1, "\(clients) clients are too few")
            self.requests = requests
            self.seconds = seconds
            self.clients = clients
        }
    }

    /// The prefix of all paths: `/` and a name, without a slash at the end. Clients append `/api/v4/…`.
    public let basePath: String
    /// The credentials that requests must carry, or `nil` when none are needed. Requests without them get 401.
    public var credentials: Credentials?
    /// The rate limit, if any. Administration is not limited.
    public var rateLimit: RateLimit?
    /// The limits of events; `nil` for none: `…/resources/events` is 404 then, and clients poll.
    public var events: EventSettings? = EventSettings()
    /// Returns the client of a request, by which the rate limit distinguishes it; by default `x-auth-token` with
    /// `x-client-id`.
    ///
    /// A host whose clients have credentials of their own, or an address that a proxy reports, names them by these.
    public var client: @Sendable (HTTPRequest) -> String = { credentialClient(of: $0) }
    /// Whether `{basePath}/admin/…` changes content. Enable it only where no other machine can reach the port.
    ///
    /// Without ``credentials``, requests are refused with 403 whose `Host` is no loopback name or address, or whose
    /// `Origin` is another one: they come from pages in a browser on this machine.
    public var isAdministrable: Bool
    /// Called for each request under the base path before anything else; a problem that it returns is the response.
    ///
    /// Suited to a maintenance mode (503), to 403, or to a delay. Cancelled when the server stops.
    public var intercept: (@Sendable (HTTPRequest) async -> OriginProblem?)?

    /// Creates a configuration; by default all clients are served and no content can be changed.
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

    /// Returns the credentials that a request carries, as the name of its client.
    private static func credentialClient(of request: HTTPRequest) -> String {
        "\(request.headerFields[.authToken] ?? "")\n\(request.headerFields[.clientID] ?? "")"
    }
}
