#if Server
import Foundation
import HTTPTypes
import Hummingbird
import LarderServer
import Logging
import NIOCore
import ServiceLifecycle
import Synchronization

/// A clock that stands still until it is moved.
final class TestClock: Sendable {
    private let time = Atomic<Int64>(sampleTime)

    var now: Int64 { time.load(ordering: .relaxed) }

    func advance(milliseconds: Int64) { time.wrappingAdd(milliseconds, ordering: .relaxed) }
}

/// Counts, from any thread.
final class Counter: Sendable {
    private let number = Atomic<Int>(0)

    var value: Int { number.load(ordering: .relaxed) }

    @discardableResult
    func increment() -> Int { number.wrappingAdd(1, ordering: .relaxed).newValue }
}

/// Lets those that wait go on when it is opened.
final class Latch: Sendable {
    private let stream: AsyncStream<Void>
    private let end: AsyncStream<Void>.Continuation

    init() { (stream, end) = AsyncStream.makeStream() }

    func open() { end.finish() }

    func wait() async { for await _ in stream {} }
}

/// A directory with a store of keys and a table `writes`; a test closes and opens it as it likes.
final class KeyedFolder {
    let url = FileManager.default.temporaryDirectory.appending(path: "larder-keys-\(UUID().uuidString)")

    deinit { try? FileManager.default.removeItem(at: url) }

    func open() throws -> LMDBIdempotencyStore {
        try LMDBIdempotencyStore.open(at: url.path, tables: ["writes"], sizeCap: 64 << 20)
    }
}

extension LMDBIdempotencyStore {
    /// The keys of `writes` as texts, in the order of their bytes.
    func writes() throws -> [String] {
        try read { view in
            var names: [String] = []
            try view.forEach(in: "writes") { key, _ in
                names.append(String(decoding: key, as: UTF8.self))
                return true
            }
            return names
        }
    }
}

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
