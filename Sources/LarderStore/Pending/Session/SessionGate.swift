public import LarderFormat

/// The authentication state: the account whose writes may be made and sent.
public enum SessionGate: Hashable, Sendable {
    /// This account, or nobody where there are no accounts.
    case signedIn(String?)
    /// This account, and the server does not take its credentials any more.
    case expired(String?)
    /// Nobody.
    case signedOut

    /// What a session says; before there is one, nobody is signed in.
    public init(_ session: StoredSession?) {
        self =
            switch session?.state {
            case .signedIn: .signedIn(session?.account)
            case .expired: .expired(session?.account)
            case .signedOut, nil: .signedOut
            }
    }

    /// Whether both are the same state of one account; names are told apart byte for byte.
    public static func == (left: SessionGate, right: SessionGate) -> Bool {
        switch (left, right) {
        case (.signedIn, .signedIn(let account)), (.expired, .expired(let account)): left.admits(account)
        case (.signedOut, .signedOut): true
        default: false
        }
    }

    /// Whether what was made under an account, or where there were none, may be kept and sent; names are told apart byte for byte.
    public func admits(_ account: String?) -> Bool {
        switch self {
        case .signedIn(let present), .expired(let present):
            guard let present, let account else { return present == nil && account == nil }
            return present.equalsBytewise(account)
        case .signedOut: return false
        }
    }
}
