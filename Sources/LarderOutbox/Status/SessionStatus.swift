public import LarderFormat
public import LarderStore

/// How a session is, for whoever shows it.
public struct SessionStatus: Hashable, Sendable {
    /// How it is.
    public var state: StoredSession.State
    /// Whose it is; nil when nobody is signed in.
    public var account: String?
    /// Whether the network is known to be gone.
    public var isOffline: Bool
    /// What the account has not got rid of yet.
    public var unsent: UnsentContent

    /// A status of these parts.
    public init(state: StoredSession.State, account: String?, isOffline: Bool, unsent: UnsentContent) {
        self.state = state
        self.account = account
        self.isOffline = isOffline
        self.unsent = unsent
    }

    /// Whether content can be read, writes are kept for later, and nothing else can be done: the login has expired, and
    /// there is no network to renew it over. Needs one earlier login.
    public var isReadOnly: Bool { isOffline && state == .expired }

    /// The writes that wait, those among them whose attempts are used up.
    public var pending: Int { unsent.pending + unsent.failed }

    /// What a person should be told, if anything.
    public var banner: SessionBanner? {
        if isReadOnly { return .offlineReadOnly(pending: pending) }
        if isOffline { return .offline(pending: pending) }
        return state == .expired ? .signInExpired(pending: pending) : nil
    }
}

/// What a person should be told about a session.
public enum SessionBanner: Hashable, Sendable {
    /// There is no network, and the login has expired.
    case offlineReadOnly(pending: Int)
    /// There is no network.
    case offline(pending: Int)
    /// The login has expired, and is being renewed.
    case signInExpired(pending: Int)

    /// The writes that wait.
    public var pending: Int {
        switch self {
        case .offlineReadOnly(let pending), .offline(let pending), .signInExpired(let pending): pending
        }
    }

    /// The line in English, without the count.
    public var title: String {
        switch self {
        case .offlineReadOnly: "Offline - Read Only"
        case .offline: "Offline"
        case .signInExpired: "Signing in again"
        }
    }
}
