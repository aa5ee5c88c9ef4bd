import HTTPTypes
import Synchronization

/// Checks the credentials and the rate of requests before they are handled.
final class RequestGuard: Sendable {
    private struct Window {
        var start: Int64
        var count: Int
    }

    private let configuration: OriginConfiguration
    private let now: @Sendable () -> Int64
    private let window = Mutex<Window?>(nil)

    init(_ configuration: OriginConfiguration, now: @escaping @Sendable () -> Int64) {
        self.configuration = configuration
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

    /// Counts the request.
    ///
    /// - Throws: ``OriginProblem`` with status 429 and the whole seconds until the window ends.
    func checkRate() throws(OriginProblem) {
        guard let limit = configuration.rateLimit else { return }
        let now = now()
        let length = Int64(limit.seconds) * 1000
        let wait = window.withLock { window -> Int64? in
            guard var current = window, now >= current.start, now - current.start < length else {
                window = Window(start: now, count: 1)
                return limit.requests >= 1 ? nil : length
            }
            current.count += current.count <= limit.requests ? 1 : 0
            window = current
            return current.count <= limit.requests ? nil : length - (now - current.start)
        }
        guard let wait else { return }
        throw OriginProblem(status: 429, message: "Too many requests", retryAfter: Int((wait + 999) / 1000))
    }
}

extension HTTPField.Name {
    /// The access token of a request.
    static let authToken = makeName("x-auth-token")
    /// The client id of a request.
    static let clientID = makeName("x-client-id")

    static func makeName(_ text: String) -> HTTPField.Name {
        guard let name = HTTPField.Name(text) else { preconditionFailure("\(text) is a token of RFC 9110") }
        return name
    }
}
