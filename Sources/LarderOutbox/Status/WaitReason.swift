public import LarderFormat

/// Why a write of the outbox is not accepted by the server yet, and what makes it go on. Times are in milliseconds since
/// 1970-01-01 UTC.
public enum WaitReason: Hashable, Sendable {
    /// Nothing keeps it: it is sent as soon as an outbox runs with a network.
    case turn
    /// It was sent, and its answer is waited for.
    case answer
    /// Its next try, or its server, asks for that time.
    case time(Int64)
    /// That earlier write is sent first.
    case earlier(UUIDBytes)
    /// That earlier write has failed, is in doubt, in conflict or rejected.
    case behind(UUIDBytes)
    /// It is sent only while the account is signed in that it was made under; nil: by a host without accounts.
    case account(String?)
    /// The server does not accept the credentials of the account any more.
    case signIn(String?)
    /// It has failed; it is tried again by itself then, or, where that is nil, when the network returns or it is retried by hand.
    case failed(retryAt: Int64?)
    /// Whether the server has it cannot be known; the host decides.
    case unresolved
    /// The server's copy was changed as well; the resolver decides.
    case conflict
    /// The server refused it.
    case rejected
}
