#if Server
public import Hummingbird
import Logging

extension RouterMethods {
    /// Adds the routes by which a supervisor and a proxy learn of the server's state.
    ///
    /// `GET {path}/live` is answered with 200 as long as the process runs. `GET {path}/ready` is answered with 200 where
    /// `check` succeeds, or else with 503 and `Retry-After`: a proxy then sends its requests to other servers. The bodies
    /// say nothing of the reason, which could name hosts; it is logged.
    ///
    /// ```swift
    /// router.health { try await origin.check() }
    /// ```
    ///
    /// - Parameters:
    ///   - path: The path of the routes.
    ///   - check: Throws while the server cannot answer requests, as without its database.
    @discardableResult
    public func health(
        _ path: RouterPath = "/health", check: @escaping @Sendable () async throws -> Void
    ) -> Self {
        get(path.appendingPath("live")) { _, _ in Self.health(.ok, "live") }
        get(path.appendingPath("ready")) { _, context in
            do {
                try await check()
                return Self.health(.ok, "ready")
            } catch {
                context.logger.warning("not ready", metadata: ["error": "\(error)"])
                return Self.health(.serviceUnavailable, "not ready")
            }
        }
        return self
    }

    private static func health(_ status: HTTPResponse.Status, _ text: String) -> Response {
        var headers: HTTPFields = [.contentType: "text/plain; charset=utf-8", .cacheControl: "no-store"]
        if status != .ok { headers[.retryAfter] = "1" }
        return Response(status: status, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(string: text)))
    }
}
#endif
