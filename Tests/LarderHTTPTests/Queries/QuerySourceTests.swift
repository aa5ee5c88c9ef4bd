// Proves that a query over rows shows what a write makes of them as soon as it is durable, and what becomes of it.
import HTTPTypes
import Larder
import LarderFormat
import LarderHTTP
import LarderOutbox
import LarderStore
import LarderTesting
import LarderTransport
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(5))) struct `A query over rows` {
    private let world = QueryWorld()
    private let note = RowKey(resource: ResourceKey("notes", 1), type: "note", key: "17")

    private func options(_ store: Store) -> KeyedQueryOptions {
        KeyedQueryOptions(mode: .always, staleAfter: nil, source: .init(store, .resource(note.resource)))
    }

    private func text(_ store: Store) throws -> String {
        try store.read { view in String(decoding: try view.payload(at: note) ?? [], as: UTF8.self) }
    }

    private func put(_ text: String, _ store: Store) async throws {
        try await store.write { [note] in try $0.put(Array(text.utf8), at: note, updatedAt: 0) }
    }

    private func outbox(_ store: Store, _ connectivity: ScriptedConnectivity) throws -> Outbox {
        let network = ScriptedTransport(clock: world.clock) { (_, _) async throws(TransportError) in
            TransportResponse(status: .unprocessableContent)
        }
        return Outbox(
            store: store, transport: network,
            configuration: OutboxConfiguration(base: BaseURL("http://notes.test")),
            connectivity: connectivity)
    }

    @Test func `shows a write before the server has it, and rolls it back when it is refused`() async throws {
        let store = try world.openStore()
        try await put("old", store)
        let connectivity = ScriptedConnectivity(.offline)
        let outbox = try outbox(store, connectivity)
        let cache = world.cache()
        let states = cache.states(for: ["note"], options: options(store)) { try text(store) }
        #expect(await states.first { $0.value == "old" } != nil)
        let write = OutboxWrite(
            "note.put", .put, "/notes/17", body: .bytes(Array("new".utf8)),
            effects: [RowEffect(.replacement(Array("new".utf8)), at: note)])
        try await outbox.mutate(write, refreshing: ["note"], with: cache)
        #expect(await states.first { $0.value == "new" } != nil)
        connectivity.set(.online)
        let run = Task { try await outbox.run() }
        #expect(await states.first { $0.value == "old" } != nil)
        run.cancel()
        _ = await run.result
    }

    @Test func `is fetched again after a change on request, though nobody observes it`() async throws {
        let store = try world.openStore()
        try await put("old", store)
        let cache = world.cache()
        #expect(try await cache.value(for: ["note"], options: options(store)) { try text(store) }.value == "old")
        try await store.write {
            try $0.put([], at: RowKey(resource: ResourceKey("others", 1), type: "x", key: "1"), updatedAt: 0)
        }
        for _ in 0..<1000 { await Task.yield() }
        #expect(try await cache.value(for: ["note"], options: options(store)) { "fetched" }.value == "old")
        try await put("new", store)
        var value = "old"
        while value == "old" {
            value = try await cache.value(for: ["note"], options: options(store)) { try text(store) }.value
        }
        #expect(value == "new")
    }

    @Test func `does not show after a relaunch what rows were before`() async throws {
        let store = try world.openStore()
        let persistence = QueryCache.Persistence(store: store, coder: JSONPayloadCoder()) { _ in true }
        try await put("old", store)
        _ = try await world.cache(persistence).value(for: ["note"], options: options(store)) { try text(store) }
        try await put("new", store)
        let cache = world.cache(persistence)
        #expect(await cache.peek(String.self, for: ["note"]) == "old")
        #expect(try await cache.value(for: ["note"], options: options(store)) { try text(store) }.value == "new")
    }
}
