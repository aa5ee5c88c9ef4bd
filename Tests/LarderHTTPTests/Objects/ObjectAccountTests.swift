// Proves that a write of objects is sent, queued and stored under the account it was made under, and under no other.
import HTTPTypes
import Larder
import LarderFormat
import LarderHTTP
import LarderOutbox
import LarderStore
import LarderTesting
import Synchronization
import Testing

/// The source from which the outbox learns which account is signed in.
enum AccountSource: CaseIterable, Sendable {
    case session, outbox
}

enum WriteKind: CaseIterable, Sendable {
    case save, delete, upload
}

/// A world in which accounts sign in and out.
private struct Accounts {
    let world: ObjectWorld
    private let session: Session?

    init(_ world: ObjectWorld, _ teller: AccountSource) throws {
        self.world = world
        session = teller == .session ? try Session(store: world.store) : nil
        session?.attach(world.outbox)
    }

    func signIn(_ account: String) async throws {
        try await session?.signIn(as: account)
        if session == nil { world.outbox.signedIn(as: account) }
    }

    func signOut() async throws {
        try await session?.signOut()
        if session == nil { world.outbox.signedOut() }
    }

    /// Another account takes the place of the one that is signed in.
    func change(to account: String) async throws {
        try await signOut()
        try await signIn(account)
    }

    func expire(_ account: String) async throws { try await session?.markExpired(account) }
}

/// The dialect for tests, that notes when a write is made.
private final class CountingService: ObjectService {
    let made = Mutex(0)
    private let base = ModelService()

    var codec: PayloadCodec { base.codec }
    func path(of query: ObjectQuery) throws -> String { try base.path(of: query) }
    func target(of write: ObjectWrite) throws -> (method: HTTPRequest.Method, path: String) {
        made.withLock { $0 += 1 }
        return try base.target(of: write)
    }
    func request(_ method: HTTPRequest.Method, _ path: String) throws -> HTTPRequest { try base.request(method, path) }
    func objects(in body: [UInt8], answering query: ObjectQuery) throws -> [ReceivedObject] {
        try base.objects(in: body, answering: query)
    }
}

private func isNotSignedIn(_ error: any Error) -> Bool {
    if case HTTPCacheError.notSignedIn = error { true } else { false }
}

