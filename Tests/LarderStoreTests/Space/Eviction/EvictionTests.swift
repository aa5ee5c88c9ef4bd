// Proves that an eviction drops rows and nothing else, skips pinned and pending resources, and reports itself.

import Foundation
import LarderEngine
import LarderFormat
import Synchronization
import Testing

@testable import LarderStore

@Suite struct `An eviction` {
    @Test func `notifies observers of evictions and of the resource`() async throws {
        let directory = TemporaryStore()
        let store = try directory.open(StoreOptions(sizeCap: 250_000))
        var evictions = store.evictions().makeAsyncIterator()
        var changes = store.changes(in: .resource(big(1))).makeAsyncIterator()
        try await fill(store, 1)
        _ = await changes.next()
        try await fill(store, 2)
        try await fill(store, 3)
        let eviction = try #require(await evictions.next())
        #expect(eviction.subject == .resource(big(1)))
        #expect(eviction.reason == .cap)
        #expect(eviction.time == HostServices.test.now())
        let change = try #require(await changes.next())
        #expect(change.replaced.contains(big(1)))
        #expect(try store.read { view in try view.evictions() }.first == eviction)
        try store.close()
        #expect(await evictions.next() == nil)
    }

    @Test func `requested by the host drops the rows and keeps the applied sequence, path and pin`() async throws {
        let directory = TemporaryStore()
        let store = try directory.open()
        try await fill(store, 1)
        let isDone = try await store.write { transaction in
            try transaction.pin(big(1))
            try transaction.update(big(1)) { $0.appliedSequence = 77 }
            return try transaction.evict(big(1))
        }
        #expect(isDone)
        let known = try #require(try store.read { view in try view.resource(big(1)) })
        #expect(known.state == .evicted && known.generation == nil)
        #expect(known.appliedSequence == 77 && known.isPinned && known.snapshotPath == "/copy")
        #expect(try store.read { view in try view.evictions() }.map(\.reason) == [.host])
        // Nothing is left to evict.
        let again = try await store.write { transaction in try transaction.evict(big(1)) }
        #expect(!again)
        try await store.reclaim()
        #expect(try size(store) < 1_000)
        #expect(try store.findings() == [])
        try store.close()
    }

    @Test func `never selects a resource with local changes, one being replaced, or a pinned one`() async throws {
        let directory = TemporaryStore()
        let store = try directory.open(StoreOptions(sizeCap: 450_000))
        for id in 1...4 as ClosedRange<Int64> { try await fill(store, id) }
        try await store.write { transaction in
            try transaction.applyOverlay(.replacement(bytes("local")), at: bigKey(1, 1), updatedAt: 1)
            try transaction.pin(big(2))
        }
        let staging = try await store.beginStaging(big(3))
        try await store.write { transaction in
            try transaction.put([UInt8](repeating: 1, count: 100_000), at: key(1), updatedAt: 1)
        }
        #expect(try (1...4).map { try state(store, $0) } == [.ready, .ready, .ready, .evicted])
        let use = try store.spaceUse()
        #expect(use.overlaid > 100_000 && use.pinned > 100_000 && use.inUse > 100_000)
        #expect(use.overlaid < 102_000 && use.pinned < 102_000 && use.inUse < 102_000)
        let byHost = try await store.write { transaction in
            try [1, 2, 3].map { try transaction.evict(big($0)) }
        }
        #expect(byHost == [false, true, false])
        await store.discard(staging)
        try store.close()
    }

