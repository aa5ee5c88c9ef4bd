// Proves that fetched collections and their objects are stored, found, evicted and removed as promised.

import LarderFormat
import LarderHTTP
import LarderStore
import LarderTesting
import Testing

@Suite struct `A fetched collection` {
    /// §5.4.1.
    @Test func `stores its objects singly, and each once`() async throws {
        let world = try ObjectWorld(persistent: ["User"])
        _ = try await world.cache.collection(allUsers)
        _ = try await world.cache.collection(users("x < 3"))
        #expect(try world.storedObjects() == ["User/1", "User/2", "User/3", "User/4"])
        world.goOffline()
        #expect(try await world.cache.object(user(4)).number == "4")
    }

    /// §5.4.2.
    @Test(arguments: [ObjectPersistence.memory, .persistent])
    func `shows an object as it was last fetched alone, and the reverse`(place: ObjectPersistence) async throws {
        let world = try ObjectWorld(persistent: place == .persistent ? ["User"] : [])
        _ = try await world.cache.collection(allUsers)
        _ = try await world.cache.collection(users("x < 3"))
        world.server.put("User", "1", "100")
        _ = try await world.cache.object(user(1))
        world.goOffline()
        #expect(try await world.cache.collection(allUsers).numbers == ["100", "2", "3", "4"])
        #expect(try await world.cache.collection(users("x < 3")).numbers == ["100", "2"])
        world.goOnline()
        world.server.put("User", "2", "200")
        _ = try await world.cache.collection(allUsers)
        world.goOffline()
        #expect(try await world.cache.object(user(2)).number == "200")
    }

    /// §5.4.2.
    @Test(arguments: [ObjectPersistence.memory, .persistent])
    func `shows what was saved without a connection`(place: ObjectPersistence) async throws {
        let world = try ObjectWorld(persistent: place == .persistent ? ["User"] : [])
        _ = try await world.cache.collection(allUsers)
        world.goOffline()
        try await world.cache.save(user(2), payload: Array("22".utf8))
        #expect(try await world.cache.collection(allUsers).numbers == ["1", "22", "3", "4"])
        #expect(try await world.cache.object(user(2)).number == "22")
    }

    /// §5.4.2.
    @Test func `is seen in one storage as it changed in the other`() async throws {
        let world = try ObjectWorld()
        _ = try await world.cache.collection(allUsers, persistence: .persistent)
        world.server.put("User", "1", "100")
        _ = try await world.cache.object(user(1))
        world.goOffline()
        #expect(try await world.cache.collection(allUsers).numbers.first == "100")
        world.goOnline()
        world.server.put("User", "1", "101")
        _ = try await world.cache.object(user(1), persistence: .persistent)
        world.goOffline()
        #expect(try await world.cache.collection(allUsers).numbers.first == "101")
        #expect(try await world.cache.object(user(1)).number == "101")
    }

    /// §5.4.3.
    @Test func `is found offline by the same query text only`() async throws {
        let world = try ObjectWorld()
        _ = try await world.cache.collection(users("x < 3"))
        world.goOffline()
        #expect(try await world.cache.collection(users("x < 3")).numbers == ["1", "2"])
        for other in ["x  < 3", "x < 4", "", "X < 3"] {
            await #expect(throws: HTTPCacheError.self) { try await world.cache.collection(users(other)) }
        }
    }

    /// §5.4.4.
    @Test func `holds what it was fetched with, though it does not fit the query any more`() async throws {
        let world = try ObjectWorld()
        _ = try await world.cache.collection(users("x < 4"))
        world.goOffline()
        try await world.cache.save(user(3), payload: Array("15".utf8))
        #expect(try await world.cache.collection(users("x < 4")).numbers == ["1", "2", "15"])
    }

    @Test func `is evaluated again only when the host requests that by name`() async throws {
        let world = try ObjectWorld()
        _ = try await world.cache.collection(users("x < 4"))
        world.goOffline()
        try await world.cache.save(user(3), payload: Array("15".utf8))
        let fits = ObjectMembership.reevaluated { object in
            (Int(String(decoding: object.payload, as: UTF8.self)) ?? 0) < 4
        }
        let answer = try await world.cache.collection(users("x < 4"), membership: fits)
        #expect(answer.numbers == ["1", "2"])
        #expect(answer.value.isComplete)
    }

    @Test func `keeps the server's order`() async throws {
        let world = try ObjectWorld(persistent: ["User"])
        world.server.set { $0.pages["/User"] = "3\t3\n1\t1\n20\t20\n2\t2" }
        _ = try await world.cache.collection(allUsers)
        world.goOffline()
        #expect(try await world.cache.collection(allUsers).numbers == ["3", "1", "20", "2"])
    }

    @Test func `that is empty is an answer, too`() async throws {
        let world = try ObjectWorld(persistent: ["User"])
        _ = try await world.cache.collection(users("x > 100"))
        world.goOffline()
        let answer = try await world.cache.collection(users("x > 100"))
        #expect(answer.value.objects.isEmpty)
        #expect(answer.value.isComplete)
    }

    @Test func `whose objects were evicted to make space says so, and is whole again after the next answer`()
        async throws
    {
        let world = try ObjectWorld(persistent: ["User"])
        _ = try await world.cache.collection(allUsers)
        try await world.store.write { transaction in
            _ = try transaction.evict(ObjectName.resource(ofClass: "User"))
        }
        world.goOffline()
        let offline = try await world.cache.collection(allUsers)
        #expect(offline.value.objects.isEmpty)
        #expect(offline.value.missing == (1...4).map(user))
        world.goOnline()
        let whole = try await world.cache.collection(allUsers)
        #expect(whole.origin == .network)
        world.goOffline()
        #expect(try await world.cache.collection(allUsers).value.isComplete)
        #expect(try world.findings() == [])
    }

