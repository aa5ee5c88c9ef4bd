// Proves the order of writes about one object at the server, their media types, and that a portal's page is no success.
import Foundation
import HTTPTypes
import LarderFormat
import LarderHTTP
import LarderTesting
import LarderTransport
import Synchronization
import Testing

private let places = [ObjectPersistence.memory, .persistent]

private func world(_ place: ObjectPersistence) throws -> ObjectWorld {
    try ObjectWorld(persistent: place == .persistent ? ["User"] : [])
}

@Suite(.timeLimit(.minutes(5))) struct `Writes about one object` {
    @Test func `go behind what waits in memory, also by the network only`() async throws {
        let world = try ObjectWorld()
        world.goOffline()
        try await world.cache.save(user(1), payload: Array("10".utf8))
        world.goOnline()
        try await world.cache.save(user(1), payload: Array("11".utf8), strategy: .networkOnly)
        #expect(world.server.written == ["PUT /User/1 10", "PUT /User/1 11"])
    }

    @Test(arguments: places)
    func `are not sent by the network only before what waits and cannot be sent`(place: ObjectPersistence) async throws
    {
        let world = try world(place)
        world.goOffline()
        try await world.cache.save(user(1), payload: Array("10".utf8))
        world.goOnline()
        // The outbox does not run.
        if place == .memory { world.network.plan(.status(.serviceUnavailable), where: { $0.method == .put }) }
        await #expect {
            try await world.cache.save(user(1), payload: Array("11".utf8), strategy: .networkOnly)
        } throws: { ($0 as? HTTPCacheError)?.isNoConnectionError == true }
        // Another object's goes.
        try await world.cache.save(user(2), payload: Array("20".utf8), strategy: .networkOnly)
        #expect(world.server.written.last == "PUT /User/2 20")
        #expect(!world.server.written.contains("PUT /User/1 11"))
    }

    @Test(arguments: places)
    func `too long to wait are sent though another object's waits`(place: ObjectPersistence) async throws {
        let world = try ObjectWorld(
            persistent: place == .persistent ? ["User"] : [], options: ObjectCacheOptions(fileLimit: 5))
        world.goOffline()
        try await world.cache.save(user(2), payload: Array("20".utf8))
        world.goOnline()
        let file = ObjectFile(of: user(1), attribute: "image")
        guard case .sent = try await world.cache.upload(Array("123456".utf8), to: file) else {
            Issue.record("it was not sent")
            return
        }
        try await world.cache.upload(Array("1".utf8), to: file, strategy: .cacheOnly)
        // Behind one of its own object that cannot be sent now it is refused, not lost.
        world.network.plan(.status(.serviceUnavailable), times: 9, where: { $0.method == .put })
        await #expect {
            try await world.cache.upload(Array("123456".utf8), to: file)
        } throws: { error in
            guard case .uploadTooLarge(6, 5)? = error as? HTTPCacheError else { return false }
            return true
        }
    }

    @Test(arguments: places)
    func `made at the same time arrive in the order in which they were made`(place: ObjectPersistence) async throws {
        let world = try world(place)
        world.meanwhile.plan(before: "PUT /User/1") {
            // Long enough for the second to get through, if it could.
            for _ in 1...10_000 where world.server.written.isEmpty { await Task.yield() }
        }
        async let first = world.cache.save(user(1), payload: Array("10".utf8))
        while world.network.recorded.isEmpty { await Task.yield() }
        try await world.cache.save(user(1), payload: Array("11".utf8))
        _ = try await first
        #expect(world.server.written == ["PUT /User/1 10", "PUT /User/1 11"])
        #expect(try await world.cache.object(user(1), strategy: .cacheOnly).number == "11")
    }

    @Test(arguments: places)
    func `that the server has are stored though their task is cancelled`(place: ObjectPersistence) async throws {
        let world = try world(place)
        _ = try await world.cache.collection(allUsers)
        let saving = Mutex<Task<WriteOutcome, any Error>?>(nil)
        world.during("PUT /User/1") {
            while saving.withLock({ $0 == nil }) { await Task.yield() }
            saving.withLock { $0?.cancel() }
        }
        let save = Task { try await world.cache.save(user(1), payload: Array("10".utf8)) }
        saving.withLock { $0 = save }
        guard case .sent = try await save.value else {
            Issue.record("it was not sent")
            return
        }
        #expect(try await world.cache.object(user(1), strategy: .cacheOnly).number == "10")
    }

    @Test func `in memory go behind those that wait in the store, and the other way round`() async throws {
        let world = try ObjectWorld()
        world.goOffline()
        try await world.cache.save(user(1), payload: Array("10".utf8), persistence: .persistent)
        try await world.cache.save(user(2), payload: Array("20".utf8), persistence: .memory)
        world.goOnline()
        world.connectivity.set(.offline)
        try await world.cache.save(user(1), payload: Array("11".utf8), persistence: .memory)
        world.goOffline()
        try await world.cache.save(user(2), payload: Array("21".utf8), persistence: .persistent)
        #expect(world.server.written == [])
        world.goOnline()
        #expect(try await world.cache.sendQueued().sent.isEmpty)
        try await world.sendWaitingWrites()
        #expect(world.server.written == ["PUT /User/1 10", "PUT /User/1 11", "PUT /User/2 20", "PUT /User/2 21"])
    }
}

