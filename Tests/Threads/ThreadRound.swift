import Foundation
import LarderEngine
import LarderFormat
import LarderStore
import Logging
import Synchronization

/// One store, used by many threads at once in every way, then closed under them and compacted.
struct ThreadRound {
    private static let resources = [ResourceKey("a", 1), ResourceKey("a", 2)]
    private static let rows = 200

    private let path: String
    private let isEncrypted: Bool
    private let steps: Int
    private let host = HostServices(
        now: { 1_700_000_000_000 }, elapsed: { .zero }, sleepUntil: { _ in try await Task.sleep(for: .seconds(3600)) },
        makeID: {
            var generator = SystemRandomNumberGenerator()
            return UUIDBytes.random(using: &generator)
        }, logger: Logger(label: "threads") { _ in SwiftLogNoOpLogHandler() })

    init(path: String, isEncrypted: Bool, steps: Int) {
        self.path = path
        self.isEncrypted = isEncrypted
        self.steps = steps
    }

    func run() async throws {
        try? FileManager.default.removeItem(atPath: path)
        let first = try open(key: 1)
        for resource in Self.resources { try await replace(resource, in: first, by: 0) }
        try first.close()
        let store = try open(key: 1)
        try await readFirst(store)
        try await useTogether(store)
        try await closeWhileRead(store)
        let last = isEncrypted ? StoreEncryption(ToyHostKey(2)) : nil
        _ = try Store.compact(at: path, host: host, encryption: last)
        let compacted = try open(key: 2)
        try await readFirst(compacted)
        let findings = Mutex(0)
        _ = try compacted.verify { _ in findings.withLock { $0 += 1 } }
        try compacted.close()
        if findings.withLock({ $0 }) > 0 { fatalError("the store is not sound") }
    }

    private func open(key: UInt8) throws -> Store {
        var options = StoreOptions()
        if isEncrypted { options.encryption = StoreEncryption(ToyHostKey(key)) }
        return try Store.open(at: path, options: options, host: host)
    }

    /// Reads every page for the first time since the open, from several threads.
    private func readFirst(_ store: Store) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<6 {
                group.addTask { for step in 0..<8 { try read(store, number + step) } }
            }
            try await group.waitForAll()
        }
    }

    /// Reads, writes, replaces, observes, verifies, suspends and, where it is encrypted, replaces the key.
    private func useTogether(_ store: Store) async throws {
        let observer = Task { for await _ in store.changes() {} }
        let watcher = Task {
            for try await _ in store.values(in: .everything, { view in try view.outboxEntries().count }) {}
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<3 {
                group.addTask { for step in 0..<steps { try read(store, number + step) } }
                group.addTask { for step in 0..<steps { try await write(store, number, step) } }
            }
            group.addTask { for step in 0..<steps / 8 { try await replace(Self.resources[1], in: store, by: step) } }
            group.addTask { for _ in 0..<4 { _ = try store.verify { finding in fatalError("\(finding)") } } }
            group.addTask { for _ in 0..<steps / 4 { try suspend(store) } }
            group.addTask { for _ in 0..<4 { try await store.reclaim() } }
            if isEncrypted {
                group.addTask { try await store.rotateEncryption(to: StoreEncryption(ToyHostKey(2))) }
            }
            try await group.waitForAll()
        }
        observer.cancel()
        watcher.cancel()
        _ = await observer.result
        _ = await watcher.result
    }

    /// Closes the store while threads read it.
    private func closeWhileRead(_ store: Store) async throws {
        // Not as a task: the readers leave no thread of the pool.
        let (end, continuation) = AsyncStream<Void>.makeStream()
        Thread.detachNewThread {
            try? store.close()
            continuation.finish()
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<4 {
                group.addTask {
                    do { while true { try read(store, number) } } catch EngineError.closed {}
                }
            }
            try await group.waitForAll()
        }
        for await _ in end {}
    }

    private func read(_ store: Store, _ number: Int) throws {
        let resource = Self.resources[number % 2]
        try store.read { view in
            for row in 0..<10 {
                _ = try view.row(at: RowKey(resource: resource, type: "t", key: "\((number * 7 + row) % Self.rows)"))
            }
            try view.forEachRow(in: .all(of: resource), limit: number % 3 == 0 ? .max : 20) { _ in }
            _ = try view.outboxEntries(limit: 5)
        }
        _ = try store.statistics()
    }

    private func write(_ store: Store, _ number: Int, _ step: Int) async throws {
        let key = RowKey(resource: Self.resources[0], type: "t", key: "\((number * 31 + step) % Self.rows)")
        let id = UUIDBytes(high: 0x4000, low: UInt64(number << 32 | step))
        try await store.write(durability: step % 2 == 0 ? .relaxed : .full) { transaction in
            if step % 5 == 4 {
                try transaction.removeRow(at: key)
            } else {
                let payload = [UInt8](repeating: 1, count: step * 37 % 5000)
                try transaction.put(payload, at: key, updatedAt: 1, codec: .opaque)
            }
            if step % 4 == 0 {
                let draft = OutboxDraft(
                    id: id, lane: "\(number)", createdAt: 1, mutationType: "m", method: "POST", endpoint: "/a",
                    payload: [0x7B, 0x7D])
                try transaction.enqueue(draft)
            }
        }
        if step % 8 == 0 { try await store.write { try $0.completeEntry(id, at: 2) } }
    }

    private func replace(_ resource: ResourceKey, in store: Store, by number: Int) async throws {
        let staging = try await store.beginStaging(resource)
        var batch = RowBatch(for: staging)
        for row in 0..<Self.rows {
            let payload = Array("{\"n\":\(row + number),\"text\":\"\(String(repeating: "x", count: row % 90))\"}".utf8)
            try batch.append(payload.rawSpan, type: "t", key: "\(row)", updatedAt: 1)
        }
        try await store.stage(batch, in: staging)
        try await store.swap(staging) { _, record in record.appliedSequence += 1 }
    }

    /// Suspends the store where no work is under way; the next read resumes it.
    private func suspend(_ store: Store) throws {
        do { try store.suspend(within: 50) } catch StoreError.workUnderWay {} catch EngineError.busy {}
    }
}
