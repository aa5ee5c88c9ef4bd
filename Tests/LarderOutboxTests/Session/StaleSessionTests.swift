// Proves that a session whose process missed a sign-out replaces no other account (it signed its own in over it).
import LarderFormat
import LarderStore
import LarderTesting
import LarderTransport
import Testing

@testable import LarderOutbox

@Suite struct `A session that another process has changed` {
    private let fixture = SessionFixture()

    /// The session of a process that knows ada, while bob is signed in by now.
    private func stale(isExpired: Bool) async throws -> (Session, Store) {
        let store = try fixture.open()
        let authenticator = ScriptedAuthenticator(fixture.clock)
        let first = try fixture.session(store, authenticator: authenticator)
        try await first.signIn(as: "ada")
        if isExpired { try await first.markExpired("ada") }
        let second = try fixture.session(store)
        await second.setNetworkState(.online)
        try await second.signOut(.seal)
        try await second.signIn(as: "bob")
        return (first, store)
    }

    private func account(in store: Store) throws -> String? {
        try store.read { view in try view.session()?.account }
    }

    @Test func `signs its account in only after the other has signed out`() async throws {
        let (session, store) = try await stale(isExpired: false)
        await #expect(throws: SessionError.otherAccount) { try await session.signIn(as: "ada") }
        #expect(try account(in: store) == "bob")
        try store.close()
    }

    @Test func `drops the renewal of a login that has ended`() async throws {
        let (session, store) = try await stale(isExpired: true)
        await session.signInAgain()
        #expect(try account(in: store) == "bob")
        try store.close()
    }
}
