public import LarderStore

/// The reason a change of a session was refused.
///
/// ```swift
/// do {
///     try await session.signIn(as: "jane", values: values)
/// } catch SessionError.sealedWrites(let accounts, let unsent) {
///     print(unsent.pending, "writes wait for", accounts, "to sign in")  // see `Session.discardSealed(of:)`
/// } catch SessionError.contentOfOtherAccount {
///     print("another account's content is stored")  // see `ContentCache.removeContent(discardingUnsent:)`
/// }
/// ```
public enum SessionError: Error, Equatable, Sendable {
    // Signing out.

    /// The account has writes or points that the server does not have yet: send, seal or discard them.
    case unsent(UnsentContent)
    /// The login has expired and there is no network, or the network is unknown and renewing the login failed. An
    /// account that signs out now cannot sign in again until there is a network.
    case offlineAndExpired(UnsentContent)
    /// The account named for discarding is not the one signed in, or the store has nothing of it.
    case wrongAccountName

    // Signing in, and values.

    /// Another account is signed in, and has to sign out first.
    case otherAccount
    /// The store holds unsent writes of these other accounts, and shows their effects on rows. Sign one of them in and
    /// send them, discard them with ``Session/discardSealed(of:)``, or use a store for each account
    /// (`Store.accountPath(base:account:)`).
    case sealedWrites(accounts: [String], UnsentContent)
    /// The store holds content of another account, and accounts do not share content. Remove it
    /// (`ContentCache.removeContent(discardingUnsent:)`, `Store.clear(discardingUnsent:)`), or use a store for each
    /// account (`Store.accountPath(base:account:)`).
    case contentOfOtherAccount
    /// The account whose content was to be discarded is signed in: see ``Session/signOut(_:)``.
    case stillSignedIn
    /// No account is signed in.
    case notSignedIn
    /// This many values are secret, and the host has supplied no storage for them.
    case noSecretStore(secrets: Int)
    /// The host's secret store has failed; the reason is the type of its error.
    case secretStoreFailed(reason: String)
    /// The session with its plain values needs more than `limit` bytes.
    case tooLarge(actual: Int, limit: Int)
}

extension SessionError: CustomStringConvertible {
    /// The error and, where there is one, the remedy, in one line.
    public var description: String {
        switch self {
        case .unsent(let unsent):
            "Not sent yet: \(unsent.summary). Send them first, seal them until the account returns, or discard them by its name."
        case .offlineAndExpired:
            "The login has expired and could not be renewed without a network: signing in again would not be possible before there is one."
        case .wrongAccountName: "The account is not named so: nothing was discarded."
        case .sealedWrites(_, let unsent):
            "What another account has not sent would be seen (\(unsent.summary)): send it as that account, discard it by its name, or open another store."
        case .contentOfOtherAccount:
            "The stored content belongs to another account: remove it first, or open another store. Nobody was signed in."
        case .stillSignedIn: "The account is signed in: sign it out to discard what it has not sent."
        case .otherAccount: "Another account is signed in: sign it out first."
        case .notSignedIn: "No account is signed in."
        case .noSecretStore(let count): "\(count) values are secret, and there is no secret store for them."
        case .secretStoreFailed(let reason): "The secret store has failed (\(reason))."
        case .tooLarge(let actual, let limit): "The values need \(actual) bytes, and the limit is \(limit)."
        }
    }
}

extension UnsentContent {
    private func count(_ number: Int, _ noun: String) -> String { "\(number) \(noun)\(number == 1 ? "" : "s")" }

    /// The numbers of writes and points, in words for the user.
    fileprivate var summary: String {
        let writes = count(pending + failed, "write")
        return points == 0 ? writes : "\(writes) and \(count(points, "point"))"
    }
}
