#if Server
import HTTPTypes
import Hummingbird
import NIOCore

extension Response {
    /// Creates Hummingbird's form of a response.
    init(_ answer: IdempotentResponse) {
        self.init(
            status: answer.status, headers: answer.fields,
            body: answer.body.isEmpty ? ResponseBody() : ResponseBody(byteBuffer: ByteBuffer(bytes: answer.body)))
    }
}

extension IdempotencyPolicy {
    /// Reads the whole body.
    ///
    /// - Throws: ``IdempotencyProblem`` with status 413 for a body beyond ``longestBody``; an error of the connection.
    func body(of request: inout Request) async throws -> [UInt8] {
        do {
            return Array(try await request.collectBody(upTo: longestBody).readableBytesView)
        } catch is NIOTooManyBytesError {
            throw IdempotencyProblem.bodyTooLong(limit: longestBody)
        }
    }

    /// Describes a request to a store, with its body.
    ///
    /// The key is checked first: the body of a request with an invalid key is not read.
    ///
    /// - Throws: As ``key(in:)`` and ``body(of:)``.
    func describe(_ request: inout Request, account: String) async throws -> IdempotentRequest {
        let key = try key(in: request.headers)
        let body = try await body(of: &request)
        return IdempotentRequest(
            account: account, key: key, method: request.method, path: request.head.path ?? "/",
            fields: request.headers, body: body)
    }
}

/// Runs `body`, and turns the problem it throws into a response.
func respondingToProblems(_ body: () async throws -> Response) async throws -> Response {
    do {
        return try await body()
    } catch let problem as IdempotencyProblem {
        return Response(problem.response)
    }
}
#endif
