/// Executes each write once: looks up its key in the store, and returns the stored response where there is one.
///
/// ```swift
/// let store = try LMDBIdempotencyStore.open(at: path, tables: ["visits"])
/// let gate = IdempotencyGate(store, now: { milliseconds since 1970 })
/// router.idempotent(.put, "/visits/{id}", through: gate, account: { request, _ in try account(of: request) }) {
///     request, context, transaction in
///     try transaction.set(request.body, forKey: Array(request.path.utf8), in: "visits")
///     return ServerAnswer(.created, json: "{}")
/// }
/// ```
public struct IdempotencyGate<Store: IdempotencyStore>: Sendable {
    /// The store of keys and responses.
    public let store: Store
    /// The rules.
    public let policy: IdempotencyPolicy
    private let now: @Sendable () -> Int64

    /// Creates a gate for everything that is executed through `store`.
    ///
    /// - Parameter now: The time in milliseconds since 1970-01-01 UTC.
    public init(
        _ store: Store, policy: IdempotencyPolicy = IdempotencyPolicy(), now: @escaping @Sendable () -> Int64
    ) {
        self.store = store
        self.policy = policy
        self.now = now
    }

    /// The decision about a request.
    public enum Admission: Sendable {
        /// The request must be executed with this permit, or the permit released.
        case execute(IdempotencyPermit<Store>)
        /// The request has its response already.
        case answer(ServerAnswer)
    }

    /// Decides about a request. A request without a key is always executed.
    ///
    /// - Throws: ``IdempotencyProblem`` when the key is being executed or belongs to another request;
    ///   ``IdempotencyError/accountTooLong(actual:)`` or ``IdempotencyError/malformedKey``; the errors of the store.
    public func admit(_ request: IdempotentRequest) async throws -> Admission {
        guard let text = request.key else {
            return .execute(IdempotencyPermit(self, lease: nil))
        }
        let key = try IdempotencyKey(account: request.account, text: text)
        let now = now()
        let claim = try await store.claim(
            key, for: request.fingerprint, at: now, leaseEnd: policy.leaseEnd(from: now))
        switch claim {
        case .run(let lease): return .execute(IdempotencyPermit(self, lease: lease))
        case .replay(let answer): return .answer(answer.replayed)
        case .running(let seconds): throw IdempotencyProblem.inProgress(retryAfter: seconds)
        case .mismatch: throw IdempotencyProblem.keyReused
        }
    }

    /// Returns the response to a request: the stored one, or that of the effect which `handler` returns.
    ///
    /// - Throws: As ``admit(_:)``; the errors of the handler and the effect, after which the key is free again.
    public func answer(
        _ request: IdempotentRequest, _ handler: (IdempotentRequest) async throws -> Store.Effect
    ) async throws -> ServerAnswer {
        switch try await admit(request) {
        case .answer(let answer): return answer
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

    func perform(_ effect: Store.Effect, under lease: IdempotencyLease?) async throws -> ServerAnswer {
        switch try await store.perform(effect, under: lease, at: now(), keeping: policy.retention) {
        case .executed(let answer): return answer
        case .replay(let answer): return answer.replayed
        case .mismatch: throw IdempotencyProblem.keyReused
        }
    }
}

/// The permit to execute one request; it must be performed or released.
public struct IdempotencyPermit<Store: IdempotencyStore>: Sendable {
    private let gate: IdempotencyGate<Store>
    private let lease: IdempotencyLease?

    init(_ gate: IdempotencyGate<Store>, lease: IdempotencyLease?) {
        self.gate = gate
        self.lease = lease
    }

    /// Executes the request: the effect, the key and the response are one commit.
    ///
    /// - Throws: ``IdempotencyProblem`` when the key was used for another request meanwhile; the errors of the effect
    ///   and the store. A failed call commits nothing.
    public func perform(_ effect: Store.Effect) async throws -> ServerAnswer {
        try await gate.perform(effect, under: lease)
    }

    /// Frees the key without a response. Does nothing after ``perform(_:)``.
    public func release() async {
        if let lease { await gate.store.release(lease) }
    }
}
