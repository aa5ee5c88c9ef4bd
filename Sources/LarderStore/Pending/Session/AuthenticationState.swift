public import LarderFormat

/// The authentication state: the account whose writes may be made and sent.
public enum AuthenticationState: Hashable, Sendable {
    /// This account is signed in; nil where there are no accounts.
    case signedIn(String?)
    /// This account is signed in, and the server no longer accepts its credentials.
    case expired(String?)
    /// No account is signed in.
    case signedOut

    /// The state of a stored session; without a session no account is signed in.
    public init(_ session: StoredSession?) {
        self =
            switch session?.state {
            case .signedIn: .signedIn(session?.account)
            case .expired: .expired(session?.account)
            case .signedOut, nil: .signedOut
            }
    }

    /// Returns whether both are the same state of one account; names are compared byte for byte.
    public static func == (left: AuthenticationState, right: AuthenticationState) -> Bool {
        switch (left, right) {
        case (.signedIn, .signedIn(let account)), (.expired, .expired(let account)): left.allows(account)
        case (.signedOut, .signedOut): true
        default: false
        }
    }

    /// Returns whether content of an account may be kept and sent; nil stands for content made where there are no
    /// accounts.
    ///
    /// Names are compared byte for byte.
    public func allows(_ account: String?) -> Bool {
        switch self {
        case .signedIn(let present), .expired(let present):
            guard let present, let account else { return present == nil && account == nil }
            return present.equalsBytewise(account)
        case .signedOut: return false
        }
    }
}
