internal import LarderStore
internal import LarderTransport
internal import Synchronization

// A write carries the account that it was made under. Before it is sent, queued or kept, the functions here check that
// this account is still signed in.
extension ObjectCache {
    /// Returns the authentication state of the queue of persistent classes. Without a queue there are no accounts.
    ///
    /// - Throws: ``HTTPCacheError/unreadable(_:)`` when the queue cannot read it.
    func authenticationState() throws(HTTPCacheError) -> AuthenticationState {
        do {
            return try writeQueue?.authenticationState() ?? .signedIn(nil)
        } catch {
            throw .wrapping(error)
        }
    }

    /// Returns the account that a write is made under now.
    ///
    /// - Throws: ``HTTPCacheError/notSignedIn`` when no account is signed in; as ``authenticationState()``.
    func currentAccount() throws(HTTPCacheError) -> String? {
        switch try authenticationState() {
        case .signedIn(let account), .expired(let account): account
        case .signedOut: throw .notSignedIn
        }
    }

    /// Checks that the account of a write is signed in.
    ///
    /// - Throws: ``HTTPCacheError/notSignedIn`` where it is not; as ``authenticationState()``.
    func checkAccount(of write: QueuedWrite) throws(HTTPCacheError) {
        guard try authenticationState().allows(write.account) else { throw .notSignedIn }
    }

    /// Checks that a write may be sent now.
    ///
    /// - Throws: ``HTTPCacheError/transport(_:)`` as without a network while the login has expired; as
    ///   ``checkAccount(of:)``.
    func checkLogin(for write: QueuedWrite) throws(HTTPCacheError) {
        let authentication = try authenticationState()
        guard authentication.allows(write.account) else { throw .notSignedIn }
        if case .expired = authentication { throw .transport(.noConnection(reason: "the login has expired")) }
    }
}
