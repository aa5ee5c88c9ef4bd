internal import LarderStore
internal import LarderTransport
internal import Synchronization

// A write carries the account it was made under. Whatever sends, queues or keeps it looks here whether that is still signed in.
extension ObjectCache {
    /// The authentication state of the queue of persistent classes; without a queue there are no accounts.
    func gate() throws(HTTPCacheError) -> SessionGate {
        do {
            return try writeQueue?.gate() ?? .signedIn(nil)
        } catch {
            throw .reading(error)
        }
    }

    /// The account that a write is made under now.
    func accountOfNow() throws(HTTPCacheError) -> String? {
        switch try gate() {
        case .signedIn(let account), .expired(let account): account
        case .signedOut: throw .notSignedIn
        }
    }

    /// Throws where another account than a write's is signed in, or none.
    func checkAccount(of write: QueuedWrite) throws(HTTPCacheError) {
        guard try gate().admits(write.account) else { throw .notSignedIn }
    }

    /// Throws where a write must not be sent now: as ``checkAccount(of:)``, and as without a network while the login has expired.
    func checkLogin(for write: QueuedWrite) throws(HTTPCacheError) {
        let gate = try gate()
        guard gate.admits(write.account) else { throw .notSignedIn }
        if case .expired = gate { throw .transport(.noConnection(reason: "the login has expired")) }
    }
}
