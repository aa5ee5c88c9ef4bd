#if Server
import HTTPTypes
public import Hummingbird

extension RouterMethods {
    /// Adds `POST /sync/batch`: many writes in one request, each executed once under its own id.
    ///
    /// The body is `{"operations":[{"id","type","resource","method","payload"},…]}`. The operations are executed one
    /// after the other, each in a commit of its own, and a refused one does not stop the others. The response is 200
    /// with `{"outcomes":[{"id","status","body"},…]}` in the same order. When another request is executing one of them,
    /// it is 409 with `Retry-After`, and the client sends the whole batch again; so it is with 503 when the store of keys
    /// cannot be used.
    ///
    /// An operation has the same key in a batch and alone. It has the same fingerprint when `basePath` and `resource`
    /// form the same path, and `payload` is byte by byte the same body.
    ///
    /// - Parameters:
    ///   - path: The path of the route.
    ///   - gate: The executor of the operations.
    ///   - basePath: The path that `resource` is relative to, without a slash at the end.
    ///   - mostOperations: The maximum number of operations; a longer batch is refused with 422.
    ///   - account: Returns the account of the keys of a batch; its errors are answered as usual, as with 401.
    ///   - handler: Returns the effect of one operation; it finds the kind of write in `type` and `path`. An error
    ///     other than Hummingbird's is answered with 500, and the other operations continue.
    @discardableResult
    public func idempotentBatch<Store: IdempotencyStore>(
        _ path: RouterPath = "/sync/batch", through gate: IdempotencyExecutor<Store>, basePath: String = "",
        mostOperations: Int = 100, account: @escaping @Sendable (Request, Context) async throws -> String,
        effect handler: @escaping @Sendable (IdempotentRequest, Context) async throws -> Store.Effect
    ) -> Self {
        on(path, method: .post) { request, context -> Response in
            var request = request
            return try await respondingToProblems {
                let account = try await account(request, context)
                let body = try await gate.policy.body(of: &request)
                let operations = try BatchOperation.parse(body, limit: mostOperations)
                var outcomes = BatchResponse()
                for operation in operations {
                    let described = operation.described(account: account, fields: request.headers, basePath: basePath)
                    let response = try await Self.response(to: described, through: gate) {
                        try await handler($0, context)
                    }
                    outcomes.append(response, of: operation.id)
                }
                return Response(outcomes.finish())
            }
        }
    }

    /// Adds the route of ``idempotentBatch(_:through:basePath:mostOperations:account:effect:)``, with the data in the
    /// same file as the keys.
    @discardableResult
    public func idempotentBatch(
        _ path: RouterPath = "/sync/batch", through gate: IdempotencyExecutor<LMDBIdempotencyStore>,
        basePath: String = "",
        mostOperations: Int = 100, account: @escaping @Sendable (Request, Context) async throws -> String,
        use handler:
            @escaping @Sendable (IdempotentRequest, Context, inout ServerTransaction) throws -> IdempotentResponse
    ) -> Self {
        idempotentBatch(
            path, through: gate, basePath: basePath, mostOperations: mostOperations, account: account
        ) { request, context in
            { transaction in try handler(request, context, &transaction) }
        }
    }

    /// Returns the response to one operation.
    ///
    /// - Throws: ``IdempotencyProblem`` with status 409 when another request is executing it, and 503 when the store of
    ///   keys cannot be used.
    private static func response<Store: IdempotencyStore>(
        to request: IdempotentRequest, through gate: IdempotencyExecutor<Store>,
        _ handler: (IdempotentRequest) async throws -> Store.Effect
    ) async throws -> IdempotentResponse {
        do {
            return try await gate.response(to: request, handler)
        } catch let problem as IdempotencyProblem {
            // The client sends the whole batch again.
            if problem.kind == .inProgress || problem.kind == .unavailable { throw problem }
            return problem.response
        } catch let error as HTTPError {
            return IdempotentResponse(error.status, fields: error.headers, body: Array((error.body ?? "").utf8))
        } catch {
            return IdempotentResponse(.internalServerError)
        }
    }
}

extension BatchOperation {
    /// Returns the operation in the form of a request outside a batch.
    fileprivate func described(account: String, fields: HTTPFields, basePath: String) -> IdempotentRequest {
        IdempotentRequest(
            account: account, key: id, method: method, path: basePath + (path.hasPrefix("/") ? path : "/" + path),
            fields: fields, body: payload, type: type)
    }
}
#endif
