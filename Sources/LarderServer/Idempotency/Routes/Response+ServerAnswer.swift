#if Server
import HTTPTypes
import Hummingbird
import NIOCore

extension Response {
    /// The answer as Hummingbird sends it.
    init(_ answer: ServerAnswer) {
        self.init(
            status: answer.status, headers: answer.fields,
            body: answer.body.isEmpty ? ResponseBody() : ResponseBody(byteBuffer: ByteBuffer(bytes: answer.body)))
    }
}

extension IdempotencyPolicy {
    /// Reads the whole body.
    ///
    /// - Throws: 413; an error of the connection.
    func body(of request: inout Request) async throws -> [UInt8] {
        do {
            return Array(try await request.collectBody(upTo: longestBody).readableBytesView)
        } catch is NIOTooManyBytesError {
            throw IdempotencyProblem.bodyTooLong(limit: longestBody)
        }
    }

    /// Describes a request to a store, with its body.
    ///
    /// The key is looked at first: a request that will be refused for it is not read to its end.
    func describe(_ request: inout Request, account: String) async throws -> IdempotentRequest {
        let key = try key(in: request.headers)
        let body = try await body(of: &request)
        return IdempotentRequest(
            account: account, key: key, method: request.method, path: request.head.path ?? "/",
            fields: request.headers, body: body)
    }
}

/// Runs `body`, and makes an answer of the problem it throws.
func answeringProblems(_ body: () async throws -> Response) async throws -> Response {
    do {
        return try await body()
    } catch let problem as IdempotencyProblem {
        return Response(problem.answer)
    }
}
#endif
