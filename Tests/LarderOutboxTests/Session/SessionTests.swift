// Proves that a session persists its account, values and secrets, and refuses what would mix accounts.

import LarderFormat
import LarderStore
import LarderTesting
import LarderTransport
import Testing

@testable import LarderOutbox

@Suite struct `A session` {
    private let fixture = SessionFixture()

    private func token(_ account: String = "ada") -> SecretName { SecretName(account: account, name: "token") }

    @Test func `is nobody's before the first login, which read-only mode needs [§4.4.5]`() async throws {
        let store = try fixture.open()
        let session = try fixture.session(store)
        await session.setNetworkState(.offline)
        let status = try await session.status
        #expect(status.state == .signedOut && status.account == nil)
        #expect(!status.isReadOnly)
        #expect(session.authentication == .signedOut)
        try store.close()
    }

    @Test func `stays signed in over a restart, with its values and secrets`() async throws {
        let first = try fixture.open()
        try await fixture.session(first).signIn(
            as: "ada", values: [.plain("workspace", "17"), .secret("token", "s3cret")])
        try first.close()
        let store = try fixture.open()
        let session = try fixture.session(store)
        #expect(await session.account == "ada")
        #expect(session.authentication == .signedIn("ada"))
        #expect(await session.value(named: "workspace") == Array("17".utf8))
        #expect(try await session.secret(named: "token") == Array("s3cret".utf8))
        try store.close()
    }

    @Test func `leaves a secret out of the store's file`() async throws {
        let store = try fixture.open()
        try await fixture.session(store).signIn(as: "ada", values: [.secret("token", "s3cret")])
        #expect(fixture.secrets.secrets == [token(): Array("s3cret".utf8)])
        let stored = try #require(try store.read { view in try view.session() })
        #expect(stored.value(named: "token") == nil)
        #expect(!"\(stored)".contains("s3cret") && !"\(stored)".contains("\(Array("s3cret".utf8))"))
        #expect(stored.secretNames == ["token"])
        try store.close()
    }

    @Test func `refuses a secret without a place for it, and changes nothing`() async throws {
        let store = try fixture.open()
        let session = try fixture.session(store, keepsSecrets: false)
        await #expect(throws: SessionError.noSecretStore(secrets: 1)) {
            try await session.signIn(as: "ada", values: [.plain("a", "b"), .secret("token", "x")])
        }
        #expect(await session.state == .signedOut)
        #expect(try store.read { view in try view.session() } == nil)
        try await session.signIn(as: "ada")
        await #expect(throws: SessionError.noSecretStore(secrets: 1)) {
            try await session.setValues([.secret("token", "x")])
        }
        try store.close()
    }

    @Test func `is not begun when the place for secrets fails`() async throws {
        let store = try fixture.open()
        let session = try fixture.session(store)
        fixture.secrets.isFailing = true
        await #expect(throws: SessionError.secretStoreFailed(reason: "Failure")) {
            try await session.signIn(as: "ada", values: [.secret("token", "x")])
        }
        #expect(await session.state == .signedOut)
        #expect(session.authentication == .signedOut)
        fixture.secrets.isFailing = false
        try await session.signIn(as: "bob", values: [.secret("token", "y")])
        #expect(await session.account == "bob")
        #expect(fixture.secrets.secrets == [token("bob"): Array("y".utf8)])
        try store.close()
    }

    @Test func `changes values one by one, and a plain one into a secret`() async throws {
        let store = try fixture.open()
        let session = try fixture.session(store)
        await #expect(throws: SessionError.notSignedIn) { try await session.setValues([.plain("a", "1")]) }
        try await session.signIn(as: "ada", values: [.plain("a", "1"), .plain("b", "2")])
        try await session.setValues([.plain("a", "3"), .secret("b", "4")])
        #expect(await session.value(named: "a") == Array("3".utf8))
        #expect(await session.value(named: "b") == nil)
        #expect(try await session.secret(named: "b") == Array("4".utf8))
        try await session.removeValues(named: ["a", "b"])
        #expect(await session.value(named: "a") == nil)
        #expect(fixture.secrets.secrets == [:])
        #expect(try store.read { view in try view.session() }?.secretNames == [])
        try store.close()
    }

    @Test func `refuses more than 64 KiB of values, and stays as it was`() async throws {
        let store = try fixture.open()
        let session = try fixture.session(store)
        try await session.signIn(as: "ada", values: [.plain("a", "1")])
        let large = String(repeating: "x", count: 70_000)
        let error = await #expect(throws: SessionError.self) {
            try await session.setValues([.plain("a", "2"), .plain("b", large)])
        }
        guard case .tooLarge(_, 65_536) = error else { Issue.record("\(error as Any)"); return }
        #expect(await session.value(named: "a") == Array("1".utf8))
        try store.close()
    }

    @Test func `refuses every other account before its owner has signed out`() async throws {
        let store = try fixture.open()
        let session = try fixture.session(store)
        try await session.signIn(as: "ada")
        await #expect(throws: SessionError.otherAccount) { try await session.signIn(as: "bob") }
        try await session.markExpired("ada")
        await #expect(throws: SessionError.otherAccount) { try await session.signIn(as: "bob") }
        try await session.signIn(as: "ada")
        #expect(session.authentication == .signedIn("ada"))
        try store.close()
    }

    @Test func `offline and expired is read-only, with the count of what waits [§4.4.5]`() async throws {
        let store = try fixture.open()
        let session = try fixture.session(store)
        try await session.signIn(as: "ada")
        try await fixture.enqueue(1, "ada", in: store)
        try await fixture.enqueue(2, "ada", in: store)
        try await fixture.enqueue(3, "bob", in: store)
        await session.setNetworkState(.offline)
        #expect(try await session.status.banner == .offline(pending: 2))
        #expect(try await !session.status.isReadOnly)
        try await session.markExpired("ada")
        let status = try await session.status
        #expect(status.isReadOnly)
        #expect(status.banner == .offlineReadOnly(pending: 2))
        #expect(status.banner?.title == "Offline - Read Only")
        #expect(status.account == "ada")
        // Writes are queued all the same.
        try await fixture.enqueue(4, "ada", in: store)
        #expect(try await session.status.pending == 3)
        await session.setNetworkState(.online)
        #expect(try await session.status.banner == .signInExpired(pending: 3))
        try store.close()
    }

    @Test func `expires only for the account that is signed in`() async throws {
        let store = try fixture.open()
        let session = try fixture.session(store)
        try await session.signIn(as: "ada")
        try await session.markExpired("bob")
        #expect(session.authentication == .signedIn("ada"))
        try await session.markExpired("ada")
        #expect(session.authentication == .expired("ada"))
        try store.close()
        let again = try fixture.open()
        #expect(try fixture.session(again).authentication == .expired("ada"))
        try again.close()
    }

    @Test func `reports its authentication state and its status as they change`() async throws {
        let store = try fixture.open()
        let session = try fixture.session(store)
        var gates = session.authenticationStates().makeAsyncIterator()
        #expect(await gates.next() == .signedOut)
        try await session.signIn(as: "ada")
        #expect(await gates.next() == .signedIn("ada"))
        var statuses = session.statuses().makeAsyncIterator()
        #expect(await statuses.next()?.pending == 0)
        let running = Task { await session.run(SteadyConnectivity(.offline)) }
        #expect(await statuses.next()?.isOffline == true)
        try await fixture.enqueue(1, "ada", in: store)
        #expect(await statuses.next()?.pending == 1)
        running.cancel()
        await running.value
        try store.close()
    }
}
