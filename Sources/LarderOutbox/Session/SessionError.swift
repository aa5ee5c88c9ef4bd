public import LarderStore

/// Why something about a session was refused.
///
/// Descriptions hold no names of accounts and no values.
public enum SessionError: Error, Equatable, Sendable {
    // Signing out.

    /// The account has made what the server does not have yet: send it, seal it or discard it.
    case unsent(UnsentContent)
    /// The login has expired and there is no network: who signs out now cannot come back until there is one.
    case offlineAndExpired(UnsentContent)
    /// What was to be discarded was named as another account's than it is.
    case wrongAccountName

    // Signing in, and values.

    /// Somebody else is signed in: who has to sign out first.
    case otherAccount
    /// Nobody is signed in.
    case notSignedIn
    /// Values are secret, and the host has supplied nowhere to keep them; how many.
    case noSecretStore(secrets: Int)
    /// The host's secret store has failed; its error's type.
    case secretStoreFailed(reason: String)
    /// The plain values take more than `limit` bytes together.
    case tooLarge(actual: Int, limit: Int)
}

extension SessionError: CustomStringConvertible {
    /// What happened and, where there is one, the remedy, in one line.
    public var description: String {
        switch self {
        case .unsent(let unsent):
            "\(unsent.summary) were not sent: send them first, seal them until the account returns, or discard them by its name."
        case .offlineAndExpired:
            "The login has expired and there is no network: signing in again would not be possible before there is one."
        case .wrongAccountName: "The account is not named so: nothing was discarded."
        case .otherAccount: "Another account is signed in: sign it out first."
        case .notSignedIn: "Nobody is signed in."
        case .noSecretStore(let count): "\(count) values are secret, and there is no secret store to keep them."
        case .secretStoreFailed(let reason): "The secret store has failed (\(reason))."
        case .tooLarge(let actual, let limit): "The values take \(actual) bytes, where \(limit) are kept."
        }
    }
}

extension UnsentContent {
    /// How much of what, for people.
    fileprivate var summary: String {
        let writes = pending + failed
        return points == 0 ? "\(writes) writes" : "\(writes) writes and \(points) points"
    }
}
