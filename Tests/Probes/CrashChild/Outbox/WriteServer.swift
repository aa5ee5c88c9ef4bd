// WriteServer: accepts writes over HTTP until it is killed, and appends each to a table.

#if Server
import CrashWorld
import Foundation
import HTTPTypes
import Hummingbird
import LarderServer
import Logging
import NIOCore

/// Takes writes over HTTP until it is killed, and appends each one to a table: `crash-child serve <store> <port> <seed>`.
///
/// Says `listening <port>` when it does, and `replayed` for each answer that it gives again. Every pause is there for a kill to fall into.
struct WriteServer {
    let path: String
    /// The port, or 0 for any that is free.
    let port: Int
    let seed: UInt64

    func run() async throws {
        let store = try AppliedWrites.open(at: path)
        let random = SharedRandom(seed: seed)
        let router = Router()
        router.add(middleware: RandomDelay(random: random))
        let executor = IdempotencyExecutor(store, now: { Int64(Date().timeIntervalSince1970 * 1000) })
        let effect = { @Sendable (request: IdempotentRequest, _: BasicRequestContext) in
            await random.pause(mostMilliseconds: 15)
            // What is refused for now was applied already, and has to be undone.
            let isRefused = random.happens(onceIn: 40)
            return { @Sendable (transaction: inout ServerTransaction) in
                try AppliedWrites.append(request.body, to: &transaction)
                return isRefused
                    ? IdempotentResponse(.serviceUnavailable, fields: [.retryAfter: "0"])
                    : IdempotentResponse(.created, json: "{}")
            }
        }
        let account = { @Sendable (_: Request, _: BasicRequestContext) in "writer" }
        router.idempotent(.post, "/writes/{lane}", through: executor, account: account, effect: effect)
        router.idempotentBatch(through: executor, account: account, effect: effect)
        try await router.listen(on: port)
    }
}

extension Router<BasicRequestContext> {
    /// Serves until the process ends; says `listening <port>` when it does.
    func listen(on port: Int) async throws {
        let application = Application(
            router: self, configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: port)),
            onServerRunning: { channel in
                if let port = channel.localAddress?.port { printLine("listening \(port)") }
            }, logger: Logger(label: "server", factory: { _ in SwiftLogNoOpLogHandler() }))
        try await application.run()
    }
}

/// Holds answers back that are decided, so that a kill loses them.
struct RandomDelay<Context: RequestContext>: RouterMiddleware {
    let random: SharedRandom

    @concurrent
    func handle(
        _ request: Request, context: Context, next: @concurrent (Request, Context) async throws -> Response
    ) async throws -> Response {
        let response = try await next(request, context)
        if response.headers[.idempotencyReplayed] != nil { printLine("replayed") }
        await random.pause(mostMilliseconds: 25)
        return response
    }
}
#endif
