// SharingProcess: one of several processes that use one store at the same time.

import Glibc
import LarderEngine
import LarderFormat
import LarderStore
import LarderSync

/// One of several processes that use one store at the same time, until it is killed: `share ROOT SEED`.
///
/// It notes what it does in the file `log-SEED`: `enqueueing ID`, `enqueued ID`, `completing ID`, `error TEXT`,
/// `wrong TEXT`, and `did OPERATION`.
final class SharingProcess {
    private let root: String
    private let host: HostServices
    private let logPath: String
    private var random: SplitMix64
    private var server: SharedServer
    private var store: Store

    init(_ root: String, seed: UInt64) throws {
        self.root = root
        host = .running(seed)
        logPath = "\(root)/log-\(seed)"
        random = SplitMix64(seed: seed)
        server = try SharedServer(path: root + "/changes")
        store = try Store.open(at: root + "/store", host: host)
    }

    func run() throws {
        while true {
            let operation =
                ["sync", "write", "write", "complete", "read", "read", "verify", "compact", "publish", "reopen"]
                .randomElement(using: &random) ?? "read"
            do {
                try perform(operation)
                record("did \(operation)")
            } catch {
                record("error \(operation): \(error)")
                if case EngineError.stopped = error { try reopen() }
            }
            usleep(.random(in: 0...20_000, using: &random))
        }
    }

    private func record(_ text: String) { Files.append(text + "\n", to: logPath) }

    private func reopen() throws {
        try? store.close()
        store = try Store.open(at: root + "/store", host: host)
    }

    private func perform(_ operation: String) throws {
        switch operation {
        case "sync":
            if Int.random(in: 0..<4, using: &random) == 0 { server.change() }
            let (current, store) = (try server.current(), store)
            try blocking { try await current.sync(store) }
        case "write": try write()
        case "complete": try complete()
        case "read": try read()
        case "verify":
            _ = try store.verify { finding in self.record("wrong verify: \(finding)") }
        case "compact": try compact()
        case "publish":
            try store.publish(to: root + "/published")
            _ = try PublishedStore.open(at: root + "/published", host: host).read { view in try TableDigests(view) }
        default: try reopen()
        }
    }

    private func write() throws {
        let id = host.makeID()
        let draft = OutboxDraft(
            id: id, lane: "lane", createdAt: 0, mutationType: "note", method: "POST", endpoint: "notes",
            payload: Array("{}".utf8))
        let key = String(Int.random(in: 1...40, using: &random))
        let row = RowKey(resource: ResourceKey("translations", 1), type: "translation", key: key)
        record("enqueueing \(id)")
        try store.writeBlocking { transaction in
            _ = try transaction.enqueue(draft, effects: [RowEffect(.replacement(Array("{\"mine\":1}".utf8)), at: row)])
        }
        record("enqueued \(id)")
    }

    private func complete() throws {
        let entries = try store.read { view in try view.outboxEntries(limit: 100) }
        // More are made than completed, up to that many.
        for entry in entries.count < 100 ? entries.prefix(1) : entries.prefix(10) {
            record("completing \(entry.id)")
            try store.writeBlocking { transaction in
                if try transaction.outboxEntry(entry.id) == nil { return }
                try transaction.removeEntry(entry.id, outcome: "rejected", at: 1)
            }
        }
    }

    /// Every resource has as many rows as it counts, in one view.
    private func read() throws {
        try store.read { view in
            for resource in try view.allResources() where resource.overlayCount == 0 {
                let found = try view.rows(in: .all(of: resource.key)).count
                if found != resource.rowCount {
                    record("wrong read: \(resource.key) counts \(resource.rowCount) rows and has \(found)")
                }
            }
        }
    }

    /// No compaction is possible while another process has the store open.
    private func compact() throws {
        do {
            _ = try Store.compact(at: root + "/store", host: host, lockTimeout: .seconds(5))
            record("wrong compact: it replaced a file that is open")
        } catch EngineError.heldByOthers {}
    }
}
