#if Server
public import Hummingbird
public import Logging
import NIOCore
import ServiceLifecycle

extension Router where Context.Source == ApplicationRequestContextSource {
    /// Serves the routes on `127.0.0.1` until `body` ends.
    ///
    /// A server to develop and test an app against: an origin's content, and routes of the app beside it.
    ///
    /// ```swift
    /// router.add(middleware: ContentSyncMiddleware(origin))
    /// router.put("notes/:id") { request, context in try await save(request, context) }
    /// try await router.serve { address in try await check(api: address, content: "\(address)/content") }
    /// ```
    ///
    /// - Parameters:
    ///   - port: The port, or 0 for any that is free.
    ///   - grace: The time that responses under way get when `body` has ended, before they are aborted.
    ///   - logger: Receives the log of the server; by default nothing is logged.
    ///   - body: Called with the address, such as `http://127.0.0.1:40123`, once the port accepts connections.
    /// - Throws: The error of `body`; a network error when the port cannot be opened; `CancellationError` when the
    ///   server stops before the port is open.
    public func serve<Value: Sendable>(
        port: Int = 0, grace: Duration = .seconds(2),
        logger: Logger = Logger(label: "larder.origin", factory: { _ in SwiftLogNoOpLogHandler() }),
        _ body: (_ address: String) async throws -> Value
    ) async throws -> Value {
        let (ports, opened) = AsyncStream<Int>.makeStream(bufferingPolicy: .bufferingNewest(1))
        let application = Application(
            router: self, configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: port)),
            onServerRunning: { channel in
                if let port = channel.localAddress?.port { opened.yield(port) }
            }, logger: logger)
        var settings = ServiceGroupConfiguration(services: [application], logger: logger)
        settings.maximumGracefulShutdownDuration = grace
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
                outcome = .success(try await body("http://127.0.0.1:\(port)"))
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
