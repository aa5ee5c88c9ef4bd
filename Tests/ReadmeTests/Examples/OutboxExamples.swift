// Proves that the examples in the doc comments of the outbox and the session compile.

import Larder
import LarderOutbox
import LarderStore

private func outboxExample(store: Store, transport: any Transport, base: BaseURL, text: [UInt8]) async throws {
    // Example of Outbox
    let outbox = Outbox.system(
        store: store, transport: transport, configuration: OutboxConfiguration(base: base))
    let running = Task { try await outbox.run() }  // sends writes in order, each once
    let write = OutboxWrite("note.put", .put, "/notes/17", body: .bytes(text), entity: "note/17")
    let queued = try await outbox.enqueue(write)  // durable from here on, also without a network
    print(try await outbox.outcome(of: queued.id))  // waits for the server
    running.cancel()
    // End of example
}

private func outboxWriteExample(outbox: Outbox, key: RowKey, text: [UInt8]) async throws {
    // Example of OutboxWrite
    let write = OutboxWrite(
        "note.put", .put, "/notes/17", body: .bytes(text), entity: "note/17",
        effects: [RowEffect(.replacement(text), at: key)], coalescing: .replaces)
    let queued = try await outbox.enqueue(write)  // readers see the effect before the server is asked
    print(queued.id)
    // End of example
}

private func rowEffectExample(outbox: Outbox, store: Store, key: RowKey) async throws {
    // Example of RowEffect
    let patch = Array(#"{"title":"Bread"}"#.utf8)
    let effect = RowEffect(.patch(patch), at: key)  // merged into the row, however that one changes (RFC 7396)
    let write = OutboxWrite("note.patch", .patch, "/notes/17", body: .bytes(patch), effects: [effect])
    try await outbox.enqueue(write)
    let shown = try store.read { view in try view.payload(at: key) }  // the row with its new title
    print(shown?.count ?? 0)
    // End of example
}

private func outboxResultExample(outbox: Outbox, queued: Enqueued) async throws {
    // Example of OutboxResult
    switch try await outbox.outcome(of: queued.id) {
    case .accepted: print("the server has it")
    case .rejected(let reason): print("refused, and its effect is undone:", reason)
    case .removed(let word): print("discarded:", word)  // such as: cancelled
    }
    // End of example
}

private func outboxStatusExample(outbox: Outbox) async {
    // Example of OutboxStatus
    for await status in outbox.statuses() {  // now, and after every change
        print(status.unsent, "not saved on the server,", status.rejected, "refused by it")
        for reason in status.pauses { print(reason) }  // such as: Nothing is sent: there is no network.
    }
    // End of example
}

private func outboxConfigurationExample(
    store: Store, transport: any Transport, base: BaseURL, session: Session
) {
    // Example of OutboxConfiguration
    var configuration = OutboxConfiguration(base: base, keyField: OutboxConfiguration.draftKeyField)
    configuration.signIn = session.renewal  // renews an expired login, and sending goes on
    let outbox = Outbox.system(store: store, transport: transport, configuration: configuration)
    session.attach(outbox)
    // End of example
}

private func sessionExample(store: Store, keychain: any SecretStore, outbox: Outbox, token: String) async throws {
    // Example of Session
    let session = try Session(store: store, secrets: keychain)
    session.attach(outbox)  // sends the writes of the account that is signed in, and of no other
    try await session.signIn(as: "jane", values: [.plain("workspace", "7"), .secret("token", token)])
    print(await session.account ?? "nobody", await session.state)
    try await session.signOut()  // throws while the server lacks writes of the account
    // End of example
}
