// Proves that known failures of other outboxes around logins and accounts do not occur here.

import HTTPTypes
import LarderFormat
import LarderOutbox
import LarderStore
import LarderTesting
import LarderTransport
import Synchronization
import Testing

/// Logins and queues, and the work of one user that is sent as another's.
@Suite(.timeLimit(.minutes(5))) struct `Known failures: logins and accounts` {
    /// A credential for each account, of which a test says how it reads now.
    final class Tokens: Credentials {
        let values = Mutex<[String: String]>([:])

        func fields(for account: String?, isRefused: Bool) async -> HTTPFields {
            [.authorization: "\(account ?? "nobody") \(values.withLock { $0[account ?? ""] ?? "none" })"]
        }
    }

    @Test
    func `credentials are those of the send, not of the enqueue, and are stored nowhere [iterable-swift-sdk #1085]`()
        async throws
    {
        let tokens = Tokens()
        tokens.values.withLock { $0["ada"] = "old-secret" }
        let world = try OutboxWorld(.offline)
        let outbox = try world.outbox(account: "ada", credentials: tokens)
        try await outbox.enqueue(makeNoteWrite(1))
        tokens.values.withLock { $0["ada"] = "new" }
        let stored = try #require(try world.entries().first)
        #expect(stored.draft.fields.map { $0.name.lowercased() } == ["content-type"])
        world.network.set(.online)
        try await world.running(outbox) { try await world.wait(outbox) { $0.oldestCreatedAt == nil && $0.isRunning } }
        #expect(world.requests.map { $0.fields[.authorization] } == ["ada new"])
    }

    @Test
    func
        `an expired login spends no attempt, however often it is answered with 401 [PackRat #2673, teachLink_mobile #624]`()
        async throws
    {
        let isExpired = Mutex(true)
        let world = try OutboxWorld { _ in TransportResponse(status: isExpired.withLock { $0 } ? .unauthorized : .ok) }
        let outbox = try world.outbox(account: "ada")
        try await world.running(outbox) {
            let queued = try await outbox.enqueue(makeNoteWrite(1))
            for _ in 0..<7 {
                let status = try await world.wait(outbox) { $0.pauses == [.signInExpired(account: "ada")] }
                #expect(status.pending == 1)
                outbox.signedIn(as: "ada")
                try await world.wait(outbox) { $0.pauses == [.signInExpired(account: "ada")] || $0.sending == 0 }
            }
            try await world.wait(outbox) { $0.pauses == [.signInExpired(account: "ada")] }
            let entry = try #require(try world.entries().first)
            #expect(entry.delivery.attempts == 0)
            isExpired.withLock { $0 = false }
            outbox.signedIn(as: "ada")
            #expect(try await outbox.outcome(of: queued.id) == .accepted)
        }
    }

    @Test func `what one account wrote is never sent as another [Eventra #2478, #18917]`() async throws {
        let world = try OutboxWorld(.offline)
        let tokens = Tokens()
        let outbox = try world.outbox(account: "ada", credentials: tokens)
        let hers = try await outbox.enqueue(makeNoteWrite(1))
        outbox.signedIn(as: "bob")
        let his = try await outbox.enqueue(makeNoteWrite(2))
        try await world.running(outbox) {
            world.network.set(.online)
            #expect(try await outbox.outcome(of: his.id) == .accepted)
            let status = try await world.wait(outbox) { $0.pauses == [.otherAccounts(1)] }
            #expect(status.pending == 1)
            outbox.signedIn(as: "ada")
            #expect(try await outbox.outcome(of: hers.id) == .accepted)
        }
        #expect(world.requests.map { $0.fields[.authorization]?.prefix(3) } == ["bob", "ada"])
    }

    @Test func `nothing is sent after a sign-out [Expensify #11850]`() async throws {
        let world = try OutboxWorld(.offline)
        let outbox = try world.outbox(account: "ada")
        try await outbox.enqueue(makeNoteWrite(1))
        try await world.running(outbox) {
            outbox.signedOut()
            world.network.set(.online)
            try await world.wait(outbox) { $0.pauses == [.signedOut] }
            await #expect(throws: OutboxError.self) { try await outbox.enqueue(makeNoteWrite(2)) }
        }
        #expect(world.requests.isEmpty)
        #expect(try world.entries().count == 1)
    }

    @Test
    func
        `accounts lie in directories of their own, beside and not within each other [realm-swift #2016, couchbase-lite-ios #357, mapbox-gl-native #869, #5112]`()
        throws
    {
        let paths = ["ada", "bob", "Ada", "../bob", ""].map { Store.accountPath(base: "/data/larder", account: $0) }
        #expect(Set(paths).count == paths.count)
        for path in paths {
            #expect(path.hasPrefix("/data/larder/"))
            #expect(!path.dropFirst("/data/larder/".count).contains("/"))
        }
    }
}
