// Proves that objects and collections are validated by HTTP's fields or by those of ApiOmat.

import HTTPTypes
import LarderFormat
import LarderHTTP
import LarderStore
import LarderTesting
import LarderTransport
import Testing

@Suite struct `Validation by HTTP's own fields` {
    /// §5.6.1.
    @Test func `sends a collection's entity tag back, and stores new content with its new tag`() async throws {
        let world = try ObjectWorld(persistent: ["User"])
        _ = try await world.cache.collection(allUsers)
        #expect(world.lastFields[.ifNoneMatch] == nil)
        #expect(try await world.cache.collection(allUsers).origin == .revalidated)
        let tag = try #require(world.lastFields[.ifNoneMatch])
        world.server.put("User", "1", "100")
        let changed = try await world.cache.collection(allUsers)
        #expect(changed.origin == .network)
        #expect(changed.numbers.first == "100")
        #expect(try await world.cache.collection(allUsers).origin == .revalidated)
        #expect(world.lastFields[.ifNoneMatch] != tag)
    }

    @Test func `sends a single object's date back`() async throws {
        let world = try ObjectWorld()
        _ = try await world.cache.object(user(1))
        #expect(try await world.cache.object(user(1)).origin == .revalidated)
        #expect(world.lastFields[.ifModifiedSince]?.hasPrefix("date of") == true)
        world.server.put("User", "1", "100")
        #expect(try await world.cache.object(user(1)).number == "100")
    }

    @Test func `is not tried with content that has changed since the validator came`() async throws {
        let world = try ObjectWorld()
        _ = try await world.cache.collection(allUsers)
        _ = try await world.cache.object(user(1))
        world.server.put("User", "1", "100")
        _ = try await world.cache.collection(allUsers)
        // Back to what the object's own validator spoke of: a 304 would confirm the wrong content.
        world.server.put("User", "1", "1")
        #expect(try await world.cache.object(user(1)).number == "1")
        #expect(world.lastFields[.ifModifiedSince] == nil)
        world.server.put("User", "2", "200")
        _ = try await world.cache.object(user(2))
        world.server.put("User", "2", "2")
        _ = try await world.cache.collection(allUsers)
        #expect(world.lastFields[.ifNoneMatch] == nil)
    }

    @Test func `fetches again without a condition when what it confirms was removed meanwhile`() async throws {
        let world = try ObjectWorld()
        _ = try await world.cache.collection(allUsers)
        world.network.plan(.delay(.seconds(5)), exchange: 1)
        async let answer = world.cache.collection(allUsers)
        await world.clock.sleepers(atLeast: 1)
        try await world.cache.removeAllFromStorage(class: "User")
        world.clock.advance(by: .seconds(5))
        let whole = try await answer
        #expect(whole.origin == .network)
        #expect(whole.numbers == ["1", "2", "3", "4"])
        #expect(world.network.recorded.count == 3)
    }
}

@Suite struct `Validation by ApiOmat's fields` {
    private func world() throws -> ObjectWorld {
        let world = try ObjectWorld(persistent: ["User"], options: ObjectCacheOptions(validators: .apiOmat))
        world.server.set { $0.isApiOmat = true }
        return world
    }

    /// §5.6.1.
    @Test func `reads a collection's tag from If-None-Match and sends it back as If-None-Match`() async throws {
        let world = try world()
        _ = try await world.cache.collection(allUsers)
        let again = try await world.cache.collection(allUsers)
        #expect(again.origin == .revalidated)
        #expect(again.numbers == ["1", "2", "3", "4"])
        #expect(world.lastFields[.ifNoneMatch]?.hasPrefix("\"") == true)
        world.server.put("User", "1", "100")
        #expect(try await world.cache.collection(allUsers).numbers.first == "100")
        #expect(try await world.cache.collection(allUsers).origin == .revalidated)
    }

    /// §5.6.2.
    @Test func `reads a single object's date from the same field, and sends it back in it`() async throws {
        let world = try world()
        _ = try await world.cache.object(user(1))
        #expect(try await world.cache.object(user(1)).origin == .revalidated)
        #expect(world.lastFields[.ifNoneMatch]?.hasPrefix("date of") == true)
        #expect(world.lastFields[.ifModifiedSince] == nil)
    }

    /// §5.6.3.
    @Test func `neither sends nor stores a validator for a collection with a query`() async throws {
        let world = try world()
        _ = try await world.cache.collection(users("x < 3"))
        let again = try await world.cache.collection(users("x < 3"))
        #expect(again.origin == .network)
        #expect(world.lastFields[.ifNoneMatch] == nil)
        let stored = try world.store.read { view in try view.collection(users("x < 3")) }
        #expect(stored?.validators.isEmpty == true)
    }
}
