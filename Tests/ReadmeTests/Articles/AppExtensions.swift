// Proves what the article on app extensions says: which process sends, and what a run in the background does.

import Foundation
import Larder
import LarderOutbox
import LarderServer
import LarderStore
import LarderSync
import LarderTesting
import Synchronization
import Testing

private struct AppExtensionsCode {
    struct Verse: CachedRow {
        static let schema = RowSchema("translation", in: .group("translations"))
        let id: Int, text: String
    }

    struct Note: LocalRow {
        static let schema = RowSchema("note", in: .resource("notes/1"))
        var id: String, text: String
    }

    // block begins
    func openShared(in group: URL, services: CacheServices) async throws -> ContentCache {
        var options = CacheOptions()
        options.store.mapSize = 256 << 20  // address space at first, which is the default on phones
        options.store.mapSizeCap = 1 << 30  // the file never grows beyond it
        options.store.lockTimeout = .seconds(2)  // opening blocks its thread while another process opens or closes
        return try await ContentCache.open(
            .directory(group.appending(path: "words").path), content: "https://api.example.org/content",
            writes: "https://api.example.org", rows: [Verse.self, Note.self], services: services, options: options)
    }
    // block ends

    // block begins
    func share(_ note: Note, through cache: ContentCache) async throws -> OutboxStatus? {
        try await cache.put(note, to: "/notes/\(note.id)")  // durable; the process that runs the outbox sends it
        return await cache.outbox?.drain(within: .seconds(3))  // sends here only where no other process does
    }
    // block ends

    // block begins
    func publish(_ cache: ContentCache, in group: URL) throws {
        try cache.store.publish(to: group.appending(path: "published").path)  // replaces the last copy in one step
    }

    func publishedVerse(_ key: RowKey, in group: URL, host: HostServices) throws -> Verse? {
        let published = try PublishedStore.open(at: group.appending(path: "published").path, host: host)
        return try published.read { view in try view.value(Verse.self, at: key) }
    }
    // block ends

    // block begins
    func refresh(_ cache: ContentCache, within limit: Duration) async -> (failures: Int, unsent: Int) {
        async let runs = cache.content?.runOnce(within: limit)
        async let left = cache.outbox?.drain(within: limit)
        let failures = await runs?.values.count { (try? $0.get()) == nil } ?? 0
        return (failures, await left?.unsent ?? 0)
    }
    // block ends

    // block begins
    func suspend(_ cache: ContentCache, _ running: Task<Void, any Error>) async throws {
        running.cancel()
        _ = await running.result  // a request under way ends; a write in it is sent again under its key
        try cache.store.suspend(within: 2000)  // no lock is left on the directory, until the next use
    }
    // block ends
}

