// Proves that a swap shows all new rows in one step, and that a failed or superseded one changes nothing.

import Foundation
import LarderEngine
import LarderFormat
import LarderStore
import Synchronization
import Testing

@Suite struct `A swap` {
    @Test func `shows the new rows in one step, and the old ones are reclaimed`() async throws {
        let directory = TemporaryStore()
        let store = try directory.open()
        for round in 0..<3 {
            let staging = try await store.beginStaging(translations)
            var batch = RowBatch(for: staging)
            for number in 0..<2_000 {
                let payload = bytes("\(round) \(number)")
                try batch.append(payload.rawSpan, type: "translation", key: String(number), updatedAt: 1)
            }
            try await store.stage(batch, in: staging)
            let before = try store.read { view in try view.payload(at: key(7)) }
            #expect(before == (round == 0 ? nil : bytes("\(round - 1) 7")))
            try await store.swap(staging) { _, record in record.appliedSequence = Int64(round) }
            #expect(try store.read { view in try view.payload(at: key(7)) } == bytes("\(round) 7"))
        }
        try await store.reclaim()
        let statistics = try store.statistics()
        #expect(statistics.generations.counts == [1, 0, 0])
        #expect(statistics.tables["rows"]?.entries == 2_001)
        #expect(try store.findings() == [])
        try store.close()
    }

    @Test func `is atomic for readers on other threads at any time`() async throws {
        let directory = TemporaryStore()
        let store = try directory.open()
        let rows = 200
        try await store.replace(translations, with: (0..<rows).map { (key($0), bytes("0")) })
        let isDone = Atomic(false)
        let torn = Atomic(0)
        let reads = Atomic(0)
        let readers = DispatchGroup()
        for _ in 0..<3 {
            readers.enter()
            Thread.detachNewThread {
                while !isDone.load(ordering: .relaxed) {
                    let seen = try? store.read { view in
                        try view.rows(in: .all(of: translations)).map(\.payload)
                    }
                    if seen?.count != rows || Set(seen ?? []).count != 1 { torn.add(1, ordering: .relaxed) }
                    reads.add(1, ordering: .relaxed)
                }
                readers.leave()
            }
        }
        for round in 1...20 {
            try await store.replace(translations, with: (0..<rows).map { (key($0), bytes("\(round)")) })
        }
        isDone.store(true, ordering: .relaxed)
        await withCheckedContinuation { all in readers.notify(queue: .global()) { all.resume() } }
        let counts = (torn.load(ordering: .relaxed), reads.load(ordering: .relaxed))
        #expect(counts.0 == 0)
        #expect(counts.1 > 0)
        #expect(try store.findings() == [])
        try store.close()
    }

    @Test func `whose last step throws changes nothing`() async throws {
        struct Refused: Error {}
        let directory = TemporaryStore()
        let store = try directory.open()
        try await store.replace(translations, with: [(key(1), bytes("old"))])
        let staging = try await store.beginStaging(translations)
        var batch = RowBatch(for: staging)
        try batch.append(bytes("new").rawSpan, type: "translation", key: "1", updatedAt: 1)
        try await store.stage(batch, in: staging)
        await #expect(throws: Refused.self) { try await store.swap(staging) { _, _ in throw Refused() } }
        await store.discard(staging)
        #expect(try store.read { view in try view.payload(at: key(1)) } == bytes("old"))
        try await store.reclaim()
        #expect(try store.statistics().generations.counts == [1, 0, 0])
        // The slot is free again.
        try await store.replace(translations, with: [(key(1), bytes("newer"))])
        #expect(try store.findings() == [])
        try store.close()
    }

    @Test func `of a withdrawn snapshot is refused as superseded`() async throws {
        let directory = TemporaryStore()
        let store = try directory.open()
        let staging = try await store.beginStaging(translations)
        try await store.write { try $0.withdraw(translations, at: ServerPosition(0, 5), as: .hidden) }
        await #expect(throws: StoreError.stagingSuperseded(translations)) {
            try await store.swap(staging) { _, _ in }
        }
        await store.discard(staging)
        #expect(try store.read { view in try view.resource(translations)?.state } == .hidden)
        try await store.reclaim()
        #expect(try store.findings() == [])
        try store.close()
    }

    @Test func `keeps the later of two rows with one key, in any order of arrival`() async throws {
        let directory = TemporaryStore()
        let store = try directory.open()
        let staging = try await store.beginStaging(translations)
        for numbers in [[5, 3, 5, 4], [4, 1, 9]] {
            var batch = RowBatch(for: staging)
            for (position, number) in numbers.enumerated() {
                let payload = bytes("\(numbers.count) \(position)")
                try batch.append(payload.rawSpan, type: "translation", key: String(number), updatedAt: 1)
            }
            try await store.stage(batch, in: staging)
        }
        try await store.swap(staging) { _, _ in }
        let rows = try store.read { view in try view.rows(in: .all(of: translations)) }
        #expect(rows.map(\.key.key) == ["1", "3", "4", "5", "9"])
        #expect(rows.map(\.payload) == ["3 1", "4 1", "3 0", "4 2", "3 2"].map(bytes))
        #expect(try store.findings() == [])
        try store.close()
    }

    @Test func `waits for the snapshot before it, and a cancelled wait leaves the queue`() async throws {
        let directory = TemporaryStore()
        let store = try directory.open()
        let first = try await store.beginStaging(translations)
        let waiting = Task { try await store.beginStaging(tafsirs) }
        waiting.cancel()
        await #expect(throws: CancellationError.self) { _ = try await waiting.value }
        let second = Task { try await store.beginStaging(tafsirs) }
        try await store.swap(first) { _, _ in }
        try await store.swap(try await second.value) { _, _ in }
        #expect(try store.statistics().resources.ready == 2)
        try store.close()
    }

    @Test func `yields after its turn, and continues later`() async throws {
        let directory = TemporaryStore()
        let clock = Mutex(Duration.zero)
        var host = HostServices.test
        host.elapsed = { clock.withLock { $0 } }
        let store = try Store.open(at: directory.path, host: host)
        let first = try await store.beginStaging(translations)
        clock.withLock { $0 = .seconds(19) }
        store.yieldStagingTurn(first)
        let waiting = Task { try await store.beginStaging(tafsirs) }
        clock.withLock { $0 = .seconds(20) }
        store.yieldStagingTurn(first)
        let second = try await waiting.value
        // The turn of another is not the first one's to end.
        store.yieldStagingTurn(first)
        let stages = Task {
            for staging in [first, second] {
                var batch = RowBatch(for: staging)
                try batch.append(bytes("1").rawSpan, type: "translation", key: "1", updatedAt: 1)
                try await store.stage(batch, in: staging)
                try await store.swap(staging) { _, _ in }
            }
        }
        await store.discard(second)
        await #expect(throws: StoreError.stagingSuperseded(tafsirs)) { try await stages.value }
        #expect(try store.keys(.all(of: translations)) == ["1"])
        #expect(try store.findings() == [])
        try store.close()
    }
}
