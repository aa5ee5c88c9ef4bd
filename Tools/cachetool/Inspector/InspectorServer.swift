#if Server
import Foundation
import HTTPTypes
import Hummingbird
import LarderServer
import NIOCore
import Synchronization

/// Serves the pages of an inspector on 127.0.0.1.
struct InspectorServer: Sendable {
    /// Creates the inspector once the port is known.
    let inspector: @Sendable (_ port: Int) -> Inspector

    /// Serves until `body` ends.
    ///
    /// - Parameters:
    ///   - port: the port; 0 for any that is free.
    ///   - body: called with the address of the first page once connections are accepted.
    /// - Throws: ``ToolError`` when another program has the port; a network error when it cannot be opened; the error of
    ///   `body`.
    func serve<Value: Sendable>(port: Int, _ body: (_ address: String) async throws -> Value) async throws -> Value {
        let pages = Pages()
        let router = Router()
        router.add(middleware: pages)
        return try await serving(router, port) { address in
            guard let port = address.split(separator: ":").last.flatMap({ Int($0) }) else {
                preconditionFailure("an address without a port: \(address)")
            }
            let inspector = inspector(port)
            pages.inspector.withLock { $0 = inspector }
            return try await body("\(address)/\(inspector.token)/")
        }
    }

    private func serving<Value: Sendable>(
        _ router: Router<BasicRequestContext>, _ port: Int, _ body: (_ address: String) async throws -> Value
    ) async throws -> Value {
        do {
            return try await router.serve(port: port, body)
        } catch let error as IOError where error.errnoCode == EADDRINUSE {
            throw ToolError.system("Port \(port) is in use: name another one, or none for any that is free.")
        }
    }

    /// Answers every request by the inspector.
    private final class Pages: RouterMiddleware {
        typealias Context = BasicRequestContext

        let inspector = Mutex<Inspector?>(nil)
        /// The longest form, in bytes.
        private static let formLimit = 64 << 10
        private static let fetchSite = HTTPField.Name("Sec-Fetch-Site")
        private static let host = HTTPField.Name("Host")

        /// Pages block, some for seconds: they are made on threads of their own, so that others are answered meanwhile.
        private let threads: OperationQueue = {
            let queue = OperationQueue()
            queue.maxConcurrentOperationCount = 4
            return queue
        }()

        @concurrent
        func handle(
            _ request: Request, context: BasicRequestContext,
            next: @concurrent (Request, BasicRequestContext) async throws -> Response
        ) async throws -> Response {
            guard let inspector = inspector.withLock({ $0 }) else { throw HTTPError(.serviceUnavailable) }
            var wanted = InspectorRequest(
                method: request.method.rawValue, target: request.uri.string, host: request.head.authority,
                origin: request.headers[.origin], fetchSite: Self.fetchSite.flatMap { request.headers[$0] })
            // RFC 9112 §3.2: a request that names two hosts is invalid. The first one is the authority.
            if let host = Self.host, request.headers[host] != nil { throw HTTPError(.badRequest) }
            if let refusal = inspector.refusal(of: wanted) {
                return response(refusal, isHead: request.method == .head)
            }
            if request.method == .post {
                wanted.body = Array(buffer: try await request.body.collect(upTo: Self.formLimit))
            }
            let made = await withCheckedContinuation { continuation in
                threads.addOperation { [wanted] in continuation.resume(returning: inspector.respond(to: wanted)) }
            }
            return response(made, isHead: request.method == .head)
        }

        private func response(_ made: InspectorResponse, isHead: Bool) -> Response {
            var fields = HTTPFields()
            for (name, value) in InspectorResponse.fields {
                if let name = HTTPField.Name(name) { fields[name] = value }
            }
            fields[.contentType] = made.type
            fields[.location] = made.location
            let body = ByteBuffer(bytes: made.body)
            return Response(
                status: .init(code: made.status), headers: fields,
                body: isHead
                    ? ResponseBody(contentLength: body.readableBytes) { writer in try await writer.finish(nil) }
                    : ResponseBody(byteBuffer: body))
        }
    }
}
#endif
