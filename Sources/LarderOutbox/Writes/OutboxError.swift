public import HTTPTypes
public import LarderFormat
public import LarderStore
public import LarderTransport

/// The errors of the outbox, besides those of the store.
///
/// ```swift
/// do {
///     try await cache.put(note, to: "/notes/9")
/// } catch OutboxError.notSignedIn {
///     print("sign in to write notes")  // nothing was stored
/// } catch OutboxError.full(let waiting) {
///     print(waiting.entries, "writes wait already: connect to send them first")
/// }
/// ```
public enum OutboxError: Error, Sendable {
    /// The waiting entries leave no space for the write: send, raise the bounds, or drop some.
    case full(PendingOutbox)
    /// An unfinished entry has the same deduplication key, and another content.
    case deduplicationMismatch(UUIDBytes)
    /// The write comes after an entry that was rejected, or left without being accepted.
    case afterRejected(UUIDBytes)
    /// The outbox has no such entry.
    case unknownEntry(UUIDBytes)
    /// The entry is being sent, and the command would come too late.
    case beingSent(UUIDBytes)
    /// The entry was tried already: the server may know it as it is.
    case alreadyTried(UUIDBytes)
    /// The entry is in a state in which the command does not apply.
    case notApplicable(UUIDBytes, OutboxDelivery.State)
    /// The write may not wait, and it cannot be sent now (without a network, connection or credentials; during the
    /// server's wait), or something else responds in the server's place.
    case offline
    /// A write holds a header field of this name, which carries credentials: they are added at send, and never stored.
    case credentialField(String)
    /// No account is signed in (any more), or another account than the one that the write was made under.
    case notSignedIn
    /// The exchange of a write that may not wait failed, or an endpoint is no path. After some of these errors it is
    /// unknown whether the server has the write.
    case transport(TransportError)
    /// The server refused a write that may not wait.
    case refused(HTTPResponse)
    /// The side that lost in a conflict cannot be sent any more.
    case cannotUndo(UUIDBytes, UndoBlockedReason)
    /// The server was asked for its version in a conflict, and its response, named here, does not contain it: ask again
    /// later.
    case remoteUnknown(UUIDBytes, reason: String)
    /// The outbox stopped before the outcome was known.
    case stopped
}

extension OutboxError: CustomStringConvertible {
    /// The error and, where there is one, the remedy, in one line.
    public var description: String {
        switch self {
        case .full(let pending):
            "\(pending.entries) writes of \(pending.byteCount) bytes wait already: this one does not fit."
        case .deduplicationMismatch(let id): "The entry \(id) has the same deduplication key and another content."
        case .afterRejected(let id): "The entry \(id), which this comes after, was rejected or discarded."
        case .unknownEntry(let id): "The outbox has no entry \(id)."
        case .beingSent(let id): "The entry \(id) is being sent: wait for its outcome."
        case .alreadyTried(let id): "The entry \(id) was tried already: the server may have it as it is."
        case .notApplicable(let id, let state): "The entry \(id) is \(state): this cannot be done with it."
        case .offline: "There is no network, and the write may not wait for one."
        case .credentialField(let name): "Writes are stored without credentials: \(name) is added when they are sent."
        case .notSignedIn: "The account of the write is not signed in."
        case .transport(let error): "The exchange failed: \(error)"
        case .refused(let head): "The server refused the write (\(head.status.code))."
        case .cannotUndo(let id, let reason): "The conflict of \(id) cannot be undone: \(reason.rawValue)."
        case .remoteUnknown(let id, let reason):
            "The server's version for the entry \(id) is not known: it responded with \(reason)."
        case .stopped: "The outbox stopped before the outcome was known."
        }
    }
}

/// The reason the side that lost in a conflict cannot be sent any more.
public enum UndoBlockedReason: String, Hashable, Sendable {
    /// It was too large for the journal, a blob, or unknown.
    case notStored = "the losing version was not stored"
    /// The server's version lost, and there is no endpoint to put it back at.
    case noEndpoint = "the losing version has no endpoint of its own"
    /// Another account has signed in since.
    case otherAccount = "it was made under another account"
}
