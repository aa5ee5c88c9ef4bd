public import LarderStore

/// The numbers of entries in the outbox by state, and the reasons why they are not sent.
///
/// ```swift
/// for await status in outbox.statuses() {  // now, and after every change
///     print(status.unsent, "not saved on the server,", status.rejected, "refused by it")
///     for reason in status.pauses { print(reason) }  // such as: Nothing is sent: there is no network.
/// }
/// ```
public struct OutboxStatus: Hashable, Sendable {
    /// The number of entries that are sent as soon as it is their turn.
    public var pending = 0
    /// The number of entries whose send is under way.
    public var sending = 0
    /// The number of entries that were tried and wait for the time of the next try.
    public var waiting = 0
    /// The number of entries whose attempts are used up, or that cannot be sent as they are
    /// (`OutboxDelivery.State.failed`). A manual retry and the network's return give all of them their attempts back,
    /// and the foreground those that failed because of the server. The latter are also tried once more automatically:
    /// after minutes and then after longer, up to an hour; at the start; and when the server accepts another write, at
    /// once the first time, in minutes after that.
    public var failed = 0
    /// The number of entries for which it is unknown whether the server has them: the host decides.
    public var unresolved = 0
    /// The number of entries in conflict, until the resolver has decided.
    public var conflicted = 0
    /// The number of entries that the server refused, kept until the app handles them.
    public var rejected = 0
    /// When the oldest entry that the server does not have was made, in milliseconds since 1970-01-01 UTC.
    public var oldestCreatedAt: Int64?
    /// When the next try is due, likewise: the end of the shortest wait of an entry or for the server, or the next
    /// automatic try of an entry that failed; nil when no try waits for a time, and while the outbox does not run, is
    /// offline, or has no account signed in.
    public var nextTryAt: Int64?
    /// The reason the last try of the oldest entry failed among those that ``waiting`` and ``failed`` count, in one line
    /// without content, such as `the server could not be reached`; nil while there are none.
    public var lastError: String?
    /// The reasons why entries are not sent.
    public var pauses: [PauseReason] = []
    /// Whether this outbox runs and sends them.
    public var isRunning = false
    /// The outbox that sends in place of this one for the same store; nil when this one sends, or none does.
    public var deliverer: OutboxOwner?

    /// A status of nothing.
    public init() {}

    /// The number of entries that the server does not have and may still get, to show to the user as not saved yet.
    ///
    /// Entries that ``failed``, or wait for a decision, are included; those that the server refused (``rejected``) are
    /// not.
    public var unsent: Int { pending + sending + waiting + failed + unresolved + conflicted }
}

/// The reason why nothing is sent, or some entries are not.
///
/// ```swift
/// for reason in outbox.status.pauses {
///     switch reason {
///     case .offline: break  // the writes are sent when the network is back
///     case .signInExpired(let account): print("sign in again as", account ?? "the same user")
///     default: print(reason)  // one line for the user
///     }
/// }
/// ```
public enum PauseReason: Hashable, Sendable {
    /// The outbox does not run.
    case notRunning
    /// Another outbox sends for the store, in another process or in this one; it sends what this one enqueues.
    case deliveredElsewhere(OutboxOwner)
    /// The entries are for another server than the configured one; the text says what to do.
    case otherServer(ServerMismatch)
    /// There is no network.
    case offline
    /// No account is signed in.
    case signedOut
    /// The server no longer accepts the credentials of the account.
    case signInExpired(account: String?)
    /// This many entries were made under other accounts than the one signed in.
    case otherAccounts(Int)
    /// This many entries wait behind others that failed, are in doubt or in conflict, or that they come after.
    case blocked(Int)
    /// The server requested a wait until this time, in milliseconds since 1970-01-01 UTC.
    case serverWait(until: Int64)
    /// Something else responds in the server's place: a sign-in page of the network, a proxy, a redirect.
    case intercepted
    /// The server refused writes of this many lanes, three or more, since it last accepted one. As it may not be the
    /// server that the writes were made for, the others wait. One is sent after 5 minutes, and after 10, 20, 40 and
    /// then 60 while lanes are added, until one is accepted. A manual retry, the foreground and the network's return
    /// send one at once. Each run starts counting at zero.
    case refusals(Int)
    /// The store could not save a change; it is tried again.
    case storage
}

extension PauseReason: CustomStringConvertible {
    /// The reason, in one line for the user.
    public var description: String {
        switch self {
        case .notRunning: "Nothing is sent: the outbox does not run."
        case .deliveredElsewhere(let owner):
            owner.processID.map { "Another outbox sends: that of the process \($0)." } ?? "Another outbox sends."
        case .otherServer(let mismatch): mismatch.description
        case .offline: "Nothing is sent: there is no network."
        case .signedOut: "Nothing is sent: no account is signed in."
        case .signInExpired: "Nothing is sent: the sign-in has expired. Sign in again."
        case .otherAccounts(let count): "\(count) wait for another account to sign in."
        case .blocked(let count): "\(count) wait behind others that could not be sent."
        case .serverWait: "Nothing is sent: the server requested a wait."
        case .intercepted: "Something else responds in the server's place: is there a sign-in page?"
        case .refusals(let count): "Paused: the server refused writes in \(count) lanes. Is it the right server?"
        case .storage: "Nothing is sent: the store could not save a change. Is there space on the device?"
        }
    }
}