@Suite(.timeLimit(.minutes(2))) struct `The article on app extensions` {
    private let code = AppExtensionsCode()
    private let clock = VirtualClock()
    private let network = ScriptedConnectivity()
    private let group = URL(filePath: CacheLocation.temporary().path)
    private let origin: Origin
    private let transport: ScriptedTransport
    private let services: CacheServices
    private let note = AppExtensionsCode.Note(id: "9", text: "buy bread")

    init() {
        origin = Origin(secret: TokenSecret(1, 2), now: { [clock] in clock.wallMilliseconds })
        transport = ScriptedTransport(OriginTransport(origin), clock: clock)
        transport.on(.put, "/notes/*").answer(200)
        services = .scripted(transport, clock: clock, connectivity: network)
    }

    private var puts: [String] { transport.lines.filter { $0.hasPrefix("PUT") } }

    @Test func `shows an extension whose write the app sends`() async throws {
        let app = try await code.openShared(in: group, services: services)
        try await app.session.signIn(as: "user-1")
        let running = Task { try await app.run() }
        try await clock.wait(for: "the app to send") { app.outbox?.status.isRunning == true }
        let widget = try await code.openShared(in: group, services: services)
        let left = Mutex<OutboxStatus?>(nil)
        let sharing = Task { [code, note] in
            let status = try await code.share(note, through: widget)
            left.withLock { $0 = status }
        }
        try await clock.wait(for: "the drain to end, and the app to send") {
            left.withLock { $0 != nil } && !app.isPending(note)
        }
        try await sharing.value
        #expect(left.withLock { $0?.deliverer } != nil && puts == ["PUT /notes/9"])
        try await widget.close()
        running.cancel()
        _ = await running.result
        try await app.close()
    }

    @Test func `shows an extension that sends by itself where no other process does`() async throws {
        let app = try await code.openShared(in: group, services: services)
        try await app.session.signIn(as: "user-1")
        try await app.close()
        let widget = try await code.openShared(in: group, services: services)
        let left = try await code.share(note, through: widget)
        #expect(left?.unsent == 0 && left?.deliverer == nil && puts == ["PUT /notes/9"])
        try await widget.close()
    }

    @Test func `says that a cache reads the session when it is opened`() async throws {
        let widget = try await code.openShared(in: group, services: services)
        let app = try await code.openShared(in: group, services: services)
        try await app.session.signIn(as: "user-1")
        await #expect(throws: OutboxError.self) { try await widget.put(note, to: "/notes/9") }
        try await widget.close()
        let next = try await code.openShared(in: group, services: services)
        try await next.put(note, to: "/notes/9")
        #expect(app.isPending(note))
        try await next.close()
        try await app.close()
    }

    @Test func `shows a background run that syncs and sends, and reports what is left`() async throws {
        _ = try origin.createResource(
            .init("translations", 10), rows: [Origin.Row(type: "translation", key: "1", #"{"id":1,"text":"dawn"}"#)])
        network.set(.offline)
        let app = try await code.openShared(in: group, services: services)
        try await app.session.signIn(as: "user-1")
        app.content?.add("translations:10")
        try await app.put(note, to: "/notes/9")
        let offline = await code.refresh(app, within: .seconds(25))
        #expect(offline == (0, 1) && transport.recorded.isEmpty)
        network.set(.online)
        let online = await code.refresh(app, within: .seconds(25))
        #expect(online == (0, 0) && puts == ["PUT /notes/9"])
        #expect(try app.rows(AppExtensionsCode.Verse.self, in: "translations/10").map(\.text) == ["dawn"])
        try await app.close()
    }

    @Test func `shows a widget that reads what the app has published`() async throws {
        _ = try origin.createResource(
            .init("translations", 10), rows: [Origin.Row(type: "translation", key: "1", #"{"id":1,"text":"dawn"}"#)])
        let key = RowKey(resource: "translations/10", type: "translation", key: "1")
        let app = try await code.openShared(in: group, services: services)
        try await app.session.signIn(as: "user-1")
        #expect(throws: EngineError.notFound) { try code.publishedVerse(key, in: group, host: services.host) }
        app.content?.add("translations:10")
        _ = await code.refresh(app, within: .seconds(25))
        try code.publish(app, in: group)
        try await app.close()
        #expect(try code.publishedVerse(key, in: group, host: services.host)?.text == "dawn")
    }

    @Test func `shows a way to suspend that leaves no lock`() async throws {
        let app = try await code.openShared(in: group, services: services)
        try await app.session.signIn(as: "user-1")
        let running = Task { try await app.run() }
        try await clock.wait(for: "the app to run") { app.outbox?.status.isRunning == true }
        #expect(throws: StoreError.workUnderWay(lock: "outbox.lock")) { try app.store.suspend() }
        #expect(try isGuardLocked())
        try await code.suspend(app, running)
        #expect(try !isGuardLocked())
        try await app.put(note, to: "/notes/9")
        #expect(try isGuardLocked() && app.isPending(note))
        try await app.close()
    }

    /// Whether any process has the cache open: its lock cannot be acquired.
    private func isGuardLocked() throws -> Bool {
        let file = unsafe open(group.appending(path: "words/guard.lock").path, O_RDONLY)
        #expect(file >= 0)
        // The close releases it again.
        defer { close(file) }
        return flock(file, LOCK_EX | LOCK_NB) != 0
    }
}