    @Test func `fetched through a reference is stored apart from the class's own`() async throws {
        let world = try ObjectWorld()
        world.server.set { $0.pages["/User/1/friends"] = "2\t2\n3\t3" }
        let friends = user(1).references(by: "friends", toClass: "User")
        _ = try await world.cache.collection(allUsers)
        _ = try await world.cache.collection(friends)
        world.goOffline()
        #expect(try await world.cache.collection(allUsers).numbers == ["1", "2", "3", "4"])
        #expect(try await world.cache.collection(friends).numbers == ["2", "3"])
    }
}

@Suite struct `Deleting from storage` {
    /// §5.5.1.
    @Test(arguments: [ObjectPersistence.memory, .persistent])
    func `one object leaves the server alone, and its collections say that it is missing`(
        place: ObjectPersistence
    ) async throws {
        let world = try ObjectWorld(persistent: place == .persistent ? ["User"] : [])
        _ = try await world.cache.collection(allUsers)
        try await world.cache.deleteFromStorage(user(2))
        #expect(world.server.written == [])
        world.goOffline()
        await #expect(throws: HTTPCacheError.self) { try await world.cache.object(user(2)) }
        let rest = try await world.cache.collection(allUsers)
        #expect(rest.numbers == ["1", "3", "4"])
        #expect(rest.value.missing == [user(2)])
        world.goOnline()
        // No 304 can bring it back: the server is asked for the whole.
        let whole = try await world.cache.collection(allUsers)
        #expect(whole.origin == .network)
        #expect(whole.numbers == ["1", "2", "3", "4"])
    }

    /// §5.5.2.
    @Test(arguments: [ObjectPersistence.memory, .persistent])
    func `a collection needs the same query, and removes its objects`(place: ObjectPersistence) async throws {
        let world = try ObjectWorld(persistent: place == .persistent ? ["User"] : [])
        _ = try await world.cache.collection(users("x > 2"))
        let wrong = try await world.cache.deleteAllFromStorage(users("x > 1"))
        #expect(!wrong.wasStored)
        let right = try await world.cache.deleteAllFromStorage(users("x > 2"))
        #expect(right.wasStored)
        world.goOffline()
        await #expect(throws: HTTPCacheError.self) { try await world.cache.object(user(3)) }
        await #expect(throws: HTTPCacheError.self) { try await world.cache.collection(users("x > 2")) }
        #expect(try world.findings() == [])
    }

    /// §5.5.3.
    @Test(arguments: [ObjectPersistence.memory, .persistent], [ObjectPersistence.memory, .persistent])
    func `a collection leaves the objects that another one holds, and is not found any more`(
        place: ObjectPersistence, other: ObjectPersistence
    ) async throws {
        let world = try ObjectWorld()
        _ = try await world.cache.collection(users("x > 2"), persistence: other)
        _ = try await world.cache.collection(users("x < 4"), persistence: place)
        try await world.cache.deleteAllFromStorage(users("x < 4"))
        world.goOffline()
        await #expect(throws: HTTPCacheError.self) { try await world.cache.collection(users("x < 4")) }
        await #expect(throws: HTTPCacheError.self) { try await world.cache.object(user(1)) }
        #expect(try await world.cache.object(user(3)).number == "3")
        let stored = try await world.cache.collection(users("x > 2"))
        #expect(stored.numbers == ["3", "4"])
        #expect(stored.value.isComplete)
    }

    /// §5.5.4.
    @Test func `a class's collection leaves those fetched through references alone`() async throws {
        let world = try ObjectWorld()
        world.server.set { $0.pages["/User/1/friends"] = "2\t2\n3\t3" }
        let friends = user(1).references(by: "friends", toClass: "User")
        _ = try await world.cache.collection(allUsers)
        _ = try await world.cache.collection(friends)
        try await world.cache.deleteAllFromStorage(allUsers)
        world.goOffline()
        await #expect(throws: HTTPCacheError.self) { try await world.cache.collection(allUsers) }
        #expect(try await world.cache.collection(friends).value.isComplete)
        let own = try await world.cache.deleteAllFromStorage(friends)
        #expect(own.wasStored)
        await #expect(throws: HTTPCacheError.self) { try await world.cache.collection(friends) }
    }

    /// §5.5.5.
    @Test(arguments: [ObjectPersistence.memory, .persistent])
    func `all of a class removes every object and collection of it, and no other class's`(
        place: ObjectPersistence
    ) async throws {
        let world = try ObjectWorld(persistent: place == .persistent ? ["User", "Note"] : [])
        world.server.put("Note", "1", "7")
        world.server.set { $0.pages["/Note/1/users"] = "2\t2" }
        let referred = ObjectName(class: "Note", id: "1").references(by: "users", toClass: "User")
        _ = try await world.cache.collection(allUsers)
        _ = try await world.cache.collection(users("x < 3"))
        _ = try await world.cache.collection(referred)
        _ = try await world.cache.object(ObjectName(class: "Note", id: "1"))
        try await world.cache.removeAllFromStorage(class: "User")
        world.goOffline()
        for name in [allUsers, users("x < 3"), referred] {
            await #expect(throws: HTTPCacheError.self) { try await world.cache.collection(name) }
        }
        for id in 1...4 {
            await #expect(throws: HTTPCacheError.self) { try await world.cache.object(user(id)) }
        }
        #expect(try await world.cache.object(ObjectName(class: "Note", id: "1")).number == "7")
        #expect(try world.findings() == [])
    }
}
