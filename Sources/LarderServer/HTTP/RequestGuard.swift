import HTTPTypes
import Synchronization

/// Checks the credentials and the rate of requests before they are handled.
final class RequestGuard: Sendable {
    private let configuration: OriginConfiguration
    private let signer: TicketSigner
    private let now: @Sendable () -> Int64
    private let windows = Mutex(RateWindows())

    /// - Parameter signer: shortens the names of clients, in a way that these cannot predict.
    init(_ configuration: OriginConfiguration, _ signer: TicketSigner, now: @escaping @Sendable () -> Int64) {
        self.configuration = configuration
        self.signer = signer
        self.now = now
    }

    /// Checks the credentials.
    ///
    /// - Throws: ``OriginProblem`` with status 401 when they are not the configured ones.
    func checkCredentials(_ fields: HTTPFields) throws(OriginProblem) {
        guard let credentials = configuration.credentials else { return }
        let isToken = ConstantTime.isEqual(fields[.authToken], to: credentials.authToken)
        let isClient = ConstantTime.isEqual(fields[.clientID], to: credentials.clientID)
        guard isToken, isClient else {
            throw OriginProblem(status: 401, message: "The access token or client id is not valid")
        }
    }

    /// Counts the request for its client.
    ///
    /// - Throws: ``OriginProblem`` with status 429 and the whole seconds until the client's window ends.
    func checkRate(of request: HTTPRequest) throws(OriginProblem) {
        guard let limit = configuration.rateLimit else { return }
        let client = signer.signature(of: Array(configuration.client(request).utf8))
        let now = now()
        guard let wait = windows.withLock({ $0.wait(of: client, limit, at: now) }) else { return }
        throw OriginProblem(status: 429, message: "Too many requests", retryAfter: Int((wait + 999) / 1000))
    }
}

extension HTTPField.Name {
    /// The access token of a request.
    static let authToken = makeName("x-auth-token")
    /// The client id of a request.
    static let clientID = makeName("x-client-id")

    /// The number of the last event that a browser has received.
    static let lastEventID = makeName("last-event-id")
    /// Whether a proxy may keep parts of a response until it has more of it.
    static let accelBuffering = makeName("x-accel-buffering")

    static func makeName(_ text: String) -> HTTPField.Name {
        guard let name = HTTPField.Name(text) else { preconditionFailure("\(text) is a token of RFC 9110") }
        return name
    }
}
