/// Remembers the answers of requests by their keys, and executes a request and remembers its answer in one commit.
///
/// What holds for every store: of all requests with one key, at most one commits within the lifetime of its answer,
/// whatever dies in between, and however many servers share the store. A lease only saves work that would be thrown
/// away; it is the commit that decides.
public protocol IdempotencyStore: Sendable {
    /// What a handler does inside a transaction of this store, and what it answers.
    ///
    /// A function that is given the transaction. A store may run it more than once when the transaction has to begin
    /// again; nothing of the earlier time is kept then.
    associatedtype Effect: Sendable

    /// Looks up a key, and leases it when no answer is remembered and nobody else holds it.
    ///
    /// - Parameters:
    ///   - fingerprint: What distinguishes this request from others that use the same key by mistake.
    ///   - now: In milliseconds since 1970-01-01 UTC.
    ///   - leaseEnd: When the lease may be taken over by another request, in the same unit.
    func claim(
        _ key: IdempotencyKey, for fingerprint: RequestFingerprint, at now: Int64, leaseEnd: Int64
    ) async throws -> IdempotencyClaim

    /// Runs an effect in a transaction, and commits it together with the key and the answer; the lease ends.
    ///
    /// When the answer is not to be remembered, or the effect throws, nothing is committed. When the key was answered
    /// in the meantime, by one who had taken over the lease, the effect does not run.
    ///
    /// - Parameters:
    ///   - lease: What ``claim(_:for:at:leaseEnd:)`` gave; nil for a request without a key, which remembers nothing.
    ///   - now: In milliseconds since 1970-01-01 UTC.
    func perform(
        _ effect: Effect, under lease: IdempotencyLease?, at now: Int64, keeping retention: AnswerRetention
    ) async throws -> IdempotencyOutcome

    /// Ends a lease without an answer, so that the next request with the key runs. Does nothing when it has ended.
    func release(_ lease: IdempotencyLease) async
}

/// What a store says to a key.
public enum IdempotencyClaim: Hashable, Sendable {
    /// The key is new, or its answer has expired: the request runs under this lease.
    case run(IdempotencyLease)
    /// The request was executed: its answer.
    case replay(ServerAnswer)
    /// Another request with this key is running. When to ask again, in whole seconds, 1 or more.
    case running(retryAfter: Int64)
    /// The key belongs to a request of another fingerprint.
    case mismatch
}

/// How the execution of a request ended.
public enum IdempotencyOutcome: Hashable, Sendable {
    /// The effect ran. It is committed if its answer ``ServerAnswer/isFinal``.
    case executed(ServerAnswer)
    /// The effect did not run: the request had been executed before.
    case replay(ServerAnswer)
    /// The effect did not run: the key belongs to a request of another fingerprint.
    case mismatch
}

/// The right to execute the request of a key, for a time.
public struct IdempotencyLease: Hashable, Sendable {
    /// The key.
    public let key: IdempotencyKey
    /// The request it was leased for.
    public let fingerprint: RequestFingerprint
    /// Tells this lease from the others of the same key.
    public let number: UInt64

    /// Makes a lease; for stores.
    public init(key: IdempotencyKey, fingerprint: RequestFingerprint, number: UInt64) {
        self.key = key
        self.fingerprint = fingerprint
        self.number = number
    }
}

/// How long an answer is remembered, and what of it.
public struct AnswerRetention: Hashable, Sendable {
    /// How long, in milliseconds; 1 or more.
    public var milliseconds: Int64
    /// The header fields that are kept, by their names in lower case.
    public var fields: Set<String>
    /// The longest body that is kept, in bytes. An effect with a longer one is not committed.
    public var longestBody: Int

    /// Takes all three.
    public init(milliseconds: Int64, fields: Set<String>, longestBody: Int) {
        precondition(milliseconds >= 1 && longestBody >= 0, "\(milliseconds) ms, \(longestBody) bytes are no retention")
        self.milliseconds = milliseconds
        self.fields = fields
        self.longestBody = longestBody
    }
}
