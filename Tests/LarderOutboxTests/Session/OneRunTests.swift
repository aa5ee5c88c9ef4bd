// Proves that one run of an outbox sends writes and points, renews the login and ends completely when cancelled.

import HTTPTypes
import LarderFormat
import LarderOutbox
import LarderStore
import LarderTesting
import LarderTransport
import Testing

@Suite(.timeLimit(.minutes(5))) struct `One run of an outbox` {
    private let world: OutboxWorld
    private let session: Session
    private let authenticator: ScriptedAuthenticator
    private let outbox: Outbox
    private let path = "/api/app/v1/locations/batch"

    /// A server that takes no login but a renewed one.
    init() throws {
        let world = try OutboxWorld { request in
            TransportResponse(status: request.fields[.authorization] == "Bearer new" ? .ok : .unauthorized)
        }
        let authenticator = ScriptedAuthenticator(world.clock)
        let session = try Session(store: world.store, secrets: MemorySecretStore(), authenticator: authenticator)
        outbox = try world.outbox(
            credentials: Tokens(session: session), configuration: { $0.signIn = session.renewal })
        session.attach(outbox)
        (self.world, self.authenticator, self.session) = (world, authenticator, session)
    }

    private struct Tokens: Credentials {
        let session: Session

        func fields(for account: String?, isRefused: Bool) async throws -> HTTPFields {
            let token = try await session.secret(named: "token")
            return [.authorization: "Bearer " + String(decoding: token ?? [], as: UTF8.self)]
        }
    }

    private func append(_ number: Int64, to uploader: BufferUploader) async throws {
        try await uploader.append(Array("{\"n\":\(number)}".utf8), at: number)
    }

    private func waitUntilSent(_ uploader: BufferUploader) async throws {
        for try await _ in world.store.values(in: .buffers, { _ in () }) {
            if try uploader.bufferState.pointCount == 0 { return }
        }
    }

    /// What was sent with the login that the server takes, by path.
    private var accepted: [String: Int] {
        let requests = world.requests.filter { $0.fields[.authorization] == "Bearer new" }
        return Dictionary(grouping: requests, by: \.path).mapValues(\.count)
    }

    @Test func `sends writes and points, renews an expired login, and reports how the session is`() async throws {
        try await session.signIn(as: "ada", values: [.secret("token", "old")])
        let uploader = BufferUploader(outbox: outbox)
        try await append(1, to: uploader)
        let queued = try await outbox.enqueue(makeNoteWrite(1))
        try await world.running(outbox) {
            #expect(try await outbox.outcome(of: queued.id) == .accepted)
            try await waitUntilSent(uploader)
            for await status in session.statuses() where status.unsent.isEmpty { break }
            world.network.set(.offline)
            for await status in session.statuses() where status.isOffline { break }
        }
        #expect(accepted == [path: 1, "/api/notes": 1])
        #expect(authenticator.requestedAccounts.contains("ada"))
        #expect(await session.state == .signedIn)
    }

    @Test func `ends all of it when it is cancelled`() async throws {
        try await session.signIn(as: "ada", values: [.secret("token", "new")])
        let uploader = BufferUploader(outbox: outbox)
        try await append(1, to: uploader)
        try await world.running(outbox) {
            try await waitUntilSent(uploader)
            world.network.set(.offline)
            for await status in session.statuses() where status.isOffline { break }
        }
        #expect(try await !session.status.isOffline, "nobody follows the network any more")
        world.network.set(.online)
        try await outbox.enqueue(makeNoteWrite(1))
        try await append(2, to: uploader)
        // Nothing that has ended has the turn to upload, and none of it sends the write meanwhile.
        let alone = Task { await uploader.run() }
        try await waitUntilSent(uploader)
        alone.cancel()
        await alone.value
        #expect(accepted == [path: 2])
        #expect(outbox.status.pending == 1)
    }

    @Test func `runs a buffer that is made later, and sends no point twice for several uploaders`() async throws {
        try await session.signIn(as: "ada", values: [.secret("token", "new")])
        try await world.running(outbox) {
            let uploaders = [BufferUploader(outbox: outbox), BufferUploader(outbox: outbox)]
            let alone = Task { await uploaders[1].run() }
            for number in 1...5 as ClosedRange<Int64> {
                try await append(number, to: uploaders[1])
                try await waitUntilSent(uploaders[0])
            }
            alone.cancel()
            await alone.value
        }
        #expect(accepted == [path: 5])
        #expect(Set(world.requests.compactMap(\.key)).count == 5)
    }
}
