// Proves that an outbox sends only for the signed-in account, also when it expires or another process signs it out.

import HTTPTypes
import LarderFormat
import LarderOutbox
import LarderStore
import LarderTesting
import LarderTransport
import Testing

// Pain 7 of offline clients: an expired login that is replayed, blocks everything, or costs writes.
@Suite(.timeLimit(.minutes(5))) struct `A session beside an outbox` {
    /// Signs requests with whatever token the session has.
    private struct Tokens: Credentials {
        let session: Session

        func fields(for account: String?, isRefused: Bool) async throws -> HTTPFields {
            let token = try await session.secret(named: "token")
            return [.authorization: "Bearer " + String(decoding: token ?? [], as: UTF8.self)]
        }
    }

    private func outbox(_ world: OutboxWorld, _ session: Session) throws -> Outbox {
        let outbox = try world.outbox(
            credentials: Tokens(session: session), configuration: { $0.signIn = session.renewal })
        session.attach(outbox)
        return outbox
    }

    @Test func `renews an expired login by itself when online, and the write spends no attempt [§4.4.5]`() async throws
    {
        let world = try OutboxWorld { request in
            TransportResponse(status: request.fields[.authorization] == "Bearer new" ? .ok : .unauthorized)
        }
        let authenticator = ScriptedAuthenticator(world.clock)
        let session = try Session(store: world.store, secrets: MemorySecretStore(), authenticator: authenticator)
        try await session.signIn(as: "ada", values: [.secret("token", "old")])
        let outbox = try outbox(world, session)
        try await world.running(outbox) {
            let queued = try await outbox.enqueue(makeNoteWrite(1))
            #expect(try await outbox.outcome(of: queued.id) == .accepted)
        }
        #expect(world.requests.map { $0.fields[.authorization] } == ["Bearer old", "Bearer new"])
        #expect(Set(world.requests.map(\.key)).count == 1)
        #expect(authenticator.requestedAccounts == ["ada"])
        #expect(await session.state == .signedIn)
    }

    @Test func `sends nothing of an account that has signed out, and stamps whose a write is`() async throws {
        let world = try OutboxWorld(.offline)
        let session = try Session(store: world.store, secrets: MemorySecretStore())
        let outbox = try outbox(world, session)
        await #expect(throws: OutboxError.self) { try await outbox.enqueue(makeNoteWrite(1)) }
        try await session.signIn(as: "ada")
        let sealed = try await outbox.enqueue(makeNoteWrite(1))
        #expect(try world.entries().map(\.draft.account) == ["ada"])
        try await session.signOut(.seal)
        world.network.set(.online)
        try await world.running(outbox) {
            await #expect(throws: OutboxError.self) { try await outbox.enqueue(makeNoteWrite(2)) }
            await #expect(throws: SessionError.self) { try await session.signIn(as: "bob") }
            #expect(world.requests.isEmpty)
            try await session.signIn(as: "ada")
            #expect(try await outbox.outcome(of: sealed.id) == .accepted)
            try await session.signOut()
            try await session.signIn(as: "bob")
            let other = try await outbox.enqueue(makeNoteWrite(2))
            #expect(try await outbox.outcome(of: other.id) == .accepted)
        }
        #expect(world.requests.map { String(decoding: $0.body, as: UTF8.self) } == ["{\"n\":1}", "{\"n\":2}"])
    }

    @Test(arguments: [nil, "bob"])
    func `sends nothing of an account that another process has signed out`(next: String?) async throws {
        let world = try OutboxWorld(.offline)
        let session = try Session(store: world.store, secrets: MemorySecretStore())
        let outbox = try outbox(world, session)
        try await session.signIn(as: "ada")
        let known = try #require(try world.store.read { view in try view.session() })
        let queued = try await outbox.enqueue(makeNoteWrite(1))
        try await world.running(outbox) {
            // What another process does to the session reaches nothing here but the store.
            try await world.store.write { transaction in
                try transaction.putSession(
                    StoredSession(
                        state: next == nil ? .signedOut : .signedIn, account: next, changedAt: 2, signedInAt: 2))
            }
            world.network.set(.online)
            for await status in outbox.statuses() where status.pauses.contains(.signedOut) { break }
            #expect(world.requests.isEmpty)
            try await world.store.write { try $0.putSession(known) }
            try await session.signIn(as: "ada")
            #expect(try await outbox.outcome(of: queued.id) == .accepted)
        }
        #expect(world.requests.count == 1)
    }

    @Test func `stores nothing that was made before its account was signed out, and would be stored after`()
        async throws
    {
        let world = try OutboxWorld(.offline)
        let session = try Session(store: world.store, secrets: MemorySecretStore())
        let outbox = try outbox(world, session)
        try await session.signIn(as: "ada")
        let prepared = try outbox.prepare(makeNoteWrite(1))
        try await session.signOut()
        func enqueue() async throws { try await world.store.write { try $0.enqueue(prepared) } }
        await #expect(throws: OutboxError.self) { try await enqueue() }
        try await session.signIn(as: "bob")
        await #expect(throws: OutboxError.self) { try await enqueue() }
        #expect(try world.entries().isEmpty)
        try await session.signOut()
        try await session.signIn(as: "ada")
        try await session.markExpired("ada")
        try await enqueue()
        #expect(try world.entries().map(\.id) == [prepared.id])
    }

    @Test func `has no rejected write sent again for an account that has signed out`() async throws {
        let world = try OutboxWorld { _ in TransportResponse(status: .unprocessableContent) }
        let session = try Session(store: world.store, secrets: MemorySecretStore())
        let outbox = try outbox(world, session)
        try await session.signIn(as: "ada")
        try await world.running(outbox) {
            let queued = try await outbox.enqueue(makeNoteWrite(1))
            _ = try await outbox.outcome(of: queued.id)
            try await session.signOut()
            await #expect(throws: OutboxError.self) { _ = try await outbox.retryRejected(queued.id) }
            try await session.signIn(as: "ada")
            _ = try await outbox.retryRejected(queued.id)
        }
    }

    @Test func `stores no point of an account that was signed out meanwhile`() async throws {
        let world = try OutboxWorld(.offline)
        let session = try Session(store: world.store)
        // This outbox was not notified yet.
        let uploader = BufferUploader(outbox: try world.outbox(account: "ada"))
        try await uploader.append(Array("{}".utf8), at: 1)
        try await session.signIn(as: "ada")
        try await session.signOut(.seal)
        let error = await #expect(throws: OutboxError.self) { try await uploader.append(Array("{}".utf8), at: 2) }
        guard case .notSignedIn = error else {
            Issue.record("another error: \(String(describing: error))")
            return
        }
        #expect(try uploader.bufferState.pointCount == 1)
    }

    @Test func `queues writes in read-only mode, and sends them once the login is renewed [§4.4.5]`() async throws {
        let world = try OutboxWorld(.offline)
        let authenticator = ScriptedAuthenticator(world.clock)
        let session = try Session(store: world.store, secrets: MemorySecretStore(), authenticator: authenticator)
        try await session.signIn(as: "ada")
        try await session.markExpired("ada")
        await session.setNetworkState(.offline)
        let outbox = try outbox(world, session)
        try await world.running(outbox) {
            let queued = try await outbox.enqueue(makeNoteWrite(1))
            #expect(try await session.status.banner == .offlineReadOnly(pending: 1))
            #expect(authenticator.requestedAccounts == [])
            world.network.set(.online)
            #expect(try await outbox.outcome(of: queued.id) == .accepted)
        }
        #expect(authenticator.requestedAccounts == ["ada"])
        #expect(await session.state == .signedIn)
    }
}
