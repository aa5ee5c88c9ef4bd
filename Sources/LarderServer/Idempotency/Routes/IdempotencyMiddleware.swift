#if Server
import HTTPTypes
public import Hummingbird

/// A context that carries the permit of a request from the middleware to its handler.
public protocol IdempotentRequestContext: RequestContext {
    /// The store of the executor.
    associatedtype Store: IdempotencyStore
    /// The permit, set by ``IdempotencyMiddleware`` where the method carries a key.
    var idempotency: IdempotencyPermit<Store>? { get set }
}

/// Executes each write once for a whole group of routes.
///
/// It responds to repetitions itself and passes a request on with the permit to execute it. The handler passes its
/// effect to ``IdempotencyPermit/perform(_:)``; its other work is not part of the commit. A handler that does not call
/// it is executed every time. Requests of other methods pass unchanged.
///
/// ```swift
/// router.post("/visits") { request, context in
///     try await context.perform { transaction in … }
/// }
/// ```
public struct IdempotencyMiddleware<Context: IdempotentRequestContext>: RouterMiddleware {
    private let executor: IdempotencyExecutor<Context.Store>
    private let account: @Sendable (Request, Context) async throws -> String

    /// Creates a middleware that sends the writes of all routes behind it through `gate`.
    ///
    /// - Parameters:
    ///   - gate: The executor of the writes.
    ///   - account: Returns the account of the request's key.
    public init(
        _ gate: IdempotencyExecutor<Context.Store>,
        account: @escaping @Sendable (Request, Context) async throws -> String
    ) {
        self.executor = gate
        self.account = account
    }

    /// Responds to a repetition; passes on a new request. An ``IdempotencyProblem`` becomes a response.
    ///
    /// - Throws: ``IdempotencyError``; the errors of the account closure, of the store and of `next`.
    @concurrent
    public func handle(
        _ request: Request, context: Context, next: @concurrent (Request, Context) async throws -> Response
    ) async throws -> Response {
        guard IdempotencyPolicy.methods.contains(request.method) else { return try await next(request, context) }
        return try await respondingToProblems {
            var (request, context) = (request, context)
            let account = try await account(request, context)
            let described = try await executor.policy.describe(&request, account: account)
            switch try await executor.decide(on: described) {
            case .respond(let response): return Response(response)
            case .execute(let permit):
                context.idempotency = permit
                let outcome: Result<Response, any Error>
                do {
                    outcome = .success(try await next(request, context))
                } catch {
                    outcome = .failure(error)
                }
                await permit.release()
                return try outcome.get()
            }
        }
    }
}

extension IdempotentRequestContext {
    /// Performs the effect under the permit of this request.
    ///
    /// - Precondition: The request came through ``IdempotencyMiddleware``.
    /// - Throws: As ``IdempotencyPermit/perform(_:)``.
    public func perform(_ effect: Store.Effect) async throws -> Response {
        guard let idempotency else { preconditionFailure("the request did not come through the middleware") }
        return Response(try await idempotency.perform(effect))
    }
}
#endif