@Suite(.timeLimit(.minutes(5))) struct `The account of a write` {
    private let image = ObjectFile(of: user(1), attribute: "image")

    private func world(_ place: ObjectPersistence) throws -> ObjectWorld {
        try ObjectWorld(persistent: place == .persistent ? ["User"] : [])
    }

    private func write(_ kind: WriteKind, _ cache: ObjectCache) async throws(HTTPCacheError) -> WriteOutcome {
        switch kind {
        case .save: try await cache.save(user(1), payload: Array("10".utf8))
        case .delete: try await cache.delete(user(1))
        case .upload: try await cache.upload([4, 5], to: image)
        }
    }

    @Test(arguments: [ObjectPersistence.memory, .persistent], AccountSource.allCases)
    func `is that of its call, whoever is signed in when the answer is lost`(
        place: ObjectPersistence, teller: AccountSource
    ) async throws {
        for kind in WriteKind.allCases {
            let world = try world(place)
            let accounts = try Accounts(world, teller)
            try await accounts.signIn("ada")
            let path = kind == .upload ? "/User/1/image/content" : "/User/1"
            world.meanwhile.plan(before: "\(kind == .delete ? "DELETE" : "PUT") \(path)") {
                try await accounts.change(to: "bob")
                world.server.set { $0.isOffline = true }
            }
            await #expect(performing: { _ = try await write(kind, world.cache) }, throws: isNotSignedIn)
            await #expect(throws: HTTPCacheError.self) { try await world.cache.object(user(1), strategy: .cacheOnly) }
            world.goOnline()
            #expect(try await world.cache.sendQueued() == QueueReport())
            try await world.sendWaitingWrites()
            #expect(world.server.written == [], "\(kind)")
        }
    }

    @Test(arguments: [ObjectPersistence.memory, .persistent], [nil, "bob"])
    func `is that of its call, whoever is signed in when its turn comes`(
        place: ObjectPersistence, next: String?
    ) async throws {
        let world = try world(place)
        let accounts = try Accounts(world, .session)
        try await accounts.signIn("ada")
        let service = CountingService()
        let cache = ObjectCache(
            service: service, transport: world.network,
            persistent: .store(world.store, writes: OutboxWriteQueue(world.outbox)),
            classes: [ObjectClass("User", persistence: place)], host: .virtual(world.clock))
        let later = Mutex<[Task<WriteOutcome, any Error>]>([])
        world.during("PUT /User/1") {
            for number in ["11", "12"] {
                let task = Task { try await cache.save(user(1), payload: Array(number.utf8)) as WriteOutcome }
                later.withLock { $0.append(task) }
            }
            while service.made.withLock({ $0 }) < 3 { await Task.yield() }
            try await accounts.signOut()
            if let next { try await accounts.signIn(next) }
        }
        try await cache.save(user(1), payload: Array("10".utf8))
        for task in later.withLock({ $0 }) {
            await #expect(performing: { _ = try await task.value }, throws: isNotSignedIn)
        }
        #expect(world.server.written == ["PUT /User/1 10"])
        #expect(try OutboxWriteQueue(world.outbox).waiting().isEmpty)
    }

    @Test(arguments: AccountSource.allCases)
    func `is that of its call, whoever is signed in at the commit that queues it`(teller: AccountSource) async throws {
        let world = try world(.persistent)
        let accounts = try Accounts(world, teller)
        try await accounts.signIn("ada")
        let queue = HookedQueue(base: OutboxWriteQueue(world.outbox), meanwhile: world.meanwhile)
        world.cache.configure(
            persistent: ObjectBackend(objects: StoreObjectStorage(world.store), files: world.storeFiles, writes: queue))
        world.meanwhile.plan(before: "enqueue") { try await accounts.change(to: "bob") }
        world.goOffline()
        await #expect(performing: { _ = try await write(.save, world.cache) }, throws: isNotSignedIn)
        #expect(try queue.waiting().isEmpty)
    }

    @Test func `is that of its call, whoever is signed in between its preparation and its commit`() async throws {
        let world = try world(.persistent)
        world.outbox.signedIn(as: "ada")
        let (isHeld, mayGoOn) = (Flag(false), Flag(false))
        let holding = Task {
            try await world.store.write { _ in
                isHeld.value = true
                while !mayGoOn.value {}
            }
        }
        while !isHeld.value { await Task.yield() }
        let write = QueuedWrite(
            id: world.store.host.makeID(), createdAt: 1, method: .put, path: "/User/1", payload: [49], object: user(1),
            account: "ada")
        let enqueuing = Task { try await OutboxWriteQueue(world.outbox).enqueue(write, effects: []) }
        for _ in 1...1000 { await Task.yield() }
        world.outbox.signedIn(as: "bob")
        mayGoOn.value = true
        try await holding.value
        await #expect(performing: { try await enqueuing.value }, throws: isNotSignedIn)
        #expect(try OutboxWriteQueue(world.outbox).waiting().isEmpty)
    }

    @Test(arguments: [ObjectPersistence.memory, .persistent], AccountSource.allCases)
    func `is needed where there are accounts`(place: ObjectPersistence, teller: AccountSource) async throws {
        let world = try world(place)
        let accounts = try Accounts(world, teller)
        try await accounts.signIn("ada")
        try await accounts.signOut()
        await #expect(
            performing: { _ = try await world.cache.save(user(1), payload: Array("10".utf8)) }, throws: isNotSignedIn)
        world.goOffline()
        await #expect(
            performing: { _ = try await world.cache.save(user(1), payload: Array("10".utf8)) }, throws: isNotSignedIn)
        world.goOnline()
        try await accounts.signIn("bob")
        #expect(try await world.cache.sendQueued() == QueueReport())
        #expect(world.server.written == [])
    }

    @Test(arguments: AccountSource.allCases)
    func `separates writes in memory by account`(teller: AccountSource) async throws {
        let world = try ObjectWorld()
        let accounts = try Accounts(world, teller)
        try await accounts.signIn("ada")
        world.goOffline()
        try await world.cache.save(user(1), payload: Array("10".utf8))
        world.goOnline()
        try await accounts.signOut()
        #expect(try await world.cache.sendQueued().waiting == 1)
        try await accounts.signIn("bob")
        #expect(try await world.cache.sendQueued() == QueueReport())
        #expect(world.server.written == [])
    }

    @Test func `hides a write in memory from another account's first answer`() async throws {
        let world = try ObjectWorld()
        let accounts = try Accounts(world, .session)
        try await accounts.signIn("ada")
        world.goOffline()
        try await world.cache.save(user(1), payload: Array("10".utf8))
        try await accounts.change(to: "bob")
        var shown: [String] = []
        do {
            for try await answer in try world.cache.objectAnswers(user(1)) { shown.append(answer.number) }
        } catch {
            #expect(error.isNoConnectionError)
        }
        #expect(shown == [])
    }

    @Test(arguments: [ObjectPersistence.memory, .persistent])
    func `hides what the server accepted from another account`(place: ObjectPersistence) async throws {
        let world = try world(place)
        let accounts = try Accounts(world, .session)
        try await accounts.signIn("ada")
        world.during("PUT /User/1") { try await accounts.change(to: "bob") }
        guard case .sent = try await world.cache.save(user(1), payload: Array("10".utf8)) else {
            Issue.record("it was not sent")
            return
        }
        await #expect(throws: HTTPCacheError.self) { try await world.cache.object(user(1), strategy: .cacheOnly) }
    }

    @Test(arguments: [ObjectPersistence.memory, .persistent])
    func `sends nothing while its login has expired`(place: ObjectPersistence) async throws {
        let world = try world(place)
        let accounts = try Accounts(world, .session)
        try await accounts.signIn("ada")
        try await accounts.expire("ada")
        guard case .queued = try await world.cache.save(user(1), payload: Array("10".utf8)) else {
            Issue.record("it was not queued")
            return
        }
        await #expect(throws: HTTPCacheError.self) {
            try await world.cache.save(user(2), payload: Array("20".utf8), strategy: .networkOnly)
        }
        #expect(world.server.written == [])
        try await accounts.signIn("ada")
        if place == .memory { try await world.cache.sendQueued() } else { try await world.sendWaitingWrites() }
        #expect(world.server.written == ["PUT /User/1 10"])
    }

    @Test(arguments: [ObjectPersistence.memory, .persistent])
    func `keeps a write that the server answers with 401`(place: ObjectPersistence) async throws {
        let world = try world(place)
        let accounts = try Accounts(world, .session)
        try await accounts.signIn("ada")
        world.server.set { $0.status = .unauthorized }
        guard case .queued = try await world.cache.save(user(1), payload: Array("10".utf8)) else {
            Issue.record("it was not queued")
            return
        }
        world.server.set { $0.status = nil }
        try await accounts.signIn("ada")
        if place == .memory { try await world.cache.sendQueued() } else { try await world.sendWaitingWrites() }
        #expect(world.server.written == ["PUT /User/1 10"])
        #expect(try await world.cache.object(user(1), strategy: .cacheOnly).number == "10")
    }
}
