// Proves that no account is signed in over what another has not sent, and that nobody signs out unaware of an outage.
import HTTPTypes
import LarderFormat
import LarderOutbox
import LarderStore
import LarderTesting
import LarderTransport
import Testing

@Suite struct `What an account sealed` {
    private let fixture = SessionFixture()
    private let row = RowKey(resource: ResourceKey("notes", 1), type: "note", key: "1")

    /// A store in which ada has sealed a write that readers see.
    private func sealed(_ store: Store) async throws -> Session {
        let session = try fixture.session(store)
        try await session.signIn(as: "ada")
        try await store.write { [row] transaction in
            var draft = OutboxDraft(
                id: UUIDBytes(high: 7, low: 1), lane: "lane", createdAt: 1, mutationType: "note", method: "POST",
                endpoint: "/notes", payload: [])
            draft.account = "ada"
            try transaction.enqueue(draft, effects: [RowEffect(.replacement(Array("ada's".utf8)), at: row)])
        }
        try await session.signOut(.seal)
        return session
    }

    @Test func `is no other account's either where the owner of the content cannot be read`() async throws {
        let store = try fixture.open()
        let session = try Session(store: store, contentIsShared: false)
        try await session.signIn(as: "ada")
        try await store.write { [row] in try $0.put(Array("ada's".utf8), at: row, updatedAt: 1) }
        try damageOwner(at: fixture.path)
        try await session.signOut()
        for account in ["ada", "bob"] {
            await #expect(throws: StoreError.self) { try await session.signIn(as: account) }
        }
        #expect(session.authentication == .signedOut)
        try await store.clear()
        try await session.signIn(as: "bob")
        try store.close()
    }

    private var refusal: SessionError {
        var unsent = UnsentContent()
        unsent.pending = 1
        return .sealedWrites(accounts: ["ada"], unsent)
    }

    @Test func `is shown to no other account: it is not signed in, and nothing is changed`() async throws {
        let store = try fixture.open()
        let session = try await sealed(store)
        await #expect(throws: refusal) {
            try await session.signIn(as: "bob", values: [.plain("a", "1"), .secret("token", "x")])
        }
        #expect(session.authentication == .signedOut)
        #expect(fixture.secrets.secrets == [:])
        #expect(await session.value(named: "a") == nil)
        // Over a restart, too.
        try store.close()
        let again = try fixture.open()
        let next = try fixture.session(again)
        await #expect(throws: refusal) { try await next.signIn(as: "bob") }
        try await next.signIn(as: "ada")
        try again.close()
    }

    @Test func `is discarded by its exact name, and another may sign in`() async throws {
        let store = try fixture.open()
        let session = try await sealed(store)
        for name in ["Ada", "bob", ""] {
            await #expect(throws: SessionError.wrongAccountName) { try await session.discardSealed(of: name) }
        }
        await #expect(throws: StoreError.unsentWrites(1)) { try await store.clear() }
        try await session.discardSealed(of: "ada")
        #expect(try store.read { view in try view.outboxOutcomes() }.map(\.outcome) == ["dropped"])
        try await session.signIn(as: "bob")
        let shown = try store.read { [row] view in try view.payload(at: row) }
        #expect(shown == nil)
        await #expect(throws: SessionError.stillSignedIn) { try await session.discardSealed(of: "bob") }
        try await store.clear()
        try store.close()
    }

    @Test func `blocks no account once it is sent, refused, or had none`() async throws {
        let store = try fixture.open()
        let session = try await sealed(store)
        try await fixture.enqueue(2, nil, in: store)
        await #expect(throws: refusal) { try await session.signIn(as: "bob") }
        try await store.write { transaction in
            try transaction.rejectEntry(UUIDBytes(high: 7, low: 1), OutboxDelivery(), detail: nil, at: 5)
        }
        try await session.signIn(as: "bob")
        #expect(session.authentication == .signedIn("bob"))
        try store.close()
    }

    @Test func `counts when it is made between the check and the commit`() async throws {
        let store = try fixture.open()
        let session = try fixture.session(store)
        let slow = SlowSecretStore { try await self.fixture.enqueue(1, "ada", in: store) }
        let other = try Session(store: store, secrets: slow)
        await #expect(throws: refusal) { try await other.signIn(as: "bob", values: [.secret("token", "x")]) }
        #expect(await session.state == .signedOut)
        #expect(try store.read { view in try view.session() }?.state == .signedOut)
        try store.close()
    }
}

/// A secret store beside which something happens.
private struct SlowSecretStore: SecretStore {
    let body: @Sendable () async throws -> Void

    init(_ body: @escaping @Sendable () async throws -> Void) { self.body = body }

    func secret(_ name: SecretName) async throws -> [UInt8]? { nil }

    func setSecret(_ content: [UInt8]?, _ name: SecretName) async throws { try await body() }
}

@Suite(.timeLimit(.minutes(5))) struct `Signing out while nobody follows the network` {
    private let fixture = SessionFixture()

    @Test func `is refused with an expired login that cannot be renewed, and seals when the host says so`() async throws
    {
        let store = try fixture.open()
        let authenticator = ScriptedAuthenticator(fixture.clock)
        authenticator.isRefusing = true
        let session = try fixture.session(store, authenticator: authenticator)
        try await session.signIn(as: "ada")
        try await session.markExpired("ada")
        await #expect(throws: SessionError.offlineAndExpired(UnsentContent())) { try await session.signOut() }
        #expect(authenticator.requestedAccounts == ["ada"])
        #expect(session.authentication == .expired("ada"))
        try await session.signOut(.seal)
        #expect(session.authentication == .signedOut)
        try store.close()
    }

    @Test func `renews the login first, and goes on when that works`() async throws {
        let store = try fixture.open()
        let authenticator = ScriptedAuthenticator(fixture.clock)
        let session = try fixture.session(store, authenticator: authenticator)
        try await session.signIn(as: "ada")
        try await session.markExpired("ada")
        try await session.signOut()
        #expect(authenticator.requestedAccounts == ["ada"])
        #expect(session.authentication == .signedOut)
        try store.close()
    }

    @Test func `is refused where nobody can renew it, and not once the network is known to be there`() async throws {
        let store = try fixture.open()
        let session = try fixture.session(store)
        try await session.signIn(as: "ada")
        try await session.markExpired("ada")
        await #expect(throws: SessionError.offlineAndExpired(UnsentContent())) { try await session.signOut() }
        await session.setNetworkState(.online)
        try await session.signOut()
        #expect(session.authentication == .signedOut)
        try store.close()
    }

    @Test func `learns of the network from an attached outbox that runs`() async throws {
        let world = try OutboxWorld { _ in TransportResponse(status: .ok) }
        let session = try Session(store: world.store)
        try await session.signIn(as: "ada")
        let outbox = try world.outbox()
        session.attach(outbox)
        try await session.markExpired("ada")
        try await world.running(outbox) {
            for await status in outbox.statuses() where status.isRunning { break }
            let queued = try await outbox.enqueue(makeNoteWrite(1))
            await #expect(throws: SessionError.self) { try await session.signOut() }
            try await session.signIn(as: "ada")
            #expect(try await outbox.outcome(of: queued.id) == .accepted)
            try await session.markExpired("ada")
            try await session.signOut()
        }
        #expect(session.authentication == .signedOut)
    }
}
