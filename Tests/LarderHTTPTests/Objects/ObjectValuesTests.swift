// Proves that an observer of an object or a collection sees each stored change exactly once, whatever made it.
import HTTPTypes
import LarderFormat
import LarderStore
import LarderTesting
import Synchronization
import Testing

@testable import LarderHTTP

private let places = [ObjectPersistence.memory, .persistent]

@Suite(.timeLimit(.minutes(5))) struct `An observer` {
    private func world(_ place: ObjectPersistence) throws -> ObjectWorld {
        try ObjectWorld(persistent: place == .persistent ? ["User"] : [])
    }

    @Test(arguments: places)
    func `of an object sees what is stored at once, and then answers, writes and removals`(
        place: ObjectPersistence
    ) async throws {
        let world = try world(place)
        var values = world.cache.values(of: user(1)).makeAsyncIterator()
        #expect(try await values.text() == "-")
        _ = try await world.cache.object(user(1))
        #expect(try await values.text() == "1")
        world.goOffline()
        try await world.cache.save(user(1), payload: Array("10".utf8))
        #expect(try await values.text() == "10")
        try await world.cache.delete(user(1))
        #expect(try await values.text() == "-")
    }

    @Test(arguments: places)
    func `of a collection sees the changes of its objects, and which objects it holds`(
        place: ObjectPersistence
    ) async throws {
        let world = try world(place)
        _ = try await world.cache.collection(users("x < 3"))
        var values = world.cache.values(of: users("x < 3")).makeAsyncIterator()
        #expect(try await values.texts() == ["1", "2"])
        world.server.put("User", "2", "0")
        _ = try await world.cache.object(user(2))
        #expect(try await values.texts() == ["1", "0"])
        world.server.put("User", "1", "5")
        _ = try await world.cache.collection(users("x < 3"))
        #expect(try await values.texts() == ["0"])
        try await world.cache.deleteAllFromStorage(users("x < 3"))
        #expect(try await values.texts() == ["-"])
    }

    @Test func `sees no value twice, whatever is signalled`() async throws {
        let stored = Mutex([1, 1, 2])
        let (signals, signal) = AsyncStream.makeStream(of: Void.self)
        var values = ObjectValues<Int>(signals: { signals }, read: { stored.withLock { $0.removeFirst() } })
            .makeAsyncIterator()
        #expect(try await values.next() == 1)
        for _ in 0..<2 { signal.yield() }
        #expect(try await values.next() == 2)
    }

    @Test(arguments: places)
    func `of an object sees none that has no part in it`(place: ObjectPersistence) async throws {
        let world = try world(place)
        _ = try await world.cache.collection(allUsers)
        var values = world.cache.values(of: user(1)).makeAsyncIterator()
        #expect(try await values.text() == "1")
        world.goOffline()
        try await world.cache.save(user(2), payload: Array("20".utf8))
        try await world.cache.save(user(1), payload: Array("11".utf8))
        #expect(try await values.text() == "11")
    }

    @Test func `sees an object move from one storage to the other`() async throws {
        let world = try ObjectWorld()
        _ = try await world.cache.object(user(1), persistence: .persistent)
        var values = world.cache.values(of: user(1)).makeAsyncIterator()
        #expect(try await values.text() == "1")
        world.server.put("User", "1", "2")
        _ = try await world.cache.object(user(1), persistence: .memory)
        #expect(try await values.text() == "2")
        world.server.put("User", "1", "3")
        _ = try await world.cache.object(user(1), persistence: .persistent)
        #expect(try await values.text() == "3")
    }

    @Test func `of a persistent class sees a refused write rolled back`() async throws {
        let world = try world(.persistent)
        _ = try await world.cache.object(user(1))
        world.goOffline()
        try await world.cache.save(user(1), payload: Array("10".utf8))
        var values = world.cache.values(of: user(1)).makeAsyncIterator()
        #expect(try await values.text() == "10")
        world.goOnline()
        world.network.plan(.status(.unprocessableContent), where: { $0.method == .put })
        try await world.sendWaitingWrites()
        #expect(try await values.text() == "1")
    }

    @Test(arguments: places)
    func `ends with its task`(place: ObjectPersistence) async throws {
        let world = try world(place)
        let values = world.cache.values(of: user(1))
        let began = Flag(false)
        let observer = Task {
            var count = 0
            for try await _ in values {
                count += 1
                began.value = true
            }
            return count
        }
        while !began.value { await Task.yield() }
        observer.cancel()
        #expect(try await observer.value == 1)
    }

    @Test func `ends when the store is closed`() async throws {
        let world = try world(.persistent)
        var values = world.cache.values(of: user(1)).makeAsyncIterator()
        #expect(try await values.text() == "-")
        try world.store.close()
        #expect(try await values.text() == nil)
    }
}

extension ObjectValues<StoredObject>.Iterator {
    /// The number of the next value, `-` where nothing is kept, nil at the end.
    fileprivate mutating func text() async throws -> String? {
        let value = try await next()
        return value.map { object in object.map { String(decoding: $0.payload, as: UTF8.self) } ?? "-" }
    }
}

extension ObjectValues<ObjectCollection>.Iterator {
    /// The numbers of the next value, `-` where nothing is kept, nil at the end.
    fileprivate mutating func texts() async throws -> [String]? {
        let value = try await next()
        return value.map { found in
            found.map { $0.objects.map { String(decoding: $0.payload, as: UTF8.self) } } ?? ["-"]
        }
    }
}
