public import LarderStore

/// What waits to be sent, and why.
public struct OutboxStatus: Hashable, Sendable {
    /// Entries to be sent that were not tried yet, or whose turn has come.
    public var pending = 0
    /// Entries whose send is under way.
    public var sending = 0
    /// Entries that were tried and wait for a time.
    public var waiting = 0
    /// Entries whose attempts are used up, or that cannot be sent as they are (`OutboxDelivery.State.failed`). All are revived by hand
    /// or when the network returns. Where the server was at fault they are also tried once more by themselves: after minutes and then
    /// after longer, up to an hour, at the start, in the foreground, and when the server accepts another write.
    public var failed = 0
    /// Entries of which nobody can tell whether the server has them: the host decides.
    public var unresolved = 0
    /// Entries in conflict, until the resolver has decided.
    public var conflicted = 0
    /// Entries that the server refused, kept until somebody acts.
    public var rejected = 0
    /// When the oldest entry that the server does not have was made, in milliseconds since 1970-01-01 UTC.
    public var oldestCreatedAt: Int64?
    /// When the next try is due, likewise; nil when none is waited for.
    public var nextAttemptAt: Int64?
    /// Why entries that could go do not.
    public var pauses: [PauseReason] = []
    /// Whether an outbox runs that sends them.
    public var isRunning = false
    /// What sends in its place, while another outbox does for the same store; nil when this one does, or none.
    public var deliverer: OutboxOwner?

    /// A status of nothing.
    public init() {}

    /// The entries that the server does not have and may still get: what a person may be shown as not saved yet.
    ///
    /// Those that ``failed``, or wait for a decision, are among them; those that the server refused (``rejected``) are not.
    public var unsent: Int { pending + sending + waiting + failed + unresolved + conflicted }
}

/// Why nothing is sent, or some of it is not.
public enum PauseReason: Hashable, Sendable {
    /// Nobody runs the outbox.
    case notRunning
    /// Another outbox sends for the store, in another process or in this one; it sends what this one enqueues.
    case deliveredElsewhere(OutboxOwner)
    /// The entries are for another server than the one that is configured; the text says what to do.
    case otherServer(ServerMismatch)
    /// There is no network.
    case offline
    /// Nobody is signed in.
    case signedOut
    /// The server does not take the credentials of the account any more.
    case signInExpired(account: String?)
    /// So many entries were made under other accounts than the one signed in.
    case otherAccounts(Int)
    /// So many entries wait behind others that failed, are in doubt or in conflict, or that they come after.
    case held(Int)
    /// The server asked to be left alone until then, in milliseconds since 1970-01-01 UTC.
    case askedToWait(until: Int64)
    /// Something else answers in the server's place: a sign-in page of the network, a proxy, a redirect.
    case intercepted
    /// The server refused writes of so many lanes, three or more, since it last accepted one. As it may not be the server that the
    /// writes were made for, the others wait: one is sent after 5 minutes, and after 10, 20, 40 and then 60 while lanes are added,
    /// until one is accepted. A retry by hand, the foreground and the network's return send one at once. A new process counts anew.
    case refusals(Int)
    /// The store could not keep what happened; it is tried again.
    case storage
}

extension PauseReason: CustomStringConvertible {
    /// Why, in one line for people.
    public var description: String {
        switch self {
        case .notRunning: "Nothing is sent: the outbox does not run."
        case .deliveredElsewhere(let owner):
            owner.processID.map { "Another outbox sends: that of the process \($0)." } ?? "Another outbox sends."
        case .otherServer(let mismatch): mismatch.description
        case .offline: "Nothing is sent: there is no network."
        case .signedOut: "Nothing is sent: nobody is signed in."
        case .signInExpired: "Nothing is sent: the sign-in has expired. Sign in again."
        case .otherAccounts(let count): "\(count) wait for another account to sign in."
        case .held(let count): "\(count) wait behind others that could not be sent."
        case .askedToWait: "Nothing is sent: the server asked for time."
        case .intercepted: "Something else answers in the server's place: is there a sign-in page?"
        case .refusals(let count): "Paused: the server refused writes about \(count) things. Is it the right one?"
        case .storage: "Nothing is sent: the store could not keep what happened. Is there room on the device?"
        }
    }
}
