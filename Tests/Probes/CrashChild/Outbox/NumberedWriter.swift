// NumberedWriter: enqueues numbered writes and sends them until it is killed.

import CrashWorld
import HTTPTypes
import Larder
import LarderOutbox
import LarderStore
import LarderTransport

#if AsyncHTTPClient
import LarderAsyncHTTPClient
#else
import LarderURLSession
#endif

/// Enqueues numbered writes and sends them until it is killed: `crash-child write <store> <port> <up to> <seed>`.
///
/// A write replaces a row of its own, so that the rows show which ones are enqueued, whatever it reported before the
/// kill.
/// Says `ready` when it runs, `enqueued <number>` when that is durable, and `empty` when nothing is left to enqueue or to
/// send.
struct NumberedWriter {
    let path: String
    let port: Int
    let end: Int
    let seed: UInt64

    func run() async throws {
        guard let base = BaseURL("http://127.0.0.1:\(port)") else { preconditionFailure("a port is a port") }
        let store = try Store.open(at: path)
        let outbox = Outbox(
            store: store, transport: Self.transport(), configuration: OutboxConfiguration(base: base),
            policy: policy, connectivity: SteadyConnectivity(.online))
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await outbox.run() }
            printLine("ready")
            try await enqueue(store, outbox)
            for await status in outbox.statuses() {
                let parked = status.failed + status.unresolved + status.rejected
                precondition(parked == 0, "a write was given up: \(status)")
                // The table is asked, because a status says nothing of what an outbox that has just begun has not read yet.
                if try store.read({ view in try view.outboxEntries(limit: 1) }).isEmpty { break }
            }
            printLine("empty")
            try await group.waitForAll()
        }
    }

    private func enqueue(_ store: Store, _ outbox: Outbox) async throws {
        let random = SharedRandom(seed: seed)
        let first = try store.read { view in
            var number = 0
            while try view.row(at: Entries.row(number)) != nil { number += 1 }
            return number
        }
        for number in first..<max(first, end) {
            let write = NumberedWrite(number)
            try await outbox.enqueue(
                OutboxWrite(
                    "number", .post, "/writes/\(write.lane)", body: .bytes(write.body), entity: "lane/\(write.lane)",
                    effects: [RowEffect(.replacement(write.body), at: Entries.row(number))]))
            printLine("enqueued \(number)")
            await random.pause(mostMilliseconds: 20)
        }
    }

    /// Waits short enough for many lives, and attempts enough for a server that refuses at random. Every other life sends
    /// batches, and finds what the ones before it left.
    private var policy: OutboxPolicy {
        var policy = OutboxPolicy()
        policy.retry = RetryPolicy(first: .milliseconds(10), limit: .milliseconds(200))
        policy.mostAttempts = 1000
        policy.bounds.entries = 5000
        policy.batch = seed & 1 == 0 ? nil : BatchPolicy()
        return policy
    }

    static func transport() -> any Transport {
        #if AsyncHTTPClient
        AsyncHTTPClientTransport()
        #else
        URLSessionTransport()
        #endif
    }
}
