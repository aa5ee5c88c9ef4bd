// Proves that removing objects removes their files, that clearing removes everything, and that exceptions are reported.
import Foundation
import HTTPTypes
import LarderFormat
import LarderHTTP
import LarderStore
import LarderTesting
import Testing

private let places = [ObjectPersistence.memory, .persistent]

@Suite(.timeLimit(.minutes(5))) struct `What is removed` {
    private func image(_ id: Int) -> ObjectFile { ObjectFile(of: user(id), attribute: "image") }

    private func world(_ place: ObjectPersistence) async throws -> ObjectWorld {
        let world = try ObjectWorld(persistent: place == .persistent ? ["User"] : [], hasRealFiles: true)
        world.server.set { state in
            for id in 1...4 { state.files["/User/\(id)/image/content"] = [UInt8(id)] }
        }
        _ = try await world.cache.collection(allUsers)
        for id in 1...4 { _ = try await world.cache.file(image(id)) }
        return world
    }

    private func isStored(_ id: Int, _ world: ObjectWorld) async -> Bool {
        (try? await world.cache.file(image(id), strategy: .cacheOnly)) != nil
    }

    @Test(arguments: places, [true, false])
    func `from the server removes its files too`(place: ObjectPersistence, isOnline: Bool) async throws {
        let world = try await world(place)
        if !isOnline { world.goOffline() }
        try await world.cache.delete(user(1))
        #expect(await !isStored(1, world))
        #expect(await isStored(2, world))
    }

    /// Swift's strings are equal where Unicode says so; names of classes are not.
    @Test(arguments: places)
    func `is all that is stored, also of classes whose names differ in bytes only`(place: ObjectPersistence)
        async throws
    {
        let classes = ["Caf\u{E9}", "Cafe\u{301}"]
        let world = try ObjectWorld(persistent: place == .persistent ? classes : [])
        let names = classes.map { ObjectName(class: $0, id: "1") }
        let storage: any ObjectStorage = place == .memory ? world.memory : StoreObjectStorage(world.store)
        try await storage.apply(
            names.map { .put(StoredObject(name: $0, updatedAt: 1, codec: .json, payload: Array("1".utf8))) })
        for name in names { _ = try await world.cache.object(name, strategy: .cacheOnly) }
        try await world.cache.clear()
        for name in names {
            await #expect(throws: HTTPCacheError.self) { try await world.cache.object(name, strategy: .cacheOnly) }
        }
    }

    @Test(arguments: places)
    func `from the server by the network only is not stored either, nor is a file that was replaced so`(
        place: ObjectPersistence
    ) async throws {
        let world = try await world(place)
        try await world.cache.delete(user(1), strategy: .networkOnly)
        await #expect(throws: HTTPCacheError.self) { try await world.cache.object(user(1), strategy: .cacheOnly) }
        #expect(await !isStored(1, world))
        try await world.cache.upload([9], to: image(2), strategy: .networkOnly)
        #expect(await !isStored(2, world))
        #expect(try await world.cache.object(user(2), strategy: .cacheOnly).number == "2")
    }

    @Test(arguments: places)
    func `with its collection removes its files too, but not those of objects that another one holds`(
        place: ObjectPersistence
    ) async throws {
        let world = try await world(place)
        _ = try await world.cache.collection(users("x > 3"))
        try await world.cache.deleteAllFromStorage(allUsers)
        for id in 1...3 { #expect(await !isStored(id, world)) }
        #expect(await isStored(4, world))
    }

    @Test(arguments: places)
    func `with everything leaves nothing, and the responses of others alone`(place: ObjectPersistence) async throws {
        let world = try await world(place)
        let others = StoreResponseCache(store: world.store)
        try await others.store(makeResponse(), "https://a.test/x", body: "other")
        _ = try await world.cache.object(user(2), persistence: place == .memory ? .persistent : .memory)
        let removal = try await world.cache.clear()
        #expect(removal.wasStored && removal.waiting.isEmpty)
        for id in 1...4 {
            #expect(await !isStored(id, world))
            await #expect(throws: HTTPCacheError.self) { try await world.cache.object(user(id), strategy: .cacheOnly) }
        }
        await #expect(throws: HTTPCacheError.self) { try await world.cache.collection(allUsers, strategy: .cacheOnly) }
        #expect(try world.storedObjects() == [])
        #expect(try await others.texts("https://a.test/x") == ["other"])
        #expect(try await !world.cache.clear().wasStored)
        #expect(try world.findings() == [])
    }

    @Test func `with everything removes what lies in files of their own`() async throws {
        let directory = TemporaryDirectory()
        let world = try ObjectWorld(persistent: ["User"])
        let files = try FileCache(directory: directory.path + "/files", now: { 0 })
        world.cache.configure(persistent: ObjectBackend(objects: StoreObjectStorage(world.store), files: files))
        world.server.set { $0.files["/User/1/image/content"] = [1] }
        _ = try await world.cache.file(image(1))
        #expect(await isStored(1, world))
        try await world.cache.clear()
        #expect(await !isStored(1, world))
    }
}

@Suite(.timeLimit(.minutes(5))) struct `A removal from storage with a write that waits` {
    private enum Kind: CaseIterable {
        case object, collection, wholeClass, everything
    }

    @Test(arguments: Kind.allCases, places)
    private func `stores what the write makes of the object, says so, and sends it`(
        kind: Kind, place: ObjectPersistence
    ) async throws {
        let world = try ObjectWorld(persistent: place == .persistent ? ["User"] : [])
        _ = try await world.cache.collection(allUsers)
        world.goOffline()
        try await world.cache.save(user(1), payload: Array("10".utf8))
        let removal =
            switch kind {
            case .object: try await world.cache.deleteFromStorage(user(1))
            case .collection: try await world.cache.deleteAllFromStorage(allUsers)
            case .wholeClass: try await world.cache.removeAllFromStorage(class: "User")
            case .everything: try await world.cache.clear()
            }
        #expect(removal.wasStored)
        #expect(removal.waiting == [user(1)])
        #expect(try await world.cache.object(user(1), strategy: .cacheOnly).number == "10")
        if kind != .object {
            await #expect(throws: HTTPCacheError.self) { try await world.cache.object(user(2), strategy: .cacheOnly) }
        }
        world.goOnline()
        if place == .memory { try await world.cache.sendQueued() } else { try await world.sendWaitingWrites() }
        #expect(world.server.written == ["PUT /User/1 10"])
    }

    @Test(arguments: places)
    func `leaves nothing when the write is refused`(place: ObjectPersistence) async throws {
        let world = try ObjectWorld(persistent: place == .persistent ? ["User"] : [])
        _ = try await world.cache.collection(allUsers)
        world.goOffline()
        try await world.cache.save(user(1), payload: Array("10".utf8))
        try await world.cache.deleteFromStorage(user(1))
        world.goOnline()
        world.network.plan(.status(.unprocessableContent), where: { $0.method == .put })
        if place == .memory { try await world.cache.sendQueued() } else { try await world.sendWaitingWrites() }
        await #expect(throws: HTTPCacheError.self) { try await world.cache.object(user(1), strategy: .cacheOnly) }
    }

    @Test func `discards what waits in memory only on request`() async throws {
        let world = try ObjectWorld()
        world.goOffline()
        try await world.cache.save(user(1), payload: Array("10".utf8))
        #expect(try await world.cache.clear(discardingUnsent: true).waiting.isEmpty)
        await #expect(throws: HTTPCacheError.self) { try await world.cache.object(user(1), strategy: .cacheOnly) }
        world.goOnline()
        #expect(try await world.cache.sendQueued() == QueueReport())
    }
}
