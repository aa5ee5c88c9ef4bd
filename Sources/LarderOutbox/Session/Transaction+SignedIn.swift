internal import LarderFormat
internal import LarderStore

extension Transaction {
    /// Throws where a ``Session`` says that an account is not signed in (any more).
    ///
    /// What is made under an account is stamped before it is stored. In between, the account may have been signed out,
    /// which looked for what is unsent and found nothing: what came after that would be left without anybody's choice.
    /// Where nobody uses a session, and for what is made without an account, nothing is looked at.
    ///
    /// - Throws: ``OutboxError/notSignedIn``; ``StoreError/damaged(table:reason:)``.
    borrowing func checkSignedIn(as account: String?) throws {
        guard try isSignedIn(account) else { throw OutboxError.notSignedIn }
    }

    /// Whether a ``Session`` says so; also where nothing is looked at.
    borrowing func isSignedIn(_ account: String?) throws -> Bool {
        guard let account, let session = try session() else { return true }
        return session.state != .signedOut && session.isOf(account)
    }
}
