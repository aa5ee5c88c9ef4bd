#if Server
public import HTTPTypes
public import Hummingbird

extension RouterMethods {
    /// Adds a route that executes each write once, with an executor over any store.
    ///
    /// - Parameters:
    ///   - method: POST, PUT, PATCH or DELETE.
    ///   - path: The path of the route.
    ///   - gate: The executor of the writes.
    ///   - account: Returns the account of the request's key; its errors are answered as usual, as with 401.
    ///   - handler: Returns the effect to run in the transaction. It may wait; meanwhile only the key's lease is held.
    @discardableResult
    public func idempotent<Store: IdempotencyStore>(
        _ method: HTTPRequest.Method, _ path: RouterPath, through gate: IdempotencyExecutor<Store>,
        account: @escaping @Sendable (Request, Context) async throws -> String,
        effect handler: @escaping @Sendable (IdempotentRequest, Context) async throws -> Store.Effect
    ) -> Self {
        precondition(IdempotencyPolicy.methods.contains(method), "\(method) carries no key")
        return on(path, method: method) { request, context -> Response in
            var request = request
            return try await respondingToProblems {
                let account = try await account(request, context)
                let described = try await gate.policy.describe(&request, account: account)
                return Response(try await gate.response(to: described) { try await handler($0, context) })
            }
        }
    }

    /// Adds a route that executes each write once, with its data in the same file as the keys.
    ///
    /// - Parameters:
    ///   - method: POST, PUT, PATCH or DELETE.
    ///   - path: The path of the route.
    ///   - gate: The executor of the writes.
    ///   - account: Returns the account of the request's key; its errors are answered as usual, as with 401.
    ///   - handler: Performs the write and returns the response. Its changes, the key and the response are one commit.
    ///     Nothing is kept when it throws or its response is not ``IdempotentResponse/isFinal``. It may run more than once
    ///     for one commit.
    @discardableResult
    public func idempotent(
        _ method: HTTPRequest.Method, _ path: RouterPath, through gate: IdempotencyExecutor<LMDBIdempotencyStore>,
        account: @escaping @Sendable (Request, Context) async throws -> String,
        use handler:
            @escaping @Sendable (IdempotentRequest, Context, inout ServerTransaction) throws -> IdempotentResponse
    ) -> Self {
        idempotent(method, path, through: gate, account: account) { request, context in
            { transaction in try handler(request, context, &transaction) }
        }
    }
}
#endif
