package import LarderFormat

/// The reason why the server has not accepted a write of the outbox yet, and what lets it proceed. Times are in
/// milliseconds since 1970-01-01 UTC.
package enum WaitReason: Hashable, Sendable {
    /// Nothing holds it: it is sent as soon as an outbox runs with a network.
    case turn
    /// It was sent, and its response is awaited.
    case response
    /// It waits until this time, for its next try or because the server requested a wait.
    case time(Int64)
    /// This earlier write is sent first.
    case earlier(UUIDBytes)
    /// This earlier write has failed, is in doubt, in conflict or rejected.
    case behind(UUIDBytes)
    /// It is sent only while the account it was made under is signed in; nil: it was made by a host without accounts.
    case account(String?)
    /// The server no longer accepts the credentials of the account.
    case signIn(String?)
    /// It has failed. It is tried again automatically at this time, or, where that is nil, when the network returns or
    /// it is retried manually.
    case failed(retryAt: Int64?)
    /// It is unknown whether the server has it; the host decides.
    case unresolved
    /// The server's version was changed as well; the resolver decides.
    case conflict
    /// The server refused it.
    case rejected
}
