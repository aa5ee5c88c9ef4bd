// Proves that writes which wait in memory are never sent for another account, twice, or never, and hide no newer content.
import HTTPTypes
import Larder
import LarderFormat
import LarderHTTP
import LarderStore
import LarderTesting
import LarderTransport
import Synchronization
import Testing

private let html: Fault = .header(.contentType, "text/html")

@Suite(.timeLimit(.minutes(5))) struct `Writes that wait in memory` {
    private let image = ObjectFile(of: user(1), attribute: "image")

    private func saveOffline(_ world: ObjectWorld) async throws {
        world.goOffline()
        for id in 1...3 { try await world.cache.save(user(id), payload: Array("\(id)0".utf8)) }
        world.goOnline()
    }

    @Test func `are not sent by the pass under way once they are given up`() async throws {
        let world = try ObjectWorld()
        try await saveOffline(world)
        world.during("PUT /User/1") { try await world.cache.clear(discardingUnsent: true) }
        let report = try await world.cache.sendQueued()
        #expect(report.sent.count == 1)
        #expect(report.waiting == 0)
        #expect(world.server.written == ["PUT /User/1 10"])
        #expect(try await world.cache.sendQueued() == QueueReport())
    }

    private func setSession(_ world: ObjectWorld, _ state: StoredSession.State, _ account: String?) async throws {
        try await world.store.write {
            try $0.putSession(StoredSession(state: state, account: account, changedAt: 1, signedInAt: 1))
        }
    }

    @Test func `are neither sent by another account nor shown to it`() async throws {
        let world = try ObjectWorld()
        try await setSession(world, .signedIn, "ada")
        try await saveOffline(world)
        try await setSession(world, .signedOut, nil)
        #expect(try await world.cache.sendQueued().waiting == 3)
        try await setSession(world, .signedIn, "bob")
        // Bob reads before anything is sent.
        await #expect(throws: HTTPCacheError.self) { try await world.cache.object(user(1), strategy: .cacheOnly) }
        #expect(try await world.cache.sendQueued() == QueueReport())
        #expect(world.server.written == [])
    }

    @Test func `are sent when their account is signed in again`() async throws {
        let world = try ObjectWorld()
        try await setSession(world, .signedIn, "ada")
        try await saveOffline(world)
        try await setSession(world, .signedOut, nil)
        _ = try await world.cache.sendQueued()
        try await setSession(world, .signedIn, "ada")
        #expect(try await world.cache.sendQueued().sent.count == 3)
    }

    @Test func `are not handed over to another account's queue`() async throws {
        let world = try ObjectWorld()
        try await setSession(world, .signedIn, "ada")
        try await saveOffline(world)
        try await setSession(world, .signedIn, "bob")
        try await world.cache.save(user(1), payload: Array("77".utf8), strategy: .cacheOnly, persistence: .persistent)
        try await world.sendWaitingWrites()
        #expect(world.server.written == ["PUT /User/1 77"])
    }

    @Test(arguments: [false, true])
    func `are handed over as tried once the server may have them`(isTried: Bool) async throws {
        let world = try ObjectWorld()
        world.goOffline()
        try await world.cache.save(user(1), payload: Array("10".utf8))
        if isTried {
            world.goOnline()
            world.network.plan(.loseResponse(.connectionLost(reason: "lost")), where: { $0.method == .put })
            #expect(try await world.cache.sendQueued().waiting == 1)
        }
        try await world.cache.save(user(1), payload: Array("11".utf8), strategy: .cacheOnly, persistence: .persistent)
        let entries = try world.store.read { view in try view.outboxEntries() }
        #expect(entries.map(\.delivery.isInDoubt) == [isTried, false])
    }

    @Test func `are not sent by the pass under way once they are in the queue`() async throws {
        let world = try ObjectWorld()
        try await saveOffline(world)
        world.during("PUT /User/1") {
            try await world.cache.save(
                user(2), payload: Array("21".utf8), strategy: .cacheOnly, persistence: .persistent)
        }
        #expect(try await world.cache.sendQueued().sent.count == 2)
        #expect(world.server.written == ["PUT /User/1 10", "PUT /User/3 30"])
        try await world.sendWaitingWrites()
        #expect(world.server.written.suffix(2) == ["PUT /User/2 20", "PUT /User/2 21"])
    }

    @Test(arguments: [ObjectPersistence.memory, .persistent])
    func `do not begin to wait once they are given up`(place: ObjectPersistence) async throws {
        let world = try ObjectWorld(persistent: place == .persistent ? ["User"] : [])
        world.meanwhile.plan(before: "PUT /User/1") {
            try await world.cache.clear(discardingUnsent: true)
            world.server.set { $0.isOffline = true }
        }
        await #expect(throws: HTTPCacheError.self) {
            try await world.cache.save(user(1), payload: Array("10".utf8))
        }
        await #expect(throws: HTTPCacheError.self) { try await world.cache.object(user(1), strategy: .cacheOnly) }
        world.goOnline()
        #expect(try await world.cache.sendQueued() == QueueReport())
        #expect(try OutboxWriteQueue(world.outbox).waiting().isEmpty)
    }

    @Test func `fail at the fifth page that refuses them, and block no others then`() async throws {
        let world = try ObjectWorld()
        world.network.plan(
            .status(.contentTooLarge), html, times: 99, where: { $0.path == "/User/1/image/content" })
        guard case .queued(let id) = try await world.cache.upload(Array("pixels".utf8), to: image) else {
            Issue.record("it was not queued")
            return
        }
        // A burst of tries may meet one portal.
        for _ in 1...9 { #expect(try await world.cache.sendQueued().waiting == 1) }
        try await world.cache.save(user(2), payload: Array("20".utf8))
        var report = QueueReport()
        for number in 2...5 {
            #expect(!world.server.written.contains("PUT /User/2 20"), "before page \(number)")
            world.clock.advance(by: .seconds(60))
            report = try await world.cache.sendQueued()
        }
        #expect(report.failed.map(\.id) == [id])
        #expect(report.failed.map(\.status) == [413])
        #expect(world.server.written.last == "PUT /User/2 20")
        guard case .sent = try await world.cache.save(user(2), payload: Array("21".utf8)) else {
            Issue.record("it was not sent")
            return
        }
    }

    @Test(arguments: [401, 403, 408, 429, 502])
    func `outlive any number of other pages`(status: Int) async throws {
        let world = try ObjectWorld()
        world.network.plan(.status(HTTPResponse.Status(code: status)), html, times: 99, where: { $0.method == .put })
        try await world.cache.save(user(1), payload: Array("10".utf8))
        for _ in 1...9 {
            world.clock.advance(by: .seconds(60))
            #expect(try await world.cache.sendQueued().waiting == 1)
        }
        world.network.clearPlans()
        #expect(try await world.cache.sendQueued().sent.count == 1)
    }

    @Test(arguments: [ObjectPersistence.memory, .persistent])
    func `keep the old file out though they are sent while it arrives`(place: ObjectPersistence) async throws {
        let world = try ObjectWorld(persistent: place == .persistent ? ["User"] : [])
        world.server.set { $0.files["/User/1/image/content"] = [1, 2, 3] }
        world.goOffline()
        try await world.cache.upload([4, 5], to: image)
        world.goOnline()
        world.during("GET /User/1/image/content") {
            if place == .memory { try await world.cache.sendQueued() } else { try await world.sendWaitingWrites() }
        }
        _ = try await world.cache.file(image)
        #expect(try await world.cache.file(image, strategy: .cacheElseNetwork).value.body.bytes() == [4, 5])
    }

    @Test func `leave memory when they are handed to the queue with an upload`() async throws {
        let world = try ObjectWorld()
        world.goOffline()
        try await world.cache.save(user(1), payload: Array("10".utf8))
        try await world.cache.upload([4, 5], to: image, persistence: .persistent)
        #expect(try await world.cache.object(user(1), strategy: .cacheOnly).number == "10")
        world.goOnline()
        world.network.plan(.status(.unprocessableContent), where: { $0.path == "/User/1" && $0.method == .put })
        try await world.sendWaitingWrites()
        await #expect(throws: HTTPCacheError.self) { try await world.cache.object(user(1), strategy: .cacheOnly) }
    }

    @Test func `are undone to the answer that came while they were refused`() async throws {
        let world = try ObjectWorld()
        let storing = RequestHooks()
        let cache = ObjectCache(
            service: ModelService(), transport: world.network,
            memory: ObjectBackend(objects: HookedObjects(storing), files: ListCache()), host: .virtual(world.clock))
        _ = try await cache.object(user(1))
        world.goOffline()
        try await cache.save(user(1), payload: Array("10".utf8))
        world.goOnline()
        world.network.plan(.status(.unprocessableContent), where: { $0.method == .put })
        storing.plan(before: "apply") {
            world.server.put("User", "1", "7")
            _ = try await cache.object(user(1))
        }
        #expect(try await cache.sendQueued().rejected.count == 1)
        #expect(try await cache.object(user(1), strategy: .cacheOnly).number == "7")
    }
}

