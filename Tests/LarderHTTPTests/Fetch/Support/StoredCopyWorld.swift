// StoredCopyWorld: a real response cache, a server that can be changed, and a program that decodes one word.

import HTTPTypes
import LarderHTTP
import LarderTesting
import LarderTransport
import Synchronization

/// A cache over a real place for responses, a server that can be changed, and a program that understands one word.
final class StoredCopyWorld: Sendable {
    struct UndecodableBody: Error {}

    /// The server, whose state can be changed.
    final class Server: Sendable {
        private struct State {
            var answer: @Sendable () -> TransportResponse
            var isUp = true
            var sent: [HTTPRequest] = []
        }

        private let state: Mutex<State>

        init(_ answer: @escaping @Sendable () -> TransportResponse) { state = Mutex(State(answer: answer)) }

        var isUp: Bool { state.withLock { $0.isUp } }
        var sent: [HTTPRequest] { state.withLock { $0.sent } }

        /// A body can be read once: each request gets an answer of its own.
        func set(_ answer: @autoclosure @escaping @Sendable () -> TransportResponse) {
            state.withLock { $0.answer = answer }
        }

        /// One answer, and another from then on.
        func set(
            _ answer: @autoclosure @escaping @Sendable () -> TransportResponse,
            then next: @autoclosure @escaping @Sendable () -> TransportResponse
        ) {
            let isFirst = Flag(true)
            state.withLock { state in
                state.answer = {
                    defer { isFirst.value = false }
                    return isFirst.value ? answer() : next()
                }
            }
        }

        func stop() { state.withLock { $0.isUp = false } }
        func restart() { state.withLock { $0.isUp = true } }

        func reply(to request: HTTPRequest) throws(TransportError) -> TransportResponse {
            let (answer, isUp) = state.withLock { state in
                state.sent.append(request)
                return (state.answer, state.isUp)
            }
            if isUp { return answer() } else { throw .connectionRefused }
        }
    }

    static let good = "{\"word\":1}"

    let clock: VirtualClock
    let cache: HTTPCache
    let server: Server

    init(
        _ place: any ResponseCache, policy: CachePolicy = CachePolicy(), clock: VirtualClock = VirtualClock(),
        _ answer: @autoclosure @escaping @Sendable () -> TransportResponse = json(good, "max-age=60")
    ) {
        self.clock = clock
        let server = Server(answer)
        self.server = server
        cache = HTTPCache(
            transport: HandlerTransport { (request, _) throws(TransportError) in try server.reply(to: request) },
            persistent: place, policy: policy, services: .virtual(clock), isOnline: { server.isUp })
    }

    static let decode: @Sendable ([UInt8]) throws -> String = { bytes in
        let text = String(decoding: bytes, as: UTF8.self)
        if text.hasPrefix("{"), text.hasSuffix("}") { return text }
        throw UndecodableBody()
    }

    func value(_ strategy: SingleAnswerStrategy = .standard, _ fetchRequest: FetchRequest = request()) async throws
        -> String
    {
        try await cache.value(of: fetchRequest, strategy, decoding: Self.decode).value
    }

    /// Whether the program gets no value with the server's present response.
    func fails(_ strategy: SingleAnswerStrategy = .standard, _ fetchRequest: FetchRequest = request()) async -> Bool {
        do { return try await value(strategy, fetchRequest).isEmpty } catch { return true }
    }
}

func json(_ body: String, _ cacheControl: String, _ more: HTTPFields = [:]) -> TransportResponse {
    var fields: HTTPFields = [.contentType: "application/json", .cacheControl: cacheControl]
    for field in more { fields.append(field) }
    return ok(fields, body)
}
