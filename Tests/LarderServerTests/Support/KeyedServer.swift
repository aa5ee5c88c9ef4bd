// serve(_:): runs a router with an account per request for the tests of idempotency.

#if Server
import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import ServiceLifecycle

/// Whose keys a test's requests use: the field `X-Account`, or nobody's.
func account(of request: Request) -> String {
    HTTPField.Name("X-Account").flatMap { request.headers[$0] } ?? ""
}

/// Serves `router` on a free port of this machine for as long as `body` runs.
func serve<Context: RequestContext, Value: Sendable>(
    _ router: Router<Context>, _ body: (_ base: String) async throws -> Value
) async throws -> Value where Context.Source == ApplicationRequestContextSource {
    let (ports, opened) = AsyncStream<Int>.makeStream(bufferingPolicy: .bufferingNewest(1))
    let logger = Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() })
    let application = Application(
        router: router, configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: 0)),
        onServerRunning: { channel in
            if let port = channel.localAddress?.port { opened.yield(port) }
        }, logger: logger)
    var settings = ServiceGroupConfiguration(services: [application], logger: logger)
    settings.maximumGracefulShutdownDuration = .seconds(2)
    let services = ServiceGroup(configuration: settings)
    return try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask {
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
        try? await group.waitForAll()
        return try outcome.get()
    }
}
#endif
