// Proves that an object whose id the server assigns is stored under that id, and that earlier writes about it find it.
import HTTPTypes
import LarderFormat
import LarderHTTP
import LarderStore
import LarderTesting
import LarderTransport
import Testing

private let places = [ObjectPersistence.memory, .persistent]

@Suite(.timeLimit(.minutes(5))) struct `A new object` {
    private func world(_ place: ObjectPersistence = .memory) throws -> ObjectWorld {
        try ObjectWorld(persistent: place == .persistent ? ["User"] : [])
    }

    private func create(_ world: ObjectWorld, _ payload: String) async throws -> StoredObject {
        guard case .created(let object) = try await world.cache.create(class: "User", payload: Array(payload.utf8))
        else {
            throw HTTPCacheError.invalidRequest("it was queued")
        }
        return object
    }

    private func enqueue(_ world: ObjectWorld, _ payload: String) async throws -> ObjectName {
        guard case .queued(let name, _) = try await world.cache.create(class: "User", payload: Array(payload.utf8))
        else { throw HTTPCacheError.invalidRequest("it was not queued") }
        return name
    }

    private func storedPayload(_ name: ObjectName, _ world: ObjectWorld) async -> String? {
        try? await world.cache.object(name, strategy: .cacheOnly).number
    }

    @Test(arguments: places)
    func `is what the server made, stored under the id that the server gave`(place: ObjectPersistence) async throws {
        let world = try world(place)
        world.server.set {
            $0.echoes = true
            $0.rounding = { "\($0)0" }
        }
        let object = try await create(world, "7")
        #expect(object.name == user(104))
        #expect(String(decoding: object.payload, as: UTF8.self) == "70")
        #expect(await storedPayload(user(104), world) == "70")
        #expect(try world.storedObjects() == (place == .persistent ? ["User/104"] : []))
        let key = try #require(HTTPField.Name("Idempotency-Key"))
        #expect(world.lastFields[key] != nil)
    }

    @Test(arguments: places)
    func `is stored as it was sent where the answer only says where it is`(place: ObjectPersistence) async throws {
        let world = try world(place)
        #expect(try await create(world, "7").name == user(104))
        #expect(await storedPayload(user(104), world) == "7")
    }

    @Test(arguments: places)
    func `is an error, and not stored, where the server does not say its id`(place: ObjectPersistence) async throws {
        let world = try world(place)
        world.server.set { $0.portal = { TransportResponse(status: .created) } }
        await #expect {
            try await world.cache.create(class: "User", payload: [1])
        } throws: { error in
            (error as? HTTPCacheError)?.isParseError == true
        }
        #expect(try world.storedObjects() == [])
    }

    @Test(arguments: places)
    func `that the server refuses is not stored`(place: ObjectPersistence) async throws {
        let world = try world(place)
        world.network.plan(.status(.unprocessableContent), where: { $0.method == .post })
        await #expect(throws: HTTPCacheError.self) { try await create(world, "7") }
        #expect(try world.storedObjects() == [])
    }

    @Test func `is not stored by the network only`() async throws {
        let world = try world()
        _ = try await world.cache.create(class: "User", payload: Array("7".utf8), strategy: .networkOnly)
        #expect(await storedPayload(user(104), world) == nil)
    }

    @Test func `of a persistent class does not wait without a connection, and goes out beside what waits`() async throws
    {
        let world = try world(.persistent)
        world.goOffline()
        await #expect(throws: HTTPCacheError.self) { try await world.cache.create(class: "User", payload: [1]) }
        try await world.cache.save(user(1), payload: Array("10".utf8))
        #expect(try world.store.read { view in try view.outboxEntries() }.count == 1)
        world.goOnline()
        #expect(try await create(world, "7").name == user(104))
    }

    @Test func `of a class in memory waits under a temporary name, which leads to it once it is made`() async throws {
        let world = try world()
        world.goOffline()
        let name = try await enqueue(world, "7")
        #expect(await storedPayload(name, world) == "7")
        #expect(world.cache.name(of: name) == name)
        var values = world.cache.values(of: name).makeAsyncIterator()
        let before = try await values.next() ?? nil
        #expect(before?.name == name)
        world.goOnline()
        world.server.set { $0.echoes = true }
        #expect(try await world.cache.sendQueued().sent.count == 1)
        #expect(world.cache.name(of: name) == user(104))
        #expect(await storedPayload(user(104), world) == "7")
        #expect(await storedPayload(name, world) == "7")
        let after = try await values.next() ?? nil
        #expect(after?.name == user(104))
        try await world.cache.save(name, payload: Array("8".utf8))
        #expect(world.server.written == ["POST /User 7", "PUT /User/104 8"])
        #expect(world.memory.object(name) == nil)
    }

    @Test func `is followed by the writes that wait about it`() async throws {
        let world = try world()
        world.goOffline()
        let name = try await enqueue(world, "7")
        try await world.cache.save(name, payload: Array("8".utf8))
        try await world.cache.upload([57], to: ObjectFile(of: name, attribute: "image"))
        let other = try await enqueue(world, "9")
        try await world.cache.delete(other)
        world.goOnline()
        #expect(try await world.cache.sendQueued().waiting == 0)
        #expect(
            world.server.written == [
                "POST /User 7", "PUT /User/104 8", "PUT /User/104/image/content 9", "POST /User 9", "DELETE /User/105 ",
            ])
        #expect(await storedPayload(user(104), world) == "8")
        #expect(await storedPayload(user(105), world) == nil)
    }

    @Test func `that waits is sent before a write about it with a connection, which goes to its id`() async throws {
        let world = try world()
        world.goOffline()
        let name = try await enqueue(world, "7")
        world.goOnline()
        try await world.cache.save(name, payload: Array("8".utf8))
        #expect(world.server.written == ["POST /User 7", "PUT /User/104 8"])
        #expect(await storedPayload(user(104), world) == "8")
    }

    @Test func `is followed by a write that is made while it is being sent`() async throws {
        let world = try world()
        world.goOffline()
        let name = try await enqueue(world, "7")
        world.goOnline()
        world.during("POST /User") {
            _ = try await world.cache.save(name, payload: Array("8".utf8), strategy: .cacheOnly)
        }
        try await world.cache.sendQueued()
        try await world.cache.sendQueued()
        #expect(world.server.written == ["POST /User 7", "PUT /User/104 8"])
        #expect(await storedPayload(name, world) == "8")
    }

    @Test func `may be called by the server what it was called here`() async throws {
        let world = try world()
        world.goOffline()
        let name = try await enqueue(world, "7")
        world.goOnline()
        world.server.set { state in
            state.portal = { TransportResponse(status: .created, body: Array("\(name.id)\t7".utf8)) }
        }
        try await world.cache.sendQueued()
        world.goOffline()
        world.server.set { $0.portal = nil }
        guard case .queued = try await world.cache.save(name, payload: Array("8".utf8)) else {
            Issue.record("it was not queued")
            return
        }
        #expect(await storedPayload(name, world) == "8")
    }

    @Test func `that waits and is refused discards what waits about it`() async throws {
        let world = try world()
        world.goOffline()
        let name = try await enqueue(world, "7")
        try await world.cache.save(name, payload: Array("8".utf8))
        try await world.cache.save(user(1), payload: Array("10".utf8))
        world.goOnline()
        world.network.plan(.status(.unprocessableContent), where: { $0.method == .post })
        let report = try await world.cache.sendQueued()
        #expect(report.rejected.map(\.status) == [422, 422])
        #expect(world.server.written.filter { $0.hasPrefix("PUT") } == ["PUT /User/1 10"])
        #expect(await storedPayload(name, world) == nil)
    }

    @Test func `that is changed on its way and then refused goes back to what the server made`() async throws {
        let world = try world()
        world.goOffline()
        let name = try await enqueue(world, "7")
        try await world.cache.save(name, payload: Array("8".utf8))
        world.goOnline()
        world.network.plan(.status(.unprocessableContent), where: { $0.method == .put })
        #expect(try await world.cache.sendQueued().rejected.count == 1)
        #expect(await storedPayload(name, world) == "7")
    }
}