@Suite(.timeLimit(.minutes(5))) struct `The body of a write` {
    private let file = ObjectFile(of: user(1), attribute: "image")
    private func types(_ world: ObjectWorld) -> [String?] {
        world.network.recorded.filter { $0.request.method == .put }.map { $0.request.headerFields[.contentType] }
    }

    @Test(arguments: places, [true, false])
    func `has a media type, sent at once or queued`(place: ObjectPersistence, isOnline: Bool) async throws {
        let world = try world(place)
        if !isOnline { world.goOffline() }
        try await world.cache.upload([1], to: file)
        try await world.cache.upload([2], to: file, contentType: "image/png")
        try await world.cache.save(user(1), payload: Array("10".utf8))
        let wanted = ["application/octet-stream", "image/png", "application/json"]
        if isOnline {
            #expect(types(world) == wanted)
            return
        }
        let tried = types(world).count
        world.goOnline()
        if place == .memory { try await world.cache.sendQueued() } else { try await world.sendWaitingWrites() }
        #expect(Array(types(world).dropFirst(tried)) == wanted)
    }
}

@Suite(.timeLimit(.minutes(5))) struct `A page of a captive portal` {
    private func answerAsPortal(_ world: ObjectWorld) {
        let page = Array("1\tplease sign in".utf8)
        world.network.plan(
            .header(.contentType, "text/html; charset=utf-8"), .body(page), times: 99, where: { _ in true })
    }

    @Test(arguments: places)
    func `replaces no stored object, collection or file`(place: ObjectPersistence) async throws {
        let world = try world(place)
        let file = ObjectFile(of: user(1), attribute: "image")
        world.server.set { $0.files["/User/1/image/content"] = [1, 2, 3] }
        _ = try await world.cache.collection(allUsers)
        _ = try await world.cache.object(user(1))
        _ = try await world.cache.file(file)
        world.server.put("User", "1", "5")
        world.server.set { $0.files["/User/1/image/content"] = [4] }
        answerAsPortal(world)
        #expect(try await world.cache.object(user(1)).reuse.word == "unreachable")
        #expect(try await world.cache.collection(allUsers).numbers == ["1", "2", "3", "4"])
        #expect(try await world.cache.file(file).value.body.bytes() == [1, 2, 3])
        await #expect(throws: HTTPCacheError.self) { try await world.cache.object(user(1), strategy: .networkOnly) }
    }

    @Test(arguments: places)
    func `is no success of a write`(place: ObjectPersistence) async throws {
        let world = try world(place)
        answerAsPortal(world)
        guard case .queued = try await world.cache.save(user(1), payload: Array("10".utf8)) else {
            Issue.record("it counted as sent")
            return
        }
        await #expect(throws: HTTPCacheError.self) {
            try await world.cache.save(user(2), payload: Array("20".utf8), strategy: .networkOnly)
        }
        if place == .memory { #expect(try await world.cache.sendQueued().waiting == 1) }
        world.network.clearPlans()
        if place == .memory { try await world.cache.sendQueued() } else { try await world.sendWaitingWrites() }
        #expect(world.server.written.last == "PUT /User/1 10")
    }
}
