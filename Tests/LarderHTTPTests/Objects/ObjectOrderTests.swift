// Proves that a local write or removal is never undone by a response to an earlier request.
import HTTPTypes
import LarderFormat
import LarderHTTP
import LarderTesting
import LarderTransport
import Testing

/// What removes the object 1.
enum Removal: CaseIterable {
    case object, collection, wholeClass, everything, delete

    func perform(on world: ObjectWorld) async throws {
        switch self {
        case .object: try await world.cache.deleteFromStorage(user(1))
        case .collection: try await world.cache.deleteAllFromStorage(allUsers)
        case .wholeClass: try await world.cache.removeAllFromStorage(class: "User")
        case .everything: try await world.cache.clear()
        case .delete: try await world.cache.delete(user(1))
        }
    }
}

private let places = [ObjectPersistence.memory, .persistent]

private func world(_ place: ObjectPersistence) throws -> ObjectWorld {
    try ObjectWorld(persistent: place == .persistent ? ["User"] : [])
}

@Suite(.timeLimit(.minutes(5))) struct `An answer that was requested before a write` {
    @Test(arguments: places)
    func `does not replace what was saved meanwhile, in a list`(place: ObjectPersistence) async throws {
        let world = try world(place)
        world.during("GET /User") { try await world.cache.save(user(1), payload: Array("10".utf8)) }
        let answer = try await world.cache.collection(allUsers)
        #expect(answer.numbers == ["10", "2", "3", "4"])
        #expect(answer.storage.word == "overtaken")
        #expect(try await world.cache.collection(allUsers, strategy: .cacheOnly).numbers == ["10", "2", "3", "4"])
        // Its tag speaks of the older object.
        #expect(try await world.cache.collection(allUsers).origin == .network)
        #expect(try await world.cache.collection(allUsers).origin == .revalidated)
        #expect(try world.findings() == [])
    }

    @Test(arguments: places)
    func `does not replace what was saved meanwhile, by itself`(place: ObjectPersistence) async throws {
        let world = try world(place)
        _ = try await world.cache.object(user(1))
        world.server.put("User", "1", "5")
        world.during("GET /User/1") { try await world.cache.save(user(1), payload: Array("10".utf8)) }
        #expect(try await world.cache.object(user(1)).number == "10")
        #expect(try await world.cache.object(user(1), strategy: .cacheOnly).number == "10")
    }

    @Test(arguments: places)
    func `does not confirm what was saved meanwhile`(place: ObjectPersistence) async throws {
        let world = try world(place)
        _ = try await world.cache.collection(allUsers)
        world.during("GET /User") {
            try await world.cache.save(user(1), payload: Array("10".utf8))
            world.server.put("User", "1", "1")
        }
        _ = try await world.cache.collection(allUsers)
        // The server has the old object again: its old tag must not confirm the new one.
        #expect(try await world.cache.collection(allUsers).numbers.first == "1")
    }

    @Test func `leaves the changes that wait in memory alone`() async throws {
        let world = try ObjectWorld()
        _ = try await world.cache.collection(allUsers)
        world.goOffline()
        try await world.cache.save(user(1), payload: Array("10".utf8))
        try await world.cache.delete(user(2))
        world.goOnline()
        #expect(try await world.cache.collection(allUsers).numbers == ["10", "3", "4"])
        #expect(try await world.cache.object(user(1)).number == "10")
        #expect(try await world.cache.collection(allUsers, strategy: .cacheOnly).numbers == ["10", "3", "4"])
        #expect(try await world.cache.sendQueued().sent.count == 2)
        #expect(world.server.written == ["PUT /User/1 10", "DELETE /User/2 "])
        #expect(try await world.cache.collection(allUsers).numbers == ["10", "3", "4"])
    }

    @Test func `is what a refused write in memory is undone to`() async throws {
        let world = try ObjectWorld()
        _ = try await world.cache.collection(allUsers)
        world.goOffline()
        try await world.cache.save(user(1), payload: Array("10".utf8))
        world.goOnline()
        world.server.put("User", "1", "7")
        _ = try await world.cache.collection(allUsers)
        world.network.plan(.status(.unprocessableContent), where: { $0.method == .put })
        #expect(try await world.cache.sendQueued().rejected.count == 1)
        #expect(try await world.cache.object(user(1), strategy: .cacheOnly).number == "7")
    }

    @Test(arguments: places)
    func `does not replace what waited when it was requested, and was sent meanwhile`(
        place: ObjectPersistence
    ) async throws {
        let world = try world(place)
        _ = try await world.cache.collection(allUsers)
        world.goOffline()
        try await world.cache.save(user(1), payload: Array("10".utf8))
        world.goOnline()
        world.server.put("User", "3", "30")
        world.during("GET /User") {
            if place == .memory { try await world.cache.sendQueued() } else { try await world.sendWaitingWrites() }
        }
        #expect(try await world.cache.collection(allUsers).numbers == ["10", "2", "30", "4"])
        #expect(world.server.written == ["PUT /User/1 10"])
        #expect(try await world.cache.collection(allUsers, strategy: .cacheOnly).numbers == ["10", "2", "30", "4"])
    }
}

