#if Postgres && Server
public import HTTPTypes
public import Hummingbird
public import LarderServer

extension RouterMethods {
    /// Adds a route that executes each write once, with its data in the same database as the keys.
    ///
    /// - Parameters:
    ///   - method: POST, PUT, PATCH or DELETE.
    ///   - path: The path of the route.
    ///   - executor: The executor of the writes.
    ///   - account: Returns the account of the request's key; its errors are answered as usual, as with 401.
    ///   - handler: Performs the write and returns the response. Its changes, the key and the response are one commit.
    ///     Nothing is kept when it throws or its response is not `IdempotentResponse.isFinal`. It may run more than once for
    ///     one commit. It blocks a thread of its connection, so that it must not wait for other work.
    @discardableResult
    public func idempotent(
        _ method: HTTPRequest.Method, _ path: RouterPath,
        through executor: IdempotencyExecutor<PostgresIdempotencyStore>,
        account: @escaping @Sendable (Request, Context) async throws -> String,
        use handler:
            @escaping @Sendable (IdempotentRequest, Context, inout PostgresTransaction) throws -> IdempotentResponse
    ) -> Self {
        idempotent(
            method, path, through: executor, account: account,
            effect: { request, context in { transaction in try handler(request, context, &transaction) } })
    }

    /// Adds `POST /sync/batch`: many writes in one request, each executed once, with their data in the same database as the
    /// keys.
    ///
    /// - Parameters:
    ///   - path: The path of the route.
    ///   - executor: The executor of the operations.
    ///   - basePath: The path that `resource` is relative to, without a slash at the end.
    ///   - mostOperations: The maximum number of operations; a longer batch is refused with 422.
    ///   - account: Returns the account of the keys of a batch; its errors are answered as usual, as with 401.
    ///   - handler: Performs one operation, as that of
    ///     ``idempotent(_:_:through:account:use:)``.
    @discardableResult
    public func idempotentBatch(
        _ path: RouterPath = "/sync/batch", through executor: IdempotencyExecutor<PostgresIdempotencyStore>,
        basePath: String = "", mostOperations: Int = 100,
        account: @escaping @Sendable (Request, Context) async throws -> String,
        use handler:
            @escaping @Sendable (IdempotentRequest, Context, inout PostgresTransaction) throws -> IdempotentResponse
    ) -> Self {
        idempotentBatch(
            path, through: executor, basePath: basePath, mostOperations: mostOperations, account: account,
            effect: { request, context in { transaction in try handler(request, context, &transaction) } })
    }
}
#endif
