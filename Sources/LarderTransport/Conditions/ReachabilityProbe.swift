public import HTTPTypes

/// Finds out whether the server responds, by sending it a request.
public protocol ReachabilityProbe: Sendable {
    /// Returns whether the server itself responded just now; false also when the task is cancelled.
    ///
    /// The call must end in bounded time. It is made after something other than the server has responded, and again at
    /// intervals until the server does, so it may cost one small exchange.
    func isReachable() async -> Bool
}

/// Sends the server one small GET.
///
/// Any response of the server itself counts, errors included: a server that sends 401 or 503 is reachable.
/// ``CaptivePortal`` decides which responses are not the server's. A failed exchange, as without a route, a name or a
/// valid certificate, counts as no response. The body is not read.
public struct HTTPReachabilityProbe: ReachabilityProbe {
    private let transport: any Transport
    private let request: HTTPRequest
    private let timeouts: TransportTimeouts

    /// Creates a probe of one address.
    ///
    /// - Parameters:
    ///   - transport: Sends the request; it must not follow redirects, as no ``Transport`` does.
    ///   - base: The server.
    ///   - path: The path to request, appended to the base: something small that the server sends as JSON or without a
    ///     body. Traps when it is not a path that can be sent; see ``RequestTarget``.
    ///   - headers: The fields to send. Unless they contain `Accept` and `Cache-Control`, the request accepts JSON and
    ///     no cached response.
    ///   - timeout: The limit for the head of the response, connecting included; positive.
    public init(
        transport: any Transport, base: BaseURL, path: String, headers: HTTPFields = [:],
        timeout: Duration = .seconds(5)
    ) {
        var fields = headers
        if fields[.accept] == nil { fields[.accept] = "application/json" }
        if fields[.cacheControl] == nil { fields[.cacheControl] = "no-cache" }
        let request = base.request(appending: path, headers: fields)
        precondition((try? RequestTarget(request)) != nil, "not a path that can be requested: \(path)")
        self.transport = transport
        self.request = request
        self.timeouts = TransportTimeouts(connect: timeout, head: timeout, idle: timeout)
    }

    /// Returns whether a response of the server itself arrived in time.
    public func isReachable() async -> Bool {
        do throws(TransportError) {
            let head = try await transport.send(request, timeouts: timeouts).head
            return !CaptivePortal.isLikely(status: head.status.code, contentType: head.headerFields[.contentType])
        } catch {
            return false
        }
    }
}
