// Proves that an expired login is renewed once, and never signs an account out by itself.

import LarderFormat
import LarderStore
import LarderTesting
import LarderTransport
import Testing

@testable import LarderOutbox

@Suite struct `An expired login` {
    private let fixture = SessionFixture()

    @Test func `is renewed once, however many request it, and its values with it [§4.4.5]`() async throws {
        let store = try fixture.open()
        let authenticator = ScriptedAuthenticator(fixture.clock, delay: .seconds(5))
        let session = try fixture.session(store, authenticator: authenticator)
        try await session.signIn(
            as: "ada", values: [.secret("refresh", "r1"), .secret("token", "old"), .plain("a", "1")])
        try await session.markExpired("ada")
        let renewals = (1...8).map { _ in Task { await session.signInAgain() } }
        await fixture.clock.sleepers(atLeast: 1)
        fixture.clock.advance(by: .seconds(5))
        for renewal in renewals { #expect(await renewal.value) }
        #expect(authenticator.requestedAccounts == ["ada"])
        #expect(authenticator.secretsSeen == [Array("r1".utf8)])
        #expect(session.authentication == .signedIn("ada"))
        #expect(try await session.secret(named: "token") == Array("new".utf8))
        #expect(await session.value(named: "renewed") == Array("yes".utf8))
        #expect(await session.value(named: "a") == Array("1".utf8))
        try store.close()
    }

    @Test func `stays one when it cannot be renewed: nobody is signed out by itself [§4.4.5]`() async throws {
        let store = try fixture.open()
        let authenticator = ScriptedAuthenticator(fixture.clock)
        authenticator.isRefusing = true
        let session = try fixture.session(store, authenticator: authenticator)
        try await session.signIn(as: "ada", values: [.plain("a", "1")])
        let id = try await fixture.enqueue(1, "ada", in: store)
        try await session.markExpired("ada")
        for _ in 1...20 { #expect(await !session.signInAgain()) }
        #expect(authenticator.requestedAccounts.count == 20)
        #expect(session.authentication == .expired("ada"))
        #expect(await session.value(named: "a") == Array("1".utf8))
        #expect(try store.read { view in try view.outboxEntry(id) }?.delivery == OutboxDelivery())
        authenticator.isRefusing = false
        #expect(await session.signInAgain())
        try store.close()
    }

    @Test func `is not renewed for who has signed out meanwhile`() async throws {
        let store = try fixture.open()
        let authenticator = ScriptedAuthenticator(fixture.clock, delay: .seconds(5))
        let session = try fixture.session(store, authenticator: authenticator)
        try await session.signIn(as: "ada", values: [.secret("token", "old")])
        try await session.markExpired("ada")
        let renewal = Task { await session.signInAgain() }
        await fixture.clock.sleepers(atLeast: 1)
        await session.setNetworkState(.online)
        try await session.signOut()
        fixture.clock.advance(by: .seconds(5))
        #expect(await !renewal.value)
        #expect(session.authentication == .signedOut)
        #expect(fixture.secrets.secrets == [:])
        #expect(await session.value(named: "renewed") == nil)
        try store.close()
    }

    @Test func `waits for a person where nobody can renew it`() async throws {
        let store = try fixture.open()
        let session = try fixture.session(store)
        try await session.signIn(as: "ada")
        #expect(await session.signInAgain())
        try await session.markExpired("ada")
        #expect(await !session.signInAgain())
        try await session.signIn(as: "ada")
        #expect(session.authentication == .signedIn("ada"))
        try store.close()
    }
}
