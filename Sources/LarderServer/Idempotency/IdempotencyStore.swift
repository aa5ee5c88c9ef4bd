/// Stores the responses of requests by their keys, each in one commit with the effect of its request.
///
/// Every store guarantees: of all requests with one key, at most one commits within the lifetime of its response. This
/// holds across crashes and for any number of servers that share the store. A lease only avoids wasted work; the commit
/// decides.
public protocol IdempotencyStore: Sendable {
    /// The work of a handler inside a transaction of this store, with its response.
    ///
    /// A function that receives the transaction. A store may run it again when the transaction has to restart; then
    /// nothing of the earlier run is kept.
    associatedtype Effect: Sendable

    /// Looks up a key, and leases it when no response is stored and no other request holds it.
    ///
    /// - Parameters:
    ///   - key: The key of the request.
    ///   - fingerprint: Distinguishes this request from others that use the same key by mistake.
    ///   - now: In milliseconds since 1970-01-01 UTC.
    ///   - leaseEnd: The time from which another request may lease the key, in the same unit.
    /// - Throws: The errors of the store.
    func claim(
        _ key: IdempotencyKey, for fingerprint: RequestFingerprint, at now: Int64, leaseEnd: Int64
    ) async throws -> IdempotencyClaim

    /// Runs an effect in a transaction, and commits it together with the key and the response; the lease ends.
    ///
    /// Nothing is committed when the response is not to be stored, or when the effect throws. The effect does not run
    /// when another request leased the key and got its response meanwhile.
    ///
    /// - Parameters:
    ///   - effect: The work of the handler, which returns the response.
    ///   - lease: The lease of ``claim(_:for:at:leaseEnd:)``; nil for a request without a key, which stores no
    ///     response.
    ///   - now: In milliseconds since 1970-01-01 UTC.
    ///   - retention: The time that the response is stored, and the parts of it that are kept.
    /// - Returns: ``IdempotencyOutcome/full(retryAfter:)`` with nothing committed when the account of the lease has
    ///   ``ResponseRetention/keysPerAccount`` keys.
    /// - Throws: The error of the effect; the errors of the store.
    func perform(
        _ effect: Effect, under lease: IdempotencyLease?, at now: Int64, keeping retention: ResponseRetention
    ) async throws -> IdempotencyOutcome

    /// Ends a lease without a response, so that the next request with the key runs. Does nothing when it has ended.
    func release(_ lease: IdempotencyLease) async
}

/// The result of looking up a key.
public enum IdempotencyClaim: Hashable, Sendable {
    /// The key is new, or its response has expired: the request runs under this lease.
    case run(IdempotencyLease)
    /// The request was executed before, with this response.
    case replay(IdempotentResponse)
    /// Another request with this key is running; retry after this many whole seconds, 1 or more.
    case running(retryAfter: Int64)
    /// The key belongs to a request of another fingerprint.
    case mismatch
}

/// The result of executing a request.
public enum IdempotencyOutcome: Hashable, Sendable {
    /// The effect ran. It is committed if its response ``IdempotentResponse/isFinal``.
    case executed(IdempotentResponse)
    /// The effect did not run: the request had been executed before.
    case replay(IdempotentResponse)
    /// The effect did not run: the key belongs to a request of another fingerprint.
    case mismatch
    /// The effect did not run: the account has as many keys as it may have; retry after this many whole seconds, 1 or
    /// more.
    case full(retryAfter: Int64)
}

/// The right to execute the request of a key, for a limited time.
public struct IdempotencyLease: Hashable, Sendable {
    /// The key.
    public let key: IdempotencyKey
    /// The request it was leased for.
    public let fingerprint: RequestFingerprint
    /// Distinguishes this lease from the others of the same key.
    public let number: UInt64

    /// Creates a lease; for stores.
    public init(key: IdempotencyKey, fingerprint: RequestFingerprint, number: UInt64) {
        self.key = key
        self.fingerprint = fingerprint
        self.number = number
    }
}

/// The time a response is stored, and the parts of it that are kept.
public struct ResponseRetention: Hashable, Sendable {
    /// The time, in milliseconds; 1 or more.
    public var milliseconds: Int64
    /// The header fields that are kept, by their names in lower case.
    public var fields: Set<String>
    /// The longest body that is kept, in bytes. An effect with a longer one is not committed.
    public var longestBody: Int
    /// The maximum number of keys of one account.
    public var keysPerAccount: Int

    /// Creates a retention of these values.
    public init(milliseconds: Int64, fields: Set<String>, longestBody: Int, keysPerAccount: Int = 100_000) {
        precondition(milliseconds >= 1 && longestBody >= 0, "\(milliseconds) ms, \(longestBody) bytes are no retention")
        precondition(keysPerAccount >= 1, "an account needs a key to write")
        self.milliseconds = milliseconds
        self.fields = fields
        self.longestBody = longestBody
        self.keysPerAccount = keysPerAccount
    }

    /// The seconds after which a client whose account has too many keys may try again: others expire meanwhile.
    package static let fullAccountWait: Int64 = 60

    /// Throws ``IdempotencyError/responseTooLong(actual:limit:)`` for a response that cannot be stored.
    package func check(_ response: IdempotentResponse) throws(IdempotencyError) {
        guard response.body.count <= longestBody else {
            throw .responseTooLong(actual: response.body.count, limit: longestBody)
        }
    }

    /// Returns the time from which a response of `now` no longer counts.
    package func expiry(from now: Int64) -> Int64 {
        let (end, isOver) = now.addingReportingOverflow(milliseconds)
        return isOver ? .max : end
    }
}
