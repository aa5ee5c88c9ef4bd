// Proves that no account reads the content of another one, unless the app says that they share it.

import Larder
import LarderServer
import LarderSync
import LarderTesting
import LarderTransport
import Testing

/// The next account read the last one's rows until the app cleared the store.
@Suite(.timeLimit(.minutes(2))) struct `Content of an account` {
    /// A cache whose content user-1 has synced before signing out.
    private func left(_ world: World, _ options: CacheOptions) async throws -> ContentCache {
        try world.publish(10)
        let cache = try await world.open(options: options)
        try await cache.session.signIn(as: "user-1")
        let run = Task { try await cache.run() }
        let seen = await world.keep("translations:10", in: cache)
        #expect(seen.last?.isReady == true)
        run.cancel()
        _ = await run.result
        try await cache.session.signOut()
        return cache
    }

    @Test func `keeps another account from signing in until it is removed`() async throws {
        let world = World()
        let cache = try await left(world, CacheOptions())
        await #expect(throws: SessionError.contentOfOtherAccount) { try await cache.session.signIn(as: "user-2") }
        #expect(await cache.session.account == nil)
        try await cache.close()
        // Over a restart, too.
        let again = try await world.open(options: CacheOptions())
        await #expect(throws: SessionError.contentOfOtherAccount) { try await again.session.signIn(as: "user-2") }
        try await again.removeContent()
        #expect(try again.rows(Verse.self, in: "translations/10").isEmpty)
        try await again.session.signIn(as: "user-2")
        try await again.session.signOut()
        // Nothing was fetched for user-2, so user-1 may return.
        try await again.session.signIn(as: "user-1")
        try await again.close()
    }

    @Test func `is there for its own account`() async throws {
        let world = World()
        let cache = try await left(world, CacheOptions())
        try await cache.session.signIn(as: "user-1")
        #expect(try cache.rows(Verse.self, in: "translations/10").count == 20)
        try await cache.close()
    }

    @Test func `is read by every account where the app says so`() async throws {
        let world = World()
        var options = CacheOptions()
        options.contentIsShared = true
        let cache = try await left(world, options)
        try await cache.session.signIn(as: "user-2")
        #expect(try cache.rows(Verse.self, in: "translations/10").count == 20)
        try await cache.session.signOut()
        try await cache.close()
        // It was synced for nobody in particular; from now on it is bound.
        let bound = try await world.open(options: CacheOptions())
        try await bound.session.signIn(as: "user-3")
        try await bound.session.signOut()
        await #expect(throws: SessionError.contentOfOtherAccount) { try await bound.session.signIn(as: "user-2") }
        try await bound.close()
    }

    @Test func `belongs to the account that signs out, where nobody was named before`() async throws {
        let world = World()
        var shared = CacheOptions()
        shared.contentIsShared = true
        try world.publish(10)
        let cache = try await world.open(options: shared)
        try await cache.session.signIn(as: "user-1")
        try await world.running(cache) { _ = await world.keep("translations:10", in: cache) }
        let bound = try await world.open(options: CacheOptions())
        try await bound.session.signOut()
        await #expect(throws: SessionError.contentOfOtherAccount) { try await bound.session.signIn(as: "user-2") }
        try await bound.close()
    }

    @Test func `is fetched again after its removal while the cache runs`() async throws {
        let world = World()
        let cache = try await left(world, CacheOptions())
        try await world.running(cache) {
            _ = await world.keep("translations:10", in: cache)
            try await cache.removeContent()
            try await cache.session.signIn(as: "user-2")
            let seen = await world.keep("translations:10", in: cache)
            #expect(seen.last?.isReady == true)
            #expect(try cache.rows(Verse.self, where: "verse_key = \("26:155")").map(\.id) == [1005])
            // The indexes are declared again.
            let indexes = try cache.store.read { view in try view.indexes().count }
            #expect(indexes == 1)
        }
    }

    @Test func `lies in a directory of its own where the app wants that`() {
        let first = CacheLocation.applicationSupport("words", account: "user-1")
        let second = CacheLocation.applicationSupport("words", account: "user-2")
        #expect(first != second && !first.path.contains("user-1"))
        #expect(first == .applicationSupport("words", account: "user-1"))
        #expect(first.path.hasPrefix(CacheLocation.applicationSupport("words").path + "/"))
    }

    /// A run that was under way stored the rows of the account that had signed out.
    @Test func `is not stored by a run that began before the account signed out`() async throws {
        let world = World()
        try world.publish(10)
        let (arrived, arrival) = AsyncStream<Void>.makeStream()
        let (released, release) = AsyncStream<Void>.makeStream()
        let slow = HeldTransport(world.transport, arrival: arrival, released: released)
        let cache = try await world.open(options: CacheOptions(), transport: slow)
        try await cache.session.signIn(as: "user-1")
        try await world.running(cache) {
            cache.content?.add("translations:10")
            for await _ in arrived { break }
            try await cache.session.signOut()
            try await cache.session.signIn(as: "user-2")
            release.finish()
            let statuses = try #require(cache.content?.statuses())
            for await status in statuses where status.filters.first?.lastError != nil { break }
            #expect(try cache.rows(Verse.self, in: "translations/10").isEmpty)
        }
    }

    @Test func `is not synced while nobody is signed in, and is when the account returns`() async throws {
        let world = World()
        let cache = try await left(world, CacheOptions())
        try world.publish(11)
        try await world.running(cache) {
            let requests = world.transport.recorded.count
            let refused = await world.keep("translations:11", in: cache)
            #expect(refused.last?.problem == "The content belongs to an account that is not signed in.")
            #expect(world.transport.recorded.count == requests)
            try await cache.session.signIn(as: "user-1")
            let seen = await world.keep("translations:11", in: cache)
            #expect(seen.last?.isReady == true)
        }
    }

    @Test func `that was removed is not fetched for the account that left`() async throws {
        let world = World()
        let cache = try await left(world, CacheOptions())
        try await world.running(cache) {
            cache.content?.add("translations:10")
            try await cache.removeContent()
            let refused = await world.keep("translations:10", in: cache)
            #expect(refused.last?.problem != nil)
            try await cache.session.signIn(as: "user-2")
            let seen = await world.keep("translations:10", in: cache)
            #expect(seen.last?.isReady == true)
        }
    }

    /// It was never synced again.
    @Test func `belongs to nobody in a cache without accounts`() async throws {
        let world = World()
        let first = try await left(world, CacheOptions())
        try await first.close()
        try world.publish(11)
        let cache = try await world.open()
        try await world.running(cache) {
            let seen = await world.keep("translations:10,11", in: cache)
            #expect(seen.last?.isReady == true && seen.last?.resources == 2)
        }
    }

    /// The account of before was still named, and could read what others had synced since.
    @Test func `belongs to nobody once it was shared`() async throws {
        let world = World()
        let first = try await left(world, CacheOptions())
        try await first.close()
        var shared = CacheOptions()
        shared.contentIsShared = true
        let second = try await world.open(options: shared)
        try await second.session.signIn(as: "user-2")
        try await second.close()
        let third = try await world.open(options: CacheOptions())
        try await third.session.signOut()
        await #expect(throws: SessionError.contentOfOtherAccount) { try await third.session.signIn(as: "user-1") }
        try await third.close()
    }
}

/// Responses that are held until the test releases them.
private struct HeldTransport: Transport {
    let transport: ScriptedTransport
    let arrival: AsyncStream<Void>.Continuation
    let released: AsyncStream<Void>

    init(_ transport: ScriptedTransport, arrival: AsyncStream<Void>.Continuation, released: AsyncStream<Void>) {
        (self.transport, self.arrival, self.released) = (transport, arrival, released)
    }

    func send(
        _ request: HTTPRequest, body: [UInt8]?, timeouts: TransportTimeouts
    ) async throws(TransportError) -> TransportResponse {
        let response = try await transport.send(request, body: body, timeouts: timeouts)
        arrival.yield()
        for await _ in released {}
        return response
    }
}
