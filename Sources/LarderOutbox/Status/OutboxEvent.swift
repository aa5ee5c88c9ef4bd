public import LarderFormat
public import LarderStore

/// What happens in the outbox, for hosts that want to know at once.
public enum OutboxEvent: Hashable, Sendable {
    /// A send of the entry was begun.
    case sending(UUIDBytes)
    /// The server has the entry; it is gone.
    case accepted(UUIDBytes)
    /// The entry is tried again at this time, in milliseconds since 1970-01-01 UTC; the status is that of the answer, if there
    /// was one.
    case waiting(UUIDBytes, until: Int64, status: Int?)
    /// The attempts of the entry are used up, or it cannot be sent as it is: then there is no status, and its `lastError` says
    /// why. Its overlay stays.
    case failed(UUIDBytes, status: Int?)
    /// The server refused the entry; it was rolled back.
    case rejected(UUIDBytes, RejectionReason)
    /// The entry was given up.
    case removed(UUIDBytes, outcome: String)
    /// It is unknown whether the server has the entry: the host decides.
    case unresolved(UUIDBytes)
    /// The server holds something else.
    case conflicted(UUIDBytes, status: Int)
    /// A conflict is settled: another entry has taken the place of this one, or the server's word counts.
    case resolved(UUIDBytes, by: UUIDBytes?)
    /// The server does not take the credentials of the account any more; nothing of it is sent.
    case signInExpired(account: String?)
    /// The store could not keep what happened; it is tried again.
    case storageFailed
    /// The server accepted a write more than a day before a run of its filter ended, and none has brought it: its effect stays over the
    /// row. Told when the outbox begins to run and in the foreground, for each such write.
    case unshown(UnshownWrite)
}
