/// Executes each write once: looks up its key in the store, and returns the stored response where there is one.
///
/// ```swift
/// let store = try LMDBIdempotencyStore.open(at: path, tables: ["visits"])
/// let executor = IdempotencyExecutor(store, now: { milliseconds since 1970 })
/// router.idempotent(.put, "/visits/{id}", through: executor, account: { request, _ in try account(of: request) }) {
///     request, context, transaction in
///     try transaction.set(request.body, forKey: Array(request.path.utf8), in: "visits")
///     return IdempotentResponse(.created, json: "{}")
/// }
/// ```
public struct IdempotencyExecutor<Store: IdempotencyStore>: Sendable {
    /// The store of keys and responses.
    public let store: Store
    /// The rules.
    public let policy: IdempotencyPolicy
    private let now: @Sendable () -> Int64

    /// Creates an executor of the writes whose keys `store` holds.
    ///
    /// - Parameters:
    ///   - store: The store of keys and responses.
    ///   - policy: The rules.
    ///   - now: The time in milliseconds since 1970-01-01 UTC.
    public init(
        _ store: Store, policy: IdempotencyPolicy = IdempotencyPolicy(), now: @escaping @Sendable () -> Int64
    ) {
        self.store = store
        self.policy = policy
        self.now = now
    }

    /// The decision about a request.
    public enum Decision: Sendable {
        /// The request must be executed with this permit, or the permit released.
        case execute(IdempotencyPermit<Store>)
        /// The request has its response already.
        case respond(IdempotentResponse)
    }

    /// Decides about a request. A request without a key is always executed.
    ///
    /// - Throws: ``IdempotencyProblem`` when the key is being executed or belongs to another request;
    ///   ``IdempotencyError/accountTooLong(actual:)`` or ``IdempotencyError/malformedKey``; the errors of the store.
    public func decide(on request: IdempotentRequest) async throws -> Decision {
        guard let text = request.key else {
            return .execute(IdempotencyPermit(self, lease: nil))
        }
        let key = try IdempotencyKey(account: request.account, text: text)
        let now = now()
        let claim = try await store.claim(
            key, for: request.fingerprint, at: now, leaseEnd: policy.leaseEnd(from: now))
        switch claim {
        case .run(let lease): return .execute(IdempotencyPermit(self, lease: lease))
        case .replay(let response): return .respond(response.replayed)
        case .running(let seconds): throw IdempotencyProblem.inProgress(retryAfter: seconds)
        case .mismatch: throw IdempotencyProblem.keyReused
        }
    }

    /// Returns the response to a request: the stored one, or that of the effect which `handler` returns.
    ///
    /// - Throws: As ``decide(on:)``; the errors of the handler and the effect, after which the key is free again.
    public func response(
        to request: IdempotentRequest, _ handler: (IdempotentRequest) async throws -> Store.Effect
    ) async throws -> IdempotentResponse {
        switch try await decide(on: request) {
        case .respond(let response): return response
        case .execute(let permit):
            let effect: Store.Effect
            do {
                effect = try await handler(request)
            } catch {
                await permit.release()
                throw error
            }
            return try await permit.perform(effect)
        }
    }

    func perform(_ effect: Store.Effect, under lease: IdempotencyLease?) async throws -> IdempotentResponse {
        switch try await store.perform(effect, under: lease, at: now(), keeping: policy.retention) {
        case .executed(let response): return response
        case .replay(let response): return response.replayed
        case .mismatch: throw IdempotencyProblem.keyReused
        case .full(let seconds): throw IdempotencyProblem.tooManyKeys(retryAfter: seconds)
        }
    }
}

/// The permit to execute one request; it must be performed or released.
public struct IdempotencyPermit<Store: IdempotencyStore>: Sendable {
    private let executor: IdempotencyExecutor<Store>
    private let lease: IdempotencyLease?

    init(_ gate: IdempotencyExecutor<Store>, lease: IdempotencyLease?) {
        self.executor = gate
        self.lease = lease
    }

    /// Executes the request: the effect, the key and the response are one commit.
    ///
    /// - Throws: ``IdempotencyProblem`` when the key was used for another request meanwhile, or the account has too
    ///   many keys; the errors of the effect and the store. A failed call commits nothing.
    public func perform(_ effect: Store.Effect) async throws -> IdempotentResponse {
        try await executor.perform(effect, under: lease)
    }

    /// Frees the key without a response. Does nothing after ``perform(_:)``.
    public func release() async {
        if let lease { await executor.store.release(lease) }
    }
}
