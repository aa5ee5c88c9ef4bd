// The README's code for writes, compiled; between the two marks it is compared with the README.

#if AsyncHTTPClient
// README begins
import Larder
import LarderOutbox
import LarderStore
import LarderAsyncHTTPClient

func writeOnTheTrain(store: Store, base: BaseURL) async throws {
    let outbox = Outbox.system(
        store: store, transport: AsyncHTTPClientTransport(), configuration: OutboxConfiguration(base: base))
    let note = RowKey(resource: ResourceKey("notes", 1), type: "note", key: "17")
    let text = Array(#"{"text":"buy bread"}"#.utf8)

    let queued = try await outbox.enqueue(
        OutboxWrite(
            "note.put", .put, "/notes/17", body: .bytes(text), entity: "note/17",
            effects: [RowEffect(.replacement(text), at: note)]))
    // Durable from here on, and readers see it: no network was needed, and none was asked for.
    print(try store.read { view in try view.payload(at: note) } == text)

    try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask { try await outbox.run() }  // in order, each once, whatever dies in between
        group.addTask { for await status in outbox.statuses() { print(status.unsent, status.pauses) } }
        print(try await outbox.outcome(of: queued.id))  // accepted, or rejected and rolled back, and why
        group.cancelAll()
    }
}
// README ends
#endif
