public import LarderStore

/// Why something about a session was refused.
///
/// Descriptions hold no names of accounts and no values.
public enum SessionError: Error, Equatable, Sendable {
    // Signing out.

    /// The account has made what the server does not have yet: send it, seal it or discard it.
    case unsent(UnsentContent)
    /// The login has expired and there is no network, or none is known of and renewing the login did not work: who signs
    /// out now cannot come back until there is one.
    case offlineAndExpired(UnsentContent)
    /// What was to be discarded was named as another account's than it is.
    case wrongAccountName

    // Signing in, and values.

    /// Somebody else is signed in: who has to sign out first.
    case otherAccount
    /// The store holds writes of these other accounts that were not sent, and shows what they did to rows: sign one of
    /// them in and send them, give them up with ``Session/discardSealed(of:)``, or use a store of its own for each
    /// account (`Store.accountPath(base:account:)`).
    case sealedWrites(accounts: [String], UnsentContent)
    /// What was to be given up is of the account that is signed in: see ``Session/signOut(_:)``.
    case stillSignedIn
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
            "The login has expired and could not be renewed without a network: signing in again would not be possible before there is one."
        case .wrongAccountName: "The account is not named so: nothing was discarded."
        case .sealedWrites(_, let unsent):
            "\(unsent.summary) of another account were not sent and would be seen: send them as that account, discard them by its name, or open another store."
        case .stillSignedIn: "The account is signed in: sign it out to discard what it has not sent."
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
