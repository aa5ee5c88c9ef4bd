#if Server
import HTTPTypes
public import Hummingbird
import NIOCore
import ServiceLifecycle

/// Serves an origin's content under a base path, and passes all other requests on.
///
/// | method and path under the base path | response |
/// | --- | --- |
/// | `GET /api/v4/resources/sync?…` | one page of a run |
/// | `GET /api/v4/resources/snapshots/{group}/{id}` | a snapshot, streamed |
/// | `GET /api/v4/resources/events?resources=…&after=…` | server-sent events: which filters have changes |
/// | `GET /api/lists/{group}/{id}?page=0&size=50` or `?after=key&size=50` | rows in key order, see ``ListQuery`` |
/// | `/admin/…` | changes of content, where the configuration allows it |
///
/// Responses carry `Cache-Control: no-store`, but for snapshots whose URL names a version. `docs/protocol.md` describes all of
/// them. An existing backend adds the middleware to its router;
/// ``OriginServer`` is a server with nothing else.
///
/// ```swift
/// router.add(middleware: ContentSyncMiddleware(origin, configuration))
/// ```
public struct ContentSyncMiddleware<Context: RequestContext>: RouterMiddleware {
    private let origin: any SyncOrigin
    private let configuration: OriginConfiguration
    private let requestGuard: RequestGuard
    private let administration: Administration?
    private let feed: ChangeFeed?

    /// Creates a middleware that serves `origin`.
    ///
    /// - Precondition: An origin whose configuration allows administration is an ``EditableOrigin``.
    public init(_ origin: some SyncOrigin, _ configuration: OriginConfiguration = OriginConfiguration()) {
        self.origin = origin
        self.configuration = configuration
        requestGuard = RequestGuard(configuration, TicketSigner(secret: origin.secret), now: origin.now)
        let editable = origin as? any EditableOrigin
        precondition(!configuration.isAdministrable || editable != nil, "this origin cannot be changed")
        administration = configuration.isAdministrable ? editable.map(Administration.init) : nil
        feed = configuration.events.map { ChangeFeed(origin, $0) }
    }

    /// Responds to requests under the base path and passes the others on.
    ///
    /// - Throws: The errors of `next`.
    @concurrent
    public func handle(
        _ request: Request, context: Context, next: @concurrent (Request, Context) async throws -> Response
    ) async throws -> Response {
        let parts = (request.head.path ?? "/").split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        let path = parts[0]
        guard path.hasPrefix(configuration.basePath + "/") else { return try await next(request, context) }
        let query = parts.count == 2 ? parts[1] : ""
        do throws(OriginProblem) {
            if let problem = await configuration.intercept?(request.head) { throw problem }
            try requestGuard.checkCredentials(request.headers)
            let segments = try Self.segments(path.dropFirst(configuration.basePath.count + 1))
            if let administration, segments.first == "admin" {
                if configuration.credentials == nil { try LocalRequest.check(request.head) }
                let body = try await administration.handle(request, path: Array(segments.dropFirst()), query: query)
                return Self.response(.ok, body)
            }
            try requestGuard.checkRate(of: request.head)
            if let feed, segments == ["api", "v4", "resources", "events"], request.method == .get {
                let query = try EventQuery(parsing: query, lastEventID: request.headers[.lastEventID])
                return try await Self.response(query, of: feed)
            }
            return try await read(request.method, segments, query: query)
        } catch {
            let response = Self.response(error)
            // A response to HEAD has no body (RFC 9110 §9.3.2).
            return request.method == .head ? response.createHeadResponse() : response
        }
    }

    private func read(
        _ method: HTTPRequest.Method, _ path: [String], query: Substring
    ) async throws(OriginProblem) -> Response {
        if path.starts(with: ["api", "lists"]), path.count == 4, method == .get, let id = Int64(path[3]) {
            let list = try await origin.list(of: Origin.ResourceID(path[2], id), ListQuery(parsing: query))
            return Self.response(.ok, list)
        }
        guard path.starts(with: ["api", "v4", "resources"]), method == .get else { throw .notFound }
        switch path.count {
        case 4 where path[3] == "sync":
            return Self.response(.ok, try await origin.page(OriginQuery(parsing: String(query))).body)
        case 6 where path[3] == "snapshots":
            // An unknown group is reported before an impossible id.
            let id = Int64(path[5]).flatMap { String($0) == path[5] ? $0 : nil }
            let version = Administration.parameter("version", query)
            return response(
                try await origin.snapshot(of: Origin.ResourceID(path[4], id ?? 0), version: version))
        default:
            throw .notFound
        }
    }

    private static func segments(_ path: Substring) throws(OriginProblem) -> [String] {
        var segments: [String] = []
        for part in path.split(separator: "/", omittingEmptySubsequences: false) {
            guard let segment = PercentEncoding.decode(part) else {
                throw .invalidRequest("the path is not percent-encoded UTF-8")
            }
            segments.append(segment)
        }
        return segments
    }
}

extension ContentSyncMiddleware {
    /// Streams events until the client goes, its time is over, or the server stops.
    private static func response(_ query: EventQuery, of feed: ChangeFeed) async throws(OriginProblem) -> Response {
        let subscription = try await feed.listen(query)
        let body = ResponseBody { writer in
            defer { subscription.end() }
            for await _ in subscription.wakes.cancelOnGracefulShutdown() {
                let events = subscription.events()
                // A comment shows that the connection is alive, to both ends and to proxies between.
                let text =
                    events.filters.isEmpty
                    ? ":\n\n"
                    : events.filters.map { filter in
                        "id: \(events.sequence.map(String.init) ?? "")\nevent: change\ndata: \(filter)\n\n"
                    }.joined()
                try await writer.write(ByteBuffer(string: text))
            }
            try await writer.finish(nil)
        }
        // nginx passes each event on at once, where this field says so.
        return Response(
            status: .ok,
            headers: [
                .contentType: "text/event-stream", .cacheControl: "no-store", .accelBuffering: "no",
            ], body: body)
    }

    private static func response(_ status: HTTPResponse.Status, _ body: [UInt8]) -> Response {
        Response(status: status, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(bytes: body)))
    }

    private static func response(_ problem: OriginProblem) -> Response {
        var response = response(HTTPResponse.Status(code: problem.status), problem.body)
        if let seconds = problem.retryAfter { response.headers[.retryAfter] = String(seconds) }
        return response
    }

    /// Streams a snapshot; the next piece is made only when the connection has accepted the last one.
    ///
    /// Caches may keep a version for five minutes, not for ever: a client keeps the URL of a resource, and after an eviction
    /// fetches what includes all that it has applied since. Between the client and a server that checks its credentials, only
    /// the client's own cache may.
    private func response(_ snapshot: OriginSnapshot) -> Response {
        let body = ResponseBody(contentLength: snapshot.isVersion ? snapshot.reduce(0) { $0 + $1.count } : nil) {
            writer in
            for piece in snapshot { try await writer.write(ByteBuffer(bytes: piece)) }
            try await writer.finish(nil)
        }
        var headers = Self.headers
        if snapshot.isVersion {
            let isOpen = configuration.credentials == nil && configuration.intercept == nil
            headers[.cacheControl] = "\(isOpen ? "public" : "private"), max-age=300"
            headers[.eTag] = "\"\(snapshot.sequence)\""
            headers[.lastModified] = ChangeTime(milliseconds: origin.now()).httpDate
        }
        return Response(status: .ok, headers: headers, body: body)
    }

    private static var headers: HTTPFields {
        [.contentType: "application/json; charset=utf-8", .cacheControl: "no-store"]
    }
}
#endif
