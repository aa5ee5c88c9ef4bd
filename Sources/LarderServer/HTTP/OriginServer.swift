#if Server
import Hummingbird
public import Logging

/// An HTTP server with nothing but an origin's content, on a port of this machine.
///
/// ```swift
/// try await OriginServer.run(origin) { baseURL in
///     // baseURL is "http://127.0.0.1:40123/content"
/// }
/// ```
public enum OriginServer {
    /// Serves `origin` until `body` ends.
    ///
    /// It listens on `127.0.0.1` only. When `body` ends, responses under way get two seconds to finish.
    ///
    /// - Parameters:
    ///   - origin: The content to serve.
    ///   - configuration: The HTTP settings.
    ///   - port: The port, or 0 for any that is free.
    ///   - logger: Receives the log of the server; by default nothing is logged.
    ///   - body: Called with the URL that clients append `/api/v4/…` to, once the port accepts connections.
    /// - Throws: The error of `body`; a network error when the port cannot be opened; `CancellationError` when the
    ///   server stops before the port is open.
    public static func run<Value: Sendable>(
        _ origin: some SyncOrigin, _ configuration: OriginConfiguration = OriginConfiguration(), port: Int = 0,
        logger: Logger = Logger(label: "larder.origin", factory: { _ in SwiftLogNoOpLogHandler() }),
        _ body: (_ baseURL: String) async throws -> Value
    ) async throws -> Value {
        let router = Router()
        router.add(middleware: ContentSyncMiddleware(origin, configuration))
        return try await router.serve(port: port, logger: logger) { try await body($0 + configuration.basePath) }
    }
}
#endif