@Suite(.timeLimit(.minutes(5))) struct `An answer that was requested before a removal` {
    private let file = ObjectFile(of: user(1), attribute: "image")

    @Test(arguments: Removal.allCases, places)
    func `does not bring the object back, in a list`(removal: Removal, place: ObjectPersistence) async throws {
        let world = try world(place)
        _ = try await world.cache.collection(allUsers)
        world.server.put("User", "2", "20")
        world.server.put("User", "5", "50")
        world.during("GET /User") { try await removal.perform(on: world) }
        let answer = try await world.cache.collection(allUsers)
        #expect(answer.storage.word == "overtaken")
        await #expect(throws: HTTPCacheError.self) { try await world.cache.object(user(1), strategy: .cacheOnly) }
        if removal != .object, removal != .delete {
            #expect(answer.numbers == ["1", "20", "3", "4", "50"])
            for id in 2...5 {
                await #expect(throws: HTTPCacheError.self) {
                    try await world.cache.object(user(id), strategy: .cacheOnly)
                }
            }
            await #expect(throws: HTTPCacheError.self) {
                try await world.cache.collection(allUsers, strategy: .cacheOnly)
            }
        }
        #expect(try world.findings() == [])
    }

    @Test(arguments: Removal.allCases, places)
    func `does not bring the object back, by itself`(removal: Removal, place: ObjectPersistence) async throws {
        let world = try world(place)
        _ = try await world.cache.collection(allUsers)
        world.during("GET /User/1") { try await removal.perform(on: world) }
        #expect(try await world.cache.object(user(1)).number == "1")
        await #expect(throws: HTTPCacheError.self) { try await world.cache.object(user(1), strategy: .cacheOnly) }
    }

    @Test(arguments: Removal.allCases, places)
    func `does not bring a file back`(removal: Removal, place: ObjectPersistence) async throws {
        let world = try world(place)
        _ = try await world.cache.collection(allUsers)
        world.server.set { $0.files["/User/1/image/content"] = [1, 2, 3] }
        world.during("GET /User/1/image/content") { try await removal.perform(on: world) }
        let answer = try await world.cache.file(file)
        #expect(try await answer.value.body.bytes() == [1, 2, 3])
        await #expect(throws: HTTPCacheError.self) { try await world.cache.file(file, strategy: .cacheOnly) }
        // One that is asked for behind it is kept.
        #expect(try await world.cache.file(file).storage.word == "kept")
    }

    @Test(arguments: places)
    func `does not bring back the file that an upload replaced`(place: ObjectPersistence) async throws {
        let world = try world(place)
        world.server.set { $0.files["/User/1/image/content"] = [1, 2, 3] }
        world.during("GET /User/1/image/content") { [file] in _ = try await world.cache.upload([4, 5], to: file) }
        #expect(try await world.cache.file(file).value.body.bytes() == [4, 5])
        await #expect(throws: HTTPCacheError.self) { try await world.cache.file(file, strategy: .cacheOnly) }
    }

    @Test(arguments: places)
    func `does not store the old file while an upload waits`(place: ObjectPersistence) async throws {
        let world = try world(place)
        world.server.set { $0.files["/User/1/image/content"] = [1, 2, 3] }
        world.goOffline()
        try await world.cache.upload([4, 5], to: file)
        world.goOnline()
        _ = try await world.cache.file(file)
        if place == .memory { try await world.cache.sendQueued() } else { try await world.sendWaitingWrites() }
        #expect(try await world.cache.file(file, strategy: .cacheElseNetwork).value.body.bytes() == [4, 5])
    }

    @Test(arguments: places)
    func `is stored though an upload about the object waits`(place: ObjectPersistence) async throws {
        let world = try world(place)
        world.goOffline()
        try await world.cache.upload([4, 5], to: file)
        world.goOnline()
        #expect(try await world.cache.collection(allUsers).storage.word == "kept")
        #expect(try await world.cache.object(user(1), strategy: .cacheOnly).number == "1")
    }

    @Test(arguments: [Removal.object, .wholeClass, .everything], places)
    func `does not bring the object back, as the answer to a save`(
        removal: Removal, place: ObjectPersistence
    ) async throws {
        let world = try world(place)
        world.during("PUT /User/1") { try await removal.perform(on: world) }
        guard case .sent = try await world.cache.save(user(1), payload: Array("10".utf8)) else {
            Issue.record("it was not sent")
            return
        }
        await #expect(throws: HTTPCacheError.self) { try await world.cache.object(user(1), strategy: .cacheOnly) }
    }

    @Test(arguments: places, places)
    func `is not left in place of a save whose object was removed meanwhile`(
        place: ObjectPersistence, saved: ObjectPersistence
    ) async throws {
        let world = try world(place)
        world.meanwhile.plan(before: "PUT /User/1") {
            try await world.cache.deleteFromStorage(user(1))
            // Has the value that the save is about to replace.
            #expect(try await world.cache.collection(allUsers).numbers.first == "1")
        }
        try await world.cache.save(user(1), payload: Array("10".utf8), persistence: saved)
        await #expect(throws: HTTPCacheError.self) { try await world.cache.object(user(1), strategy: .cacheOnly) }
        #expect(try await world.cache.object(user(1)).number == "10")
    }
}
