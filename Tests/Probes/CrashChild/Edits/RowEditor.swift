// RowEditor: edits, sends, syncs and reads rows until it is killed.

import CrashWorld
import HTTPTypes
import Larder
import LarderOutbox
import LarderStore
import LarderSync
import LarderTransport

/// Edits rows, sends the edits, syncs two filters that overlap and looks at the rows all the time, until it is killed:
/// `crash-child edit <store> <port> <seed>`.
///
/// Says `saw <row> <number>` for each number that a row shows (`none` where it was shown and is not), `wrote <row> <number>` when an
/// edit is durable, and `ready` when all rows are shown.
struct RowEditor {
    private static let longestRun = Duration.seconds(60)

    let path: String
    let port: Int
    let random: SharedRandom

    func run() async throws {
        guard let base = BaseURL("http://127.0.0.1:\(port)"),
            var configuration = BaseURL("http://127.0.0.1:\(port)/content").map({
                SyncConfiguration(base: $0, perPage: 3)
            })
        else { preconditionFailure("a port is a port") }
        configuration.laggingPause = .milliseconds(5)
        let store = try Store.open(at: path)
        let transport = NumberedWriter.transport()
        let sync = ContentSync(store: store, transport: transport, configuration: configuration)
        var policy = OutboxPolicy()
        policy.retry = RetryPolicy(first: .milliseconds(10), limit: .milliseconds(200))
        policy.mostAttempts = 1000
        let outbox = Outbox(
            store: store, transport: transport, configuration: OutboxConfiguration(base: base), policy: policy,
            connectivity: SteadyConnectivity(.online))
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await outbox.run() }
            for text in EditedRows.filters {
                let filter = try ResourceFilter(text)
                // What fails is tried again at once, as by a person who is impatient.
                group.addTask { try await repeatedly(mostMilliseconds: 10) { _ = try? await sync.sync(filter) } }
            }
            group.addTask { try await watch(store) }
            group.addTask { try await edit(store, outbox) }
            try await group.next()
        }
    }

    private func repeatedly(mostMilliseconds: Int, _ body: () async throws -> Void) async throws {
        let end = ContinuousClock.now + Self.longestRun
        while ContinuousClock.now < end {
            try await body()
            await random.pause(mostMilliseconds: mostMilliseconds)
        }
    }

    private func watch(_ store: Store) async throws {
        var last: [RowKey: Int] = [:]
        var isReady = false
        try await repeatedly(mostMilliseconds: 1) {
            let shown = try EditedRows.shown(in: store)
            for key in EditedRows.all where shown[key] != last[key] {
                printLine("saw \(key.resource.id)/\(key.key) \(shown[key].map { "\($0)" } ?? "none")")
            }
            last = shown
            if !isReady, shown.count == EditedRows.all.count {
                isReady = true
                printLine("ready")
            }
        }
    }

    private func edit(_ store: Store, _ outbox: Outbox) async throws {
        try await repeatedly(mostMilliseconds: 20) {
            let shown = try EditedRows.shown(in: store)
            guard let (key, number) = shown.randomElement() else { return }
            let body = Array(EditedRows.body(key.key, number + 1).utf8)
            let name = "\(key.resource.id)/\(key.key)"
            try await outbox.enqueue(
                OutboxWrite(
                    "edit", .put, "/rows/\(name)", body: .bytes(body), entity: name,
                    effects: [RowEffect(.replacement(body), at: key)]))
            printLine("wrote \(name) \(number + 1)")
        }
    }
}
