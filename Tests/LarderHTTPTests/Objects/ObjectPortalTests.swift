// Proves that a captive portal's response loses neither a write nor a stored object.
import HTTPTypes
import LarderFormat
import LarderHTTP
import LarderStore
import LarderTesting
import LarderTransport
import Testing

@Suite(.timeLimit(.minutes(5))) struct `An answer in the place of the objects' server` {
    typealias Answer = @Sendable () -> TransportResponse

    static let page = "<!DOCTYPE html><html><body>Sign in</body></html>"
    static let html: HTTPFields = [.contentType: "text/html; charset=utf-8"]
    static let places = [ObjectPersistence.memory, .persistent]

    static let pages: [Answer] = [
        { answer(200, [:], page) }, { answer(200, [.contentType: "text/plain"], "\r\n" + page) },
        { answer(200, html, page) },
        { answer(200, [:], page + String(repeating: "x", count: 1_200_000)) },
        { TransportResponse(status: .ok, headers: [:], chunks: ["", " ", "<htm", "l>"]) },
    ]
    static let intercepted: [Answer] = [
        { answer(301, [.location: "http://portal.test/"]) }, { answer(302, [:]) }, { answer(308, [:]) },
        { answer(511, html, page) }, { answer(511, [:]) }, { answer(403, html, page) }, { answer(404, html, page) },
        { answer(410, html, page) },
    ]
    static let busy: [Answer] = [{ answer(503, [:]) }, { answer(429, [:]) }, { answer(408, [:]) }]
    /// What a read is answered with; of a write, a specific content type is believed.
    static let read = pages + intercepted + [{ answer(200, [.contentType: "application/json"], page) }]
    static let waiting = pages + intercepted + busy + [{ answer(404, [:], page) }]

    static func answer(_ status: Int, _ fields: HTTPFields, _ body: String = "") -> TransportResponse {
        TransportResponse(status: HTTPResponse.Status(code: status), headers: fields, body: Array(body.utf8))
    }

    private func world(_ place: ObjectPersistence) throws -> ObjectWorld {
        try ObjectWorld(persistent: place == .persistent ? ["User"] : [])
    }

    private func expectQueued(_ place: ObjectPersistence, _ portal: @escaping Answer) async throws {
        let world = try world(place)
        world.server.set { $0.portal = portal }
        guard case .queued = try await world.cache.save(user(1), payload: Array("10".utf8)) else {
            Issue.record("it was not queued")
            return
        }
        #expect(try await world.cache.object(user(1), strategy: .cacheOnly).number == "10")
        if place == .memory { #expect(try await world.cache.sendQueued().waiting == 1) }
        world.server.set { $0.portal = nil }
        if place == .memory { _ = try await world.cache.sendQueued() } else { try await world.sendWaitingWrites() }
        #expect(world.server.written == ["PUT /User/1 10"])
    }

    @Test(arguments: places, pages.indices)
    func `that is a page of success keeps a write waiting`(place: ObjectPersistence, number: Int) async throws {
        try await expectQueued(place, Self.pages[number])
    }

    @Test(arguments: places, waiting.indices.dropFirst(pages.count))
    func `of another status keeps a write waiting`(place: ObjectPersistence, number: Int) async throws {
        try await expectQueued(place, Self.waiting[number])
    }

    @Test(arguments: waiting.indices)
    func `is thrown to a write by the network only`(number: Int) async throws {
        let world = try world(.memory)
        world.server.set { $0.portal = Self.waiting[number] }
        await #expect(throws: HTTPCacheError.self) {
            try await world.cache.save(user(1), payload: Array("10".utf8), strategy: .networkOnly)
        }
        world.server.set { $0.portal = nil }
        #expect(try await world.cache.sendQueued() == QueueReport())
    }

    @Test func `is distinguished from the server's own, which accepts a write`() async throws {
        let own: [Answer] = [
            { Self.answer(204, [:]) }, { Self.answer(200, [:]) }, { Self.answer(200, [:], "{}") },
            { Self.answer(200, [.contentType: "application/xml"], "<user/>") },
        ]
        for portal in own {
            let world = try world(.memory)
            world.server.set { $0.portal = portal }
            guard case .sent = try await world.cache.save(user(1), payload: Array("10".utf8)) else {
                Issue.record("it was not sent")
                return
            }
        }
    }

    @Test(arguments: places, read.indices)
    func `leaves what is stored, and gives it`(place: ObjectPersistence, number: Int) async throws {
        let world = try world(place)
        let image = ObjectFile(of: user(1), attribute: "image")
        world.server.set { $0.files["/User/1/image/content"] = Array("pixels".utf8) }
        _ = try await world.cache.object(user(2))
        _ = try await world.cache.collection(allUsers)
        _ = try await world.cache.file(image)
        world.server.set { $0.portal = Self.read[number] }
        #expect(try await world.cache.object(user(2)).origin == .cache)
        let all = try await world.cache.collection(allUsers)
        #expect(all.origin == .cache)
        #expect(all.numbers == ["1", "2", "3", "4"])
        let file = try await world.cache.file(image)
        #expect(file.origin == .cache)
        #expect(try await file.value.body.bytes() == Array("pixels".utf8))
    }

    @Test(arguments: places, [0, 1, 2])
    func `without content leaves a stored file`(place: ObjectPersistence, number: Int) async throws {
        let world = try world(place)
        let image = ObjectFile(of: user(1), attribute: "image")
        world.server.set { $0.files["/User/1/image/content"] = Array("pixels".utf8) }
        _ = try await world.cache.file(image)
        world.server.set {
            $0.portal = { Self.answer([204, 200, 200][number], number == 2 ? [.contentLength: "0"] : [:]) }
        }
        let empty = try await world.cache.file(image)
        #expect(empty.storage.word == "empty")
        #expect(try await empty.value.body.bytes().isEmpty)
        let stored = try await world.cache.file(image, strategy: .cacheOnly)
        #expect(try await stored.value.body.bytes() == Array("pixels".utf8))
    }
}
