internal import LarderFormat
internal import LarderStore

extension Transaction {
    /// Throws unless the account is signed in, as far as a ``Session`` records that.
    ///
    /// A write or point is stamped with its account before it is stored. In between, the account may have been signed
    /// out: the sign-out found nothing unsent, and what is stored later would be left without a decision. Without a
    /// session in the store, and without an account, nothing is checked.
    ///
    /// - Throws: ``OutboxError/notSignedIn`` when the account is not signed in (any more);
    ///   ``StoreError/damaged(table:reason:)``.
    borrowing func checkSignedIn(as account: String?) throws {
        guard try isSignedIn(account) else { throw OutboxError.notSignedIn }
    }

    /// Whether the stored session has the account signed in; true also where nothing is checked.
    borrowing func isSignedIn(_ account: String?) throws -> Bool {
        guard let account, let session = try session() else { return true }
        return session.state != .signedOut && session.isOf(account)
    }
}