@Suite(.timeLimit(.minutes(5))) struct `The queue of persistent classes` {
    private func hookQueue(_ world: ObjectWorld) -> HookedQueue {
        let queue = HookedQueue(base: OutboxWriteQueue(world.outbox), meanwhile: world.meanwhile)
        world.cache.configure(
            persistent: ObjectBackend(
                objects: StoreObjectStorage(world.store), files: world.storeFiles, writes: queue))
        return queue
    }

    @Test(arguments: [ObjectPersistence.memory, .persistent])
    func `applies a write that no answer requested meanwhile hides`(persistence: ObjectPersistence) async throws {
        let world = try ObjectWorld(persistent: ["User"])
        _ = hookQueue(world)
        let (barrier, isRequested) = (FetchBarrier(), Flag(false))
        world.during("GET /User/1") {
            isRequested.value = true
            await barrier.wait()
        }
        let asker = Mutex<Task<Fetched<StoredObject>, any Error>?>(nil)
        world.meanwhile.plan(before: "enqueue") {
            let task = Task { try await world.cache.object(user(1), persistence: persistence) }
            asker.withLock { $0 = task }
            while !isRequested.value { await Task.yield() }
        }
        try await world.cache.save(user(1), payload: Array("10".utf8), strategy: .cacheOnly)
        // Nothing lies over the row any more when the answer comes.
        if persistence == .persistent { try await world.sendWaitingWrites() }
        barrier.open()
        _ = try await asker.withLock { $0 }?.value
        #expect(try await world.cache.object(user(1), strategy: .cacheOnly).number == "10")
    }

    @Test func `that cannot be read lets no answer over a write that may wait`() async throws {
        let world = try ObjectWorld(persistent: ["User"])
        let queue = hookQueue(world)
        queue.isUnreadable.value = true
        #expect(try await world.cache.object(user(1)).number == "1")
        await #expect(throws: HTTPCacheError.self) { try await world.cache.object(user(1), strategy: .cacheOnly) }
        queue.isUnreadable.value = false
        #expect(try await world.cache.object(user(1)).storage.word == "kept")
    }

    @Test(arguments: [false, true])
    func `hides no write behind an answer that could not be stored`(isUnreadable: Bool) async throws {
        let world = try ObjectWorld(persistent: ["User"])
        let queue = HookedQueue(base: OutboxWriteQueue(world.outbox), meanwhile: world.meanwhile)
        let objects = FillingObjects(base: StoreObjectStorage(world.store))
        world.cache.configure(
            persistent: ObjectBackend(objects: objects, files: world.storeFiles, writes: queue))
        _ = try await world.cache.object(user(1))
        world.goOffline()
        try await world.cache.save(user(1), payload: Array("10".utf8))
        world.server.put("User", "1", "5")
        world.goOnline()
        objects.isFull.value = true
        queue.isUnreadable.value = isUnreadable
        let answer = try await world.cache.object(user(1))
        #expect(answer.number == "10")
        #expect(answer.storage.word == "failed")
    }
}
