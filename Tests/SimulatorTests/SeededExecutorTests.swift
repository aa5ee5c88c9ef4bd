// Proves that a seeded executor runs tasks and commits in an order determined by its seed.

import Foundation
import LarderFormat
import LarderSimulator
import LarderStore
import LarderTesting
import Synchronization
import Testing

/// What tasks write down.
private final class StepRecorder: Sendable {
    private let steps = Mutex<[Int]>([])

    func add(_ step: Int) { steps.withLock { $0.append(step) } }

    var all: [Int] { steps.withLock { $0 } }
}

/// The executor under the histories: tasks and commits interleave as a seed says, and in no other way.
@Suite("A seeded executor") struct SeededExecutorTests {
    /// The order in which ten tasks, a task group and a stream come to write down their steps.
    private func order(_ seed: UInt64) -> [Int] {
        let notes = StepRecorder()
        let executor = SeededExecutor(seed: seed)
        executor.catching {
            for task in 0..<10 {
                Task {
                    for step in 0..<4 {
                        notes.add(task * 10 + step)
                        await Task.yield()
                    }
                }
            }
            Task {
                await withTaskGroup(of: Int.self) { group in
                    for task in 0..<5 { group.addTask { 1000 + task } }
                    for await step in group { notes.add(step) }
                }
            }
        }
        while executor.runNext() {}
        return notes.all
    }

    @Test func `one seed is one order, and other seeds are others`() {
        let orders = (0..<20 as Range<UInt64>).map { order($0) }
        #expect(orders == (0..<20).map { order($0) })
        #expect(Set(orders).count == 20)
        #expect(orders.allSatisfy { $0.count == 45 })
    }

    /// How many jobs an executor runs of a task that yields once, while another thread begins a task, or none does.
    private func jobs(besideAnother: Bool) -> Int {
        let executor = SeededExecutor(seed: 1)
        executor.catching {
            Task { await Task.yield() }
            guard besideAnother else { return }
            let ended = DispatchSemaphore(value: 0)
            Thread.detachNewThread {
                Task { await Task.yield() }
                ended.signal()
            }
            ended.wait()
        }
        var jobs = 0
        while executor.runNext() { jobs += 1 }
        return jobs
    }

    @Test func `leaves the tasks of other threads alone`() {
        let alone = jobs(besideAnother: false)
        #expect(alone > 0)
        #expect(jobs(besideAnother: true) == alone)
    }

    @Test func `commits happen when they are run, several together, and on this thread`() throws {
        let path = "\(NSTemporaryDirectory())/larder-stepped-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: path) }
        var options = StoreOptions()
        options.isStepped = true
        let store = try Store.open(at: path, options: options, host: .virtual(VirtualClock()))
        let executor = SeededExecutor(seed: 1)
        let written = StepRecorder()
        let key: @Sendable (String) -> RowKey = { RowKey(resource: ResourceKey("notes", 1), type: "note", key: $0) }
        executor.catching {
            for name in ["a", "b"] {
                Task {
                    try await store.write { try $0.put(Array("{}".utf8), at: key(name), updatedAt: 0) }
                    written.add(1)
                }
            }
        }
        while executor.runNext() {}
        #expect(try store.read { try $0.row(at: key("a")) == nil })
        #expect(store.hasWrites)
        while executor.catching({ store.runNextWrite() }) {}
        #expect(try store.read { try $0.row(at: key("a")) != nil && $0.row(at: key("b")) != nil })
        #expect(written.all == [])
        while executor.runNext() {}
        #expect(written.all == [1, 1])
        try store.writeBlocking { try $0.put(Array("{}".utf8), at: key("c"), updatedAt: 0) }
        #expect(try store.read { try $0.row(at: key("c")) != nil })
        try store.close()
    }
}
