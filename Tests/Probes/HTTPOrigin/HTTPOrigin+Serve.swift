// HTTPOrigin+Serve: serves the pages of a test origin over HTTP.

#if Server
import HTTPTypes
import Hummingbird
import LarderServer
import NIOCore

extension HTTPOrigin {
    private struct Broken: Error {}

    /// Serves the pages on a free port of 127.0.0.1 for as long as `body` runs.
    ///
    /// - Parameter body: called with the address, such as `http://127.0.0.1:40123`.
    public func serve<Value: Sendable>(_ body: (_ address: String) async throws -> Value) async throws -> Value {
        let router = Router()
        router.add(middleware: Pages<BasicRequestContext>(origin: self))
        return try await router.serve(grace: .seconds(1), body)
    }

    private struct Pages<Context: RequestContext>: RouterMiddleware {
        let origin: HTTPOrigin

        func handle(
            _ request: Request, context: Context, next: @concurrent (Request, Context) async throws -> Response
        ) async throws -> Response {
            let body = try await request.body.collect(upTo: 32 << 20)
            let seen = OriginRequest(
                method: request.method.rawValue, path: request.uri.string,
                headers: request.headers.map { ($0.name.canonicalName, $0.value) }, body: [UInt8](buffer: body))
            let answer = origin.answer(seen)
            if case .slow(let delay) = answer.fault { try await Task.sleep(for: delay) }
            return try Self.response(answer, isHead: request.method == .head)
        }

        private static func response(_ answer: Answer, isHead: Bool) throws -> Response {
            var headers = HTTPFields()
            for (name, value) in answer.headers {
                guard let name = HTTPField.Name(name) else { continue }
                headers.append(HTTPField(name: name, value: value))
            }
            let status = HTTPResponse.Status(code: answer.status)
            let length = answer.declaresLength ? answer.body.count : nil
            let sent: (bytes: ArraySlice<UInt8>, isBroken: Bool) =
                switch answer.fault {
                case .cut(let count): (answer.body.prefix(count), true)
                case .reset: ([], true)
                default: (answer.body[...], false)
                }
            if isHead || answer.status == 304 || answer.status == 204 {
                if isHead, let length { headers[.contentLength] = String(length) }
                return Response(status: status, headers: headers)
            }
            let body = ResponseBody(contentLength: length) { writer in
                var rest = sent.bytes
                while !rest.isEmpty {
                    try await writer.write(ByteBuffer(bytes: rest.prefix(65_536)))
                    rest = rest.dropFirst(65_536)
                }
                if sent.isBroken { throw Broken() }
                try await writer.finish(nil)
            }
            return Response(status: status, headers: headers, body: body)
        }
    }
}
#endif
