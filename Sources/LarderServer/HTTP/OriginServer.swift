#if Server
import Hummingbird
public import Logging
import NIOCore
import ServiceLifecycle

/// An HTTP server with nothing but an origin's content, on a port of this machine.
///
/// ```swift
/// try await OriginServer.run(origin) { baseURL in
///     // baseURL is "http://127.0.0.1:40123/content"
/// }
/// ```
public enum OriginServer {
    /// The time a stopping server waits for responses under way before it aborts them.
    private static let shutdownTimeout = Duration.seconds(2)

    /// Serves `origin` until `body` ends.
    ///
    /// It listens on `127.0.0.1` only. When `body` ends, responses under way get two seconds to finish.
    ///
    /// - Parameters:
    ///   - port: The port, or 0 for any that is free.
    ///   - body: Called with the URL that clients append `/api/v4/…` to, once the port accepts connections.
    /// - Throws: The error of `body`; a network error when the port cannot be opened; `CancellationError` when the
    ///   server stops before the port is open.
    public static func run<Value: Sendable>(
        _ origin: Origin, _ configuration: OriginConfiguration = OriginConfiguration(), port: Int = 0,
        logger: Logger = Logger(label: "larder.origin", factory: { _ in SwiftLogNoOpLogHandler() }),
        _ body: (_ baseURL: String) async throws -> Value
    ) async throws -> Value {
        let (ports, opened) = AsyncStream<Int>.makeStream(bufferingPolicy: .bufferingNewest(1))
        let router = Router()
        router.add(middleware: ContentSyncMiddleware(origin, configuration))
        let application = Application(
            router: router, configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: port)),
            onServerRunning: { channel in
                if let port = channel.localAddress?.port { opened.yield(port) }
            }, logger: logger)
        var settings = ServiceGroupConfiguration(services: [application], logger: logger)
        settings.maximumGracefulShutdownDuration = shutdownTimeout
        let services = ServiceGroup(configuration: settings)
        return try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                // Ends the wait below also when the port cannot be opened.
                defer { opened.finish() }
                try await services.run()
            }
            var iterator = ports.makeAsyncIterator()
            guard let port = await iterator.next() else {
                try await group.waitForAll()
                throw CancellationError()
            }
            let outcome: Result<Value, any Error>
            do {
                outcome = .success(try await body("http://127.0.0.1:\(port)\(configuration.basePath)"))
            } catch {
                outcome = .failure(error)
            }
            await services.triggerGracefulShutdown()
            // The body has finished, so an aborted response does not change its outcome.
            try? await group.waitForAll()
            return try outcome.get()
        }
    }
}
#endif
