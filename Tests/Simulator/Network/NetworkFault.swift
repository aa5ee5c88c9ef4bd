// NetworkFault: one fault of a request, and its permitted effect on a client.

/// One thing that goes wrong with a request, and what it may rightly do to a client.
///
/// Whatever happens, a client shows the server's rows at each resource's applied sequence, and keeps its token until a
/// run is whole. No fault makes up what only a server can say: a payload inside an intact answer, a
/// `snapshot_not_found`, a token, or changes left out in the middle of a run. No client could detect it, and no
/// real connection does it.
package enum NetworkFault: Int, CaseIterable, Hashable, Sendable {
    /// No connection comes about; the server never sees the request. The run fails and is tried again.
    case lostBefore
    /// The server answers, and the connection ends before the head. As ``lostBefore``, for requests that change nothing.
    case lostAfter
    /// Nothing ever comes; the client's own limit ends the exchange.
    case stalledBeforeHead
    /// The body stops in the middle and nothing ever follows. Staged rows must not become visible.
    case stalledInBody
    /// The connection ends in the middle of the body. Staged rows must not become visible.
    case cut
    /// The body ends early as if it were whole: the work of a bad proxy. The JSON is not closed, so it is noticed.
    case truncated
    /// A byte of the body becomes a control character, which no JSON has.
    case corrupted
    /// An earlier answer to the very same request comes again: a stale replica or cache. What it says was true once, so
    /// applied sequences have to drop its changes and refuse its snapshots. Only where it comes again and again may the
    /// client treat the server as restored, and a resource go back to the rows of that server.
    case repeated
    /// An answer to another request comes. Either the client can detect it: a page for a snapshot and the reverse, the
    /// snapshot of another resource, a page with a change that the filter does not cover. Or it is harmless: an earlier
    /// page of the same filter. The run fails, or repeats what it knows.
    case mixedUp
    /// 429 with `Retry-After`, which the client keeps to.
    case rateLimited
    /// 500, 502, 503 or 504.
    case serverError
    /// 401: the credentials are asked for again, once in a run; the token stays.
    case unauthorized
    /// 403: the run fails; the token stays.
    case forbidden
    /// 404 without `snapshot_not_found`: the run fails; no resource is hidden.
    case notFound
    /// 302 to somewhere else, never followed.
    case redirected
    /// 200 with a page of HTML: a captive portal.
    case portal
    /// 410 out of nothing. For a page: the token is discarded and the filter is bootstrapped. For a snapshot: the run
    /// fails.
    case resyncRequired

    /// Whether it tends to last for some requests.
    var comesInStorms: Bool {
        switch self {
        case .lostBefore, .rateLimited, .serverError, .unauthorized, .forbidden, .redirected, .portal: true
        default: false
        }
    }
}
