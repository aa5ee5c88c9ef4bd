// SharingWriter: one of several processes with one outbox: `crash-child share <store> <port> <first> <count>`.

import CrashWorld
import HTTPTypes
import Larder
import LarderOutbox
import LarderStore
import LarderTransport

/// One of several processes with one outbox: `crash-child share <store> <port> <first> <count>`.
///
/// Enqueues writes of these numbers, each in a lane of its own process, and runs the outbox. Says `ready` when it does,
/// `delivers` when it is the one that sends, `other <process>` when that one sends, `enqueued <number>`, `delivered
/// <first>` when that is seen to have left the outbox, and `empty` when all of its own are enqueued and nothing is left to send.
struct SharingWriter {
    let path: String
    let port: Int
    let numbers: Range<Int>

    func run() async throws {
        guard let base = BaseURL("http://127.0.0.1:\(port)") else { preconditionFailure("a port is a port") }
        let store = try Store.open(at: path)
        var policy = OutboxPolicy()
        policy.retry = RetryPolicy(first: .milliseconds(10), limit: .milliseconds(200))
        policy.mostAttempts = 1000
        policy.bounds.entries = 5000
        policy.takeoverInterval = .milliseconds(50)
        let outbox = Outbox(
            store: store, transport: NumberedWriter.transport(), configuration: OutboxConfiguration(base: base),
            policy: policy, connectivity: SteadyConnectivity(.online))
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await outbox.run() }
            group.addTask { await reportDelivered(outbox) }
            printLine("ready")
            var first: UUIDBytes?
            for number in numbers {
                let write = NumberedWrite(number)
                let queued = try await outbox.enqueue(
                    OutboxWrite(
                        "number", .post, "/writes/\(write.lane)", body: .bytes(write.body),
                        entity: "lane/\(write.lane)/\(numbers.lowerBound)"))
                printLine("enqueued \(number)")
                if number == numbers.lowerBound { first = queued.id }
                try await Task.sleep(for: .milliseconds(5))
                if let id = first, try store.read({ view in try view.outboxEntry(id) }) == nil {
                    printLine("delivered \(numbers.lowerBound)")
                    first = nil
                }
            }
            while try !store.read({ view in try view.outboxEntries(limit: 1) }).isEmpty {
                try await Task.sleep(for: .milliseconds(20))
            }
            printLine("empty")
            try await group.waitForAll()
        }
    }

    private func reportDelivered(_ outbox: Outbox) async {
        var lastLine = ""
        for await status in outbox.statuses() {
            let owner = status.deliverer?.processID.map { "other \($0)" } ?? "other"
            let line = status.isRunning ? "delivers" : status.deliverer == nil ? "" : owner
            if line != lastLine, !line.isEmpty { printLine(line) }
            lastLine = line
        }
    }
}
