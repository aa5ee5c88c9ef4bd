// Proves that the server's response to a save becomes the object, and what a default strategy of two answers gives to requests for one.
import HTTPTypes
import LarderFormat
import LarderHTTP
import LarderStore
import LarderTesting
import LarderTransport
import Testing

private let places = [ObjectPersistence.memory, .persistent]

@Suite(.timeLimit(.minutes(5))) struct `A save` {
    private func world(_ place: ObjectPersistence, loadsSaved: Bool = false) throws -> ObjectWorld {
        let world = try ObjectWorld(
            persistent: place == .persistent ? ["User"] : [], options: ObjectCacheOptions(loadsAfterSave: loadsSaved))
        world.server.set { $0.rounding = { _ in "12" } }
        return world
    }

    private func storedPayload(_ world: ObjectWorld) async throws -> String {
        try await world.cache.object(user(1), strategy: .cacheOnly).number
    }

    @Test(arguments: places)
    func `stores what the server's answer makes of the object`(place: ObjectPersistence) async throws {
        let world = try world(place)
        world.server.set { $0.echoes = true }
        try await world.cache.save(user(1), payload: Array("10".utf8))
        #expect(try await storedPayload(world) == "12")
        #expect(world.network.recorded.count == 1)
    }

    @Test(arguments: places)
    func `stores what was sent where the answer holds another object, or none`(place: ObjectPersistence) async throws {
        let world = try world(place)
        try await world.cache.save(user(1), payload: Array("10".utf8))
        #expect(try await storedPayload(world) == "10")
        world.server.set { $0.portal = { TransportResponse(status: .ok, body: Array("2\t99".utf8)) } }
        try await world.cache.save(user(1), payload: Array("11".utf8))
        #expect(try await storedPayload(world) == "11")
    }

    @Test(arguments: places)
    func `fetches what the server made of it where the options say so`(place: ObjectPersistence) async throws {
        let world = try world(place, loadsSaved: true)
        try await world.cache.save(user(1), payload: Array("10".utf8))
        #expect(try await storedPayload(world) == "12")
        #expect(world.network.recorded.map(\.request.method) == [.put, .get])
        try await world.cache.save(user(1), payload: Array("10".utf8), strategy: .networkOnly)
        #expect(world.network.recorded.count == 3)
    }

    @Test func `that waited in memory stores what the server's answer makes of it, beneath what waits still`()
        async throws
    {
        let world = try world(.memory)
        world.server.set { $0.echoes = true }
        world.goOffline()
        try await world.cache.save(user(1), payload: Array("10".utf8))
        world.goOnline()
        try await world.cache.sendQueued()
        #expect(try await storedPayload(world) == "12")
        world.goOffline()
        try await world.cache.save(user(1), payload: Array("20".utf8))
        try await world.cache.save(user(1), payload: Array("21".utf8))
        world.goOnline()
        world.network.plan(.status(.badGateway), where: { _ in world.server.written.count == 2 })
        try await world.cache.sendQueued()
        #expect(try await storedPayload(world) == "21")
    }
}

@Suite(.timeLimit(.minutes(5))) struct `A default strategy of two answers` {
    private let options = ObjectCacheOptions(strategy: .cacheThenNetwork)

    /// §5.1.3.
    @Test(arguments: places)
    func `gives the stored object to a request for one answer, and the server's to observers`(
        place: ObjectPersistence
    ) async throws {
        let world = try ObjectWorld(persistent: place == .persistent ? ["User"] : [], options: options)
        let first = try await world.cache.object(user(1))
        #expect(first.origin == .network)
        #expect(!first.isIntermediate)
        world.server.put("User", "1", "100")
        var values = world.cache.values(of: user(1)).makeAsyncIterator()
        _ = try await values.next()
        let second = try await world.cache.object(user(1))
        #expect(second.origin == .cache)
        #expect(second.number == "1")
        #expect(second.isIntermediate)
        let newer = try await values.next() ?? nil
        #expect(newer?.payload == Array("100".utf8))
        _ = try await world.cache.collection(allUsers)
        world.goOffline()
        #expect(try await world.cache.collection(allUsers).numbers == ["100", "2", "3", "4"])
    }

    /// §5.1.3.
    @Test(arguments: places)
    func `gives the stored file, and then the server's`(place: ObjectPersistence) async throws {
        let world = try ObjectWorld(persistent: place == .persistent ? ["User"] : [], options: options)
        let image = ObjectFile(of: user(1), attribute: "image")
        world.server.set { $0.files["/User/1/image/content"] = [1] }
        #expect(try await world.cache.file(image).origin == .network)
        world.server.set { $0.files["/User/1/image/content"] = [2] }
        var seen: [[UInt8]] = []
        var areIntermediate: [Bool] = []
        for try await answer in try world.cache.fileAnswers(image) {
            seen.append(try await answer.value.body.bytes())
            areIntermediate.append(answer.isIntermediate)
        }
        #expect(seen == [[1], [2]])
        #expect(areIntermediate == [true, false])
        world.server.set { $0.files["/User/1/image/content"] = [3] }
        let old = try await world.cache.file(image)
        #expect(old.isIntermediate)
        #expect(try await old.value.body.bytes() == [2])
        while try await world.cache.file(image, strategy: .cacheOnly).value.body.bytes() != [3] { await Task.yield() }
    }

    @Test func `sends a save as any other does`() async throws {
        let world = try ObjectWorld(options: options)
        try await world.cache.save(user(1), payload: Array("10".utf8))
        #expect(world.server.written == ["PUT /User/1 10"])
    }
}
