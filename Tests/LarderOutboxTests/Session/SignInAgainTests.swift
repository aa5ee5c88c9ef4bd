import LarderFormat
import LarderStore
import LarderTesting
import LarderTransport
import Testing

@testable import LarderOutbox

@Suite struct `An expired login` {
    private let bench = SessionBench()

    @Test func `is renewed once, however many ask, and its values with it [§4.4.5]`() async throws {
        let store = try bench.open()
        let authenticator = ScriptedAuthenticator(bench.clock, delay: .seconds(5))
        let session = try bench.session(store, authenticator: authenticator)
        try await session.signIn(
            as: "ada", values: [.secret("refresh", "r1"), .secret("token", "old"), .plain("a", "1")])
        try await session.noteExpired("ada")
        let renewals = (1...8).map { _ in Task { await session.signInAgain() } }
        await bench.clock.sleepers(atLeast: 1)
        bench.clock.advance(by: .seconds(5))
        for renewal in renewals { #expect(await renewal.value) }
        #expect(authenticator.asked == ["ada"])
        #expect(authenticator.secretsSeen == [Array("r1".utf8)])
        #expect(session.gate == .signedIn("ada"))
        #expect(try await session.secret(named: "token") == Array("new".utf8))
        #expect(await session.value(named: "renewed") == Array("yes".utf8))
        #expect(await session.value(named: "a") == Array("1".utf8))
        try store.close()
    }

    @Test func `stays one when it cannot be renewed: nobody is signed out by itself [§4.4.5]`() async throws {
        let store = try bench.open()
        let authenticator = ScriptedAuthenticator(bench.clock)
        authenticator.isRefusing = true
        let session = try bench.session(store, authenticator: authenticator)
        try await session.signIn(as: "ada", values: [.plain("a", "1")])
        let id = try await bench.enqueue(1, "ada", in: store)
        try await session.noteExpired("ada")
        for _ in 1...20 { #expect(await !session.signInAgain()) }
        #expect(authenticator.asked.count == 20)
        #expect(session.gate == .expired("ada"))
        #expect(await session.value(named: "a") == Array("1".utf8))
        #expect(try store.read { view in try view.outboxEntry(id) }?.delivery == OutboxDelivery())
        authenticator.isRefusing = false
        #expect(await session.signInAgain())
        try store.close()
    }

    @Test func `is not renewed for who has signed out meanwhile`() async throws {
        let store = try bench.open()
        let authenticator = ScriptedAuthenticator(bench.clock, delay: .seconds(5))
        let session = try bench.session(store, authenticator: authenticator)
        try await session.signIn(as: "ada", values: [.secret("token", "old")])
        try await session.noteExpired("ada")
        let renewal = Task { await session.signInAgain() }
        await bench.clock.sleepers(atLeast: 1)
        await session.note(.online)
        try await session.signOut()
        bench.clock.advance(by: .seconds(5))
        #expect(await !renewal.value)
        #expect(session.gate == .signedOut)
        #expect(bench.secrets.secrets == [:])
        #expect(await session.value(named: "renewed") == nil)
        try store.close()
    }

    @Test func `waits for a person where nobody can renew it`() async throws {
        let store = try bench.open()
        let session = try bench.session(store)
        try await session.signIn(as: "ada")
        #expect(await session.signInAgain())
        try await session.noteExpired("ada")
        #expect(await !session.signInAgain())
        try await session.signIn(as: "ada")
        #expect(session.gate == .signedIn("ada"))
        try store.close()
    }
}