    @Test func `leaves journal and outbox, filters and members alone`() async throws {
        let directory = TemporaryStore()
        let store = try directory.open(StoreOptions(sizeCap: 200_000))
        try await fillSample(store)
        let before = try contents(store)
        for id in 1...6 as ClosedRange<Int64> { try await fill(store, id) }
        let after = try contents(store)
        for table in [TableName.outbox, .filters, .members] { #expect(after[table] == before[table], "\(table)") }
        #expect(try store.read { view in try view.outboxOutcomes() }.count == 1)
        #expect(try store.findings() == [])
        try store.close()
    }
}

@Suite struct `A store opened with a cap below what it holds` {
    @Test func `is reduced before the first write`() async throws {
        let directory = TemporaryStore()
        let first = try directory.open()
        for id in 1...20 as ClosedRange<Int64> { try await fill(first, id) }
        try await first.write { transaction in try transaction.pin(big(7)) }
        #expect(try size(first) > 2_000_000)
        try first.close()

        let second = try directory.open(StoreOptions(sizeCap: 500_000))
        let sizeAtFirstWrite = try await second.write { transaction in try transaction.storedSize() }
        #expect(sizeAtFirstWrite <= 500_000)
        #expect(sizeAtFirstWrite > 250_000)
        #expect(try state(second, 7) == .ready)
        #expect(try second.findings() == [])
        try second.close()
    }

    @Test(.timeLimit(.minutes(10))) func `closes after the commit under way, and is reduced by the next open`()
        async throws
    {
        let directory = TemporaryStore()
        let first = try directory.open()
        for id in 1...20 as ClosedRange<Int64> { try await fill(first, id) }
        try first.close()

        // The first eviction asks for the time, and waits until the store is closing.
        let (clockRead, resume) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        var host = HostServices.test
        host.now = {
            clockRead.signal()
            resume.wait()
            resume.signal()
            return 1_700_000_000_000
        }
        let second = try Store.open(at: directory.path, options: StoreOptions(sizeCap: 500_000), host: host)
        try await second.eventually { clockRead.wait(timeout: .now()) == .success }
        // Closing blocks: on a thread of its own it keeps none of those that tests share.
        let outcome = Mutex<Result<Void, any Error>?>(nil)
        let (ended, end) = AsyncStream.makeStream(of: Void.self)
        Thread.detachNewThread {
            let result = Result { try second.close() }
            outcome.withLock { $0 = result }
            end.finish()
        }
        try await second.eventually { second.environment.isClosing }
        resume.signal()
        for await _ in ended {}
        try #require(outcome.withLock { $0 }).get()
        #expect(second.writerStatistics.bulkCommits == 1)

        let third = try directory.open(StoreOptions(sizeCap: 500_000))
        let sizeAtFirstWrite = try await third.write { transaction in try transaction.storedSize() }
        #expect(sizeAtFirstWrite <= 500_000)
        #expect(try third.findings() == [])
        try third.close()
    }

    @Test func `that holds only what is pinned can shrink, and grows no further`() async throws {
        let directory = TemporaryStore()
        let first = try directory.open()
        for id in 1...3 as ClosedRange<Int64> { try await fill(first, id) }
        try await first.write { transaction in
            for id in 1...3 as ClosedRange<Int64> { try transaction.pin(big(id)) }
            try transaction.enqueue(draft(1))
        }
        try first.close()

        let second = try directory.open(StoreOptions(sizeCap: 200_000))
        await #expect(throws: StoreError.self) { try await second.put([key(1)]) }
        try await second.write { transaction in
            try transaction.removeEntry(draft(1).id, outcome: "accepted", at: 1)
            try transaction.removeRow(at: bigKey(1, 1))
            try transaction.pin(big(2), false)
        }
        try await second.put([key(1)])
        #expect(try size(second) <= 200_000)
        #expect(try state(second, 2) == .evicted)
        #expect(try second.findings() == [])
        try second.close()
    }

    @Test func `refuses a second open with another cap`() async throws {
        let directory = TemporaryStore()
        let store = try directory.open(StoreOptions(sizeCap: 500_000))
        #expect(throws: EngineError.openWithOtherOptions) { try directory.open(StoreOptions(sizeCap: 400_000)) }
        #expect(throws: EngineError.openWithOtherOptions) { try directory.open() }
        let same = try directory.open(StoreOptions(sizeCap: 500_000))
        #expect(same.sizeCap == 500_000)
        try same.close()
        try store.close()
    }
}
