public import LarderFormat
public import LarderStore

/// An event of the outbox, for hosts that observe them as they happen.
public enum OutboxEvent: Hashable, Sendable {
    /// A send of the entry began.
    case sending(UUIDBytes)
    /// The server has the entry, which has left the outbox.
    case accepted(UUIDBytes)
    /// The entry is tried again at this time, in milliseconds since 1970-01-01 UTC. The status is that of the response,
    /// if there was one.
    case waiting(UUIDBytes, until: Int64, status: Int?)
    /// The attempts of the entry are used up, or it cannot be sent as it is: then there is no status, and its
    /// `lastError` holds the reason. Its overlay stays.
    case failed(UUIDBytes, status: Int?)
    /// The server refused the entry; it was rolled back.
    case rejected(UUIDBytes, RejectionReason)
    /// The entry was discarded under this outcome.
    case removed(UUIDBytes, outcome: String)
    /// It is unknown whether the server has the entry: the host decides.
    case unresolved(UUIDBytes)
    /// The server holds another version than the write was made from.
    case conflicted(UUIDBytes, status: Int)
    /// A conflict was resolved: another entry replaces this one, or, where that is nil, the server's version was kept.
    case resolved(UUIDBytes, by: UUIDBytes?)
    /// The server no longer accepts the credentials of the account; none of its entries are sent.
    case signInExpired(account: String?)
    /// The store could not save a change; it is tried again.
    case storageFailed
    /// The server accepted a write more than a day before a run of its filter ended, and no run has returned it: its
    /// effect stays over the row. Reported for each such write when the outbox begins to run and in the foreground.
    case unshown(UnshownWrite)
}
