/// Executes each write once: asks the store for its key, and gives the remembered answer where there is one.
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
    /// Where keys and answers are.
    public let store: Store
    /// The rules.
    public let policy: IdempotencyPolicy
    private let now: @Sendable () -> Int64

    /// Guards what is executed through `store`.
    ///
    /// - Parameter now: The time in milliseconds since 1970-01-01 UTC.
    public init(
        _ store: Store, policy: IdempotencyPolicy = IdempotencyPolicy(), now: @escaping @Sendable () -> Int64
    ) {
        self.store = store
        self.policy = policy
        self.now = now
    }

    /// What is to be done with a request.
    public enum Admission: Sendable {
        /// It is to be executed with this permit, or the permit released.
        case execute(IdempotencyPermit<Store>)
        /// It has its answer already.
        case answer(ServerAnswer)
    }

    /// Decides about a request. Without a key it is always to be executed.
    ///
    /// - Throws: ``IdempotencyProblem``; ``IdempotencyError``; what the store throws.
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

    /// Answers a request: from memory, or by executing what `handler` gives for it.
    ///
    /// - Throws: As ``admit(_:)``; what the handler and the effect throw, and then the key is free again.
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

/// The permit to execute one request: it is performed, or released.
public struct IdempotencyPermit<Store: IdempotencyStore>: Sendable {
    private let gate: IdempotencyGate<Store>
    private let lease: IdempotencyLease?

    init(_ gate: IdempotencyGate<Store>, lease: IdempotencyLease?) {
        self.gate = gate
        self.lease = lease
    }

    /// Executes the request: the effect, the key and the answer are one commit.
    ///
    /// - Throws: ``IdempotencyProblem``; what the effect and the store throw; nothing is committed then.
    public func perform(_ effect: Store.Effect) async throws -> ServerAnswer {
        try await gate.perform(effect, under: lease)
    }

    /// Frees the key without an answer. Does nothing after ``perform(_:)``.
    public func release() async {
        if let lease { await gate.store.release(lease) }
    }
}
