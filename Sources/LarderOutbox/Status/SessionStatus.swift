public import LarderFormat
public import LarderStore

/// The state of a session, to show to the user.
///
/// ```swift
/// for await status in session.statuses() {  // now, and after every change
///     print(status.account ?? "nobody", status.pending, "not sent")
///     if let banner = status.banner { print(banner.title) }  // such as: Offline
/// }
/// ```
public struct SessionStatus: Hashable, Sendable {
    /// The state of the login.
    public var state: StoredSession.State
    /// The account of the session; nil when none is signed in.
    public var account: String?
    /// Whether there is known to be no network.
    public var isOffline: Bool
    /// The writes and points of the account that the server does not have yet.
    public var unsent: UnsentContent

    /// A status of these parts.
    public init(state: StoredSession.State, account: String?, isOffline: Bool, unsent: UnsentContent) {
        self.state = state
        self.account = account
        self.isOffline = isOffline
        self.unsent = unsent
    }

    /// Whether content can be read and writes are kept for later, but nothing else can be done: the login has expired,
    /// and there is no network to renew it. Needs one earlier login.
    public var isReadOnly: Bool { isOffline && state == .expired }

    /// The number of writes that wait, including those whose attempts are used up.
    public var pending: Int { unsent.pending + unsent.failed }

    /// The notice to show to the user, if any.
    public var banner: SessionBanner? {
        if isReadOnly { return .offlineReadOnly(pending: pending) }
        if isOffline { return .offline(pending: pending) }
        return state == .expired ? .signInExpired(pending: pending) : nil
    }
}

/// A notice about a session to show to the user.
public enum SessionBanner: Hashable, Sendable {
    /// There is no network, and the login has expired.
    case offlineReadOnly(pending: Int)
    /// There is no network.
    case offline(pending: Int)
    /// The login has expired, and is being renewed.
    case signInExpired(pending: Int)

    /// The number of writes that wait.
    public var pending: Int {
        switch self {
        case .offlineReadOnly(let pending), .offline(let pending), .signInExpired(let pending): pending
        }
    }

    /// The notice in English, without the count.
    public var title: String {
        switch self {
        case .offlineReadOnly: "Offline - Read Only"
        case .offline: "Offline"
        case .signInExpired: "Signing in again"
        }
    }
}
