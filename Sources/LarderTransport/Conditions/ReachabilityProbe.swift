public import HTTPTypes

/// Finds out whether the server answers, by asking it.
public protocol ReachabilityProbe: Sendable {
    /// Whether the server itself answered just now; false, too, when the task is cancelled.
    ///
    /// Takes as long as it must, but not for ever. It is called after something else has answered in the server's
    /// place, and again every now and then until the server does, so it may cost one small exchange.
    func isReachable() async -> Bool
}

/// Asks the server by one small GET.
///
/// Any answer of the server's own counts, errors included: a server that says 401 or 503 is reachable, and what to make of
/// such an answer is for the run that gets it. What counts as somebody else's answer, ``CaptivePortal`` tells. A failed
/// exchange, as without a route, a name or a valid certificate, counts as no answer. The body is not read.
public struct HTTPReachabilityProbe: ReachabilityProbe {
    private let transport: any Transport
    private let request: HTTPRequest
    private let timeouts: TransportTimeouts

    /// A probe of one address.
    ///
    /// - Parameters:
    ///   - transport: sends the request; it must not follow redirects, as no ``Transport`` does.
    ///   - base: the server.
    ///   - path: what to ask for, appended to the base: something small that the server answers in JSON or without a body.
    ///     Traps when it is not a path that can be sent; see ``RequestTarget``.
    ///   - headers: the fields to send; no answer from a cache on the way is wanted and JSON is, unless they say otherwise.
    ///   - timeout: how long the head of the answer may take, connecting included; positive.
    public init(
        transport: any Transport, base: BaseURL, path: String, headers: HTTPFields = [:],
        timeout: Duration = .seconds(5)
    ) {
        var fields = headers
        if fields[.accept] == nil { fields[.accept] = "application/json" }
        if fields[.cacheControl] == nil { fields[.cacheControl] = "no-cache" }
        let request = base.request(appending: path, headers: fields)
        precondition((try? RequestTarget(request)) != nil, "not a path to ask for: \(path)")
        self.transport = transport
        self.request = request
        self.timeouts = TransportTimeouts(connect: timeout, head: timeout, idle: timeout)
    }

    /// Whether an answer of the server's own came in time.
    public func isReachable() async -> Bool {
        do throws(TransportError) {
            let head = try await transport.send(request, timeouts: timeouts).head
            return !CaptivePortal.isLikely(status: head.status.code, contentType: head.headerFields[.contentType])
        } catch {
            return false
        }
    }
}
