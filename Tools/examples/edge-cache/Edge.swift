#if Server && AsyncHTTPClient
import Foundation
import HTTPTypes
import Hummingbird
import Larder
import LarderHTTP
import LarderStore
import LarderTransport
import NIOCore

/// Answers the requests for one service from a cache, and passes on what the cache cannot answer.
struct Edge: RouterMiddleware {
    typealias Context = BasicRequestContext

    /// The longest body of a request that is passed on, in bytes.
    private static let uploadLimit = 16 << 20

    let origin: BaseURL
    let cache: HTTPCache

    /// Creates a cache of `origin` that keeps responses in `store`.
    ///
    /// - Parameters:
    ///   - timeout: The longest wait for the head of the origin's answer.
    ///   - alwaysServesStale: Whether stale responses are used without the origin even where they forbid it.
    init(
        of origin: BaseURL, store: Store, transport: any Transport, timeout: Duration = .seconds(10),
        alwaysServesStale: Bool = false
    ) {
        self.origin = origin
        let options = HTTPCacheOptions(
            fileLimit: 64 << 20, concurrentExchanges: 64, timeouts: TransportTimeouts(head: timeout),
            servesStoredOffline: alwaysServesStale)
        // Whether this machine has a network says nothing about an origin that may run on it: `isOnline` stays true.
        cache = HTTPCache(
            transport: SharedCacheRules(base: transport), persistent: StoreResponseCache(store: store),
            options: options, services: .system(logger: Logger(label: "edge-cache")))
    }

    /// The routes of the server: all requests go to the cache.
    var router: Router<BasicRequestContext> {
        let router = Router()
        router.add(middleware: self)
        return router
    }

    /// Serves until the process receives SIGINT or SIGTERM, and requests under way have been answered.
    ///
    /// - Parameter started: Called with the port once it accepts connections.
    func run(port: Int, started: @escaping @Sendable (_ port: Int) -> Void) async throws {
        var logger = Logger(label: "edge-cache")
        logger.logLevel = .warning
        let application = Application(
            router: router, configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: port)),
            onServerRunning: { channel in started(channel.localAddress?.port ?? port) }, logger: logger)
        try await application.runService()
        await cache.close()
    }

    func handle(
        _ request: Request, context: Context, next: @concurrent (Request, Context) async throws -> Response
    ) async throws -> Response {
        guard request.uri.string.hasPrefix("/") else { return Self.problem(.badRequest, "The path has no slash.") }
        var body: [UInt8]?
        if request.method != .get, request.method != .head {
            do {
                body = [UInt8](buffer: try await request.body.collect(upTo: Self.uploadLimit))
            } catch is NIOTooManyBytesError {
                return Self.problem(.contentTooLarge, "The body is longer than \(Self.uploadLimit) bytes.")
            }
        }
        let forwarded = origin.request(
            request.method, appending: request.uri.string, headers: Forwarding.request(request.headers))
        do throws(HTTPCacheError) {
            let answer = try await cache.fetch(FetchRequest(forwarded, body: body), Self.strategy(for: request))
            return Self.response(answer, to: request.method)
        } catch {
            return Self.problem(error)
        }
    }

    /// Requests with credentials bypass the cache, so that no client gets what was made for another.
    private static func strategy(for request: Request) -> SingleAnswerStrategy {
        let isPersonal = request.headers[.authorization] != nil || request.headers[.cookie] != nil
        return isPersonal ? .networkOnly : .staleIfOffline
    }

    private static func response(_ answer: Fetched<HTTPAnswer>, to method: HTTPRequest.Method) -> Response {
        let head = answer.value.head
        var fields = Forwarding.response(head.headerFields)
        let status = CacheStatus(answer, now: Int64(Date().timeIntervalSince1970 * 1000))
        fields.append(HTTPField(name: .cacheStatus, value: status.description))
        let hasBody = method != .head && head.status != .noContent && head.status != .notModified
        let length = fields[.contentLength].flatMap { Int($0) }
        let body = ResponseBody(contentLength: length) { writer in
            // The origin is read as fast as this client reads: a body is never in memory as a whole.
            if hasBody { for try await piece in answer.value.body { try await writer.write(ByteBuffer(bytes: piece)) } }
            try await writer.finish(nil)
        }
        return Response(status: head.status, headers: fields, body: body)
    }

    /// RFC 9110 §15.6.3 and §15.6.5: 502 for an origin without an answer, 504 for one that is too late.
    private static func problem(_ error: HTTPCacheError) -> Response {
        switch error {
        case .invalidRequest: problem(.badRequest, "\(error)")
        case .transport where error.isTimeoutError: problem(.gatewayTimeout, "The origin is too slow: \(error).")
        default: problem(.badGateway, "The origin gave no answer, and nothing that is stored may be used: \(error).")
        }
    }

    private static func problem(_ status: HTTPResponse.Status, _ text: String) -> Response {
        let fields: HTTPFields = [
            .contentType: "text/plain; charset=utf-8", .cacheControl: "no-store",
            .cacheStatus: "edge-cache; detail=\(status.code == 400 ? "refused" : "no-answer")",
        ]
        return Response(
            status: status, headers: fields, body: ResponseBody(byteBuffer: ByteBuffer(string: text + "\n")))
    }
}
#endif
