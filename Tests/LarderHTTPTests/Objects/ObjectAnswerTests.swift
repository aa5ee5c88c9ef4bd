// Proves that a direct save interprets a response as the outbox does, also with a queue's own rules and without a queue.
import HTTPTypes
import Larder
import LarderFormat
import LarderHTTP
import LarderOutbox
import LarderStore
import LarderTesting
import LarderTransport
import Testing

@Suite(.timeLimit(.minutes(5))) struct `The answer to a direct save` {
    typealias Answer = @Sendable () -> TransportResponse

    private static let page = "<!DOCTYPE html><html><body>Sign in</body></html>"

    private static func answer(_ status: Int, _ types: [String], _ body: [UInt8]) -> TransportResponse {
        var fields = HTTPFields()
        for type in types { fields.append(HTTPField(name: .contentType, value: type)) }
        return TransportResponse(status: HTTPResponse.Status(code: status), headers: fields, body: body)
    }

    /// Success that breaks off behind some bytes.
    private static func broken(_ types: [String], _ text: String) -> TransportResponse {
        var response = answer(200, types, [])
        let parts = Chunks([Array(text.utf8)])
        response.body = TransportBody(next: { () async throws(TransportError) in
            guard let part = await parts.next() else { throw .connectionLost(reason: "cut") }
            return part
        })
        return response
    }

    private actor Chunks {
        private var rest: [[UInt8]]
        init(_ chunks: [[UInt8]]) { rest = chunks }
        func next() -> [UInt8]? { rest.isEmpty ? nil : rest.removeFirst() }
    }

    static let undecided: [Answer] = [
        { answer(200, ["text/html", "application/json"], Array(page.utf8)) },
        { answer(200, ["text/html, application/json"], Array(page.utf8)) },
        { answer(200, ["\"text/html\""], Array(page.utf8)) },
        { answer(200, ["application/vnd.wap.xhtml+xml"], Array(page.utf8)) },
        { answer(200, [], [0xFF, 0xFE] + page.utf8.flatMap { [$0, 0] }) },
        { answer(201, [], Array("<user/>".utf8)) },
        { broken(["application/json"], "{\"a\":") }, { broken([], "") },
        { TransportResponse(status: HTTPResponse.Status(code: 425)) },
        { TransportResponse(status: .conflict, headers: [.retryAfter: "3"]) },
        { TransportResponse(status: .internalServerError) }, { TransportResponse(status: .badGateway) },
    ]

    enum WriteStorage: CaseIterable, Sendable {
        case memory, memoryWithoutQueue, persistent
    }

    @Test(arguments: WriteStorage.allCases, undecided.indices)
    func `queues it where the outbox would retry`(storage: WriteStorage, number: Int) async throws {
        let world = try ObjectWorld(
            persistent: storage == .persistent ? ["User"] : [], isConfigured: storage != .memoryWithoutQueue)
        world.server.set { $0.portal = Self.undecided[number] }
        guard case .queued = try await world.cache.save(user(1), payload: Array("10".utf8)) else {
            Issue.record("it was not queued")
            return
        }
        if storage != .persistent { #expect(try await world.cache.sendQueued().waiting == 1) }
        world.server.set { $0.portal = nil }
        if storage == .persistent {
            try await world.sendWaitingWrites()
        } else {
            _ = try await world.cache.sendQueued()
        }
        #expect(world.server.written == ["PUT /User/1 10"])
    }

    @Test(arguments: WriteStorage.allCases)
    func `ends it where the outbox would not retry`(storage: WriteStorage) async throws {
        for status in [400, 403, 404, 409, 422] {
            let world = try ObjectWorld(
                persistent: storage == .persistent ? ["User"] : [], isConfigured: storage != .memoryWithoutQueue)
            world.server.set { $0.status = HTTPResponse.Status(code: status) }
            await #expect(throws: HTTPCacheError.self, "\(status)") {
                try await world.cache.save(user(1), payload: Array("10".utf8))
            }
            let isDeleted = if case .sent? = try? await world.cache.delete(user(1)) { true } else { false }
            #expect(isDeleted == (status == 404), "\(status)")
            world.server.set { $0.status = nil }
            #expect(try await world.cache.sendQueued() == QueueReport())
            #expect(try OutboxWriteQueue(world.outbox).waiting().isEmpty)
        }
    }

    @Test(arguments: [ObjectPersistence.memory, .persistent])
    func `means what the outbox's configuration says`(place: ObjectPersistence) async throws {
        let world = try ObjectWorld(persistent: place == .persistent ? ["User"] : [])
        var policy = OutboxPolicy()
        policy.outcomes = OutcomeTable.standard.on(418, .accepted).on(423, .retry)
        var configuration = OutboxConfiguration(base: BaseURL("http://objects.test"))
        configuration.isServerResponse = { head, _ in head.headerFields[.server] != "portal" }
        let outbox = Outbox(
            store: world.store, transport: world.network, configuration: configuration, policy: policy,
            connectivity: world.connectivity)
        world.cache.configure(
            persistent: ObjectBackend(
                objects: StoreObjectStorage(world.store), files: world.storeFiles, writes: OutboxWriteQueue(outbox)))
        world.server.set { $0.status = HTTPResponse.Status(code: 418) }
        guard case .sent = try await world.cache.save(user(1), payload: Array("10".utf8)) else {
            Issue.record("it was not accepted")
            return
        }
        world.server.set { $0.portal = { TransportResponse(status: .ok, headers: [.server: "portal"]) } }
        guard case .queued = try await world.cache.save(user(1), payload: Array("11".utf8)) else {
            Issue.record("it was not queued")
            return
        }
    }
}
