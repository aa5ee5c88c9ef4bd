// Proves that waiting writes share a commit, that each gets its own result, and that one failure leaves the others alone.

import Foundation
import LarderEngine
import LarderFormat
import Synchronization
import Testing

@testable import LarderStore

private struct Failure: Error, Equatable {
    var number: Int
}

@Suite struct `Writes that wait together` {
    @Test func `share a commit, and each gets its own result`() async throws {
        let directory = TemporaryStore()
        let store = try directory.open()
        let before = try store.read { view in view.commit }
        let outcomes = try await commitTogether(
            store,
            (0..<100).map { number in
                { transaction in
                    try transaction.put(bytes("\(number)"), at: key(number), updatedAt: 1)
                    return number
                }
            })
        #expect(try outcomes.map { try $0.get() } == Array(0..<100))
        #expect(try store.keys(.all(of: translations)).count == 100)
        let commits = try store.read { view in view.commit } - before
        #expect(commits < 50)
        #expect(try store.findings() == [])
        try store.close()
    }

    @Test func `do not suffer from one that fails, before or after it changed something`() async throws {
        let directory = TemporaryStore()
        let store = try directory.open()
        let outcomes = try await commitTogether(
            store,
            (0..<30).map { number in
                { transaction in
                    if number % 10 == 3 { throw Failure(number: number) }
                    try transaction.put(bytes("\(number)"), at: key(number), updatedAt: 1)
                    if number % 10 == 7 { throw Failure(number: number) }
                    return number
                }
            })
        for (number, outcome) in outcomes.enumerated() {
            switch number % 10 {
            case 3, 7: #expect(throws: Failure(number: number)) { try outcome.get() }
            default: #expect(try outcome.get() == number)
            }
        }
        let expected = (0..<30).filter { ![3, 7].contains($0 % 10) }.map(String.init)
        #expect(try store.keys(.all(of: translations)) == expected)
        #expect(try store.findings() == [])
        try store.close()
    }

    @Test func `see what those before them did, also when they run again`() async throws {
        let directory = TemporaryStore()
        let store = try directory.open()
        let runs = Atomic(0)
        let outcomes = try await commitTogether(
            store,
            (0..<10).map { number in
                { transaction in
                    if number == 0 { runs.add(1, ordering: .relaxed) }
                    let count = try transaction.payload(at: key("counter")).map { $0[0] } ?? 0
                    try transaction.put([count + 1], at: key("counter"), updatedAt: 1)
                    if number == 9 { throw Failure(number: 9) }
                    return Int(count)
                }
            })
        #expect(try store.read { view in try view.payload(at: key("counter")) } == [9])
        #expect(try Set(outcomes.dropLast().map { try $0.get() }) == Set(0..<9))
        let count = runs.load(ordering: .relaxed)
        #expect(count == 2)
        try store.close()
    }

    /// A removal may merge the leaf with the one beside it, which is damaged: the whole transaction fails with it.
    @Test func `do not suffer from one that meets a damaged page`() async throws {
        let directory = TemporaryStore()
        var store = try directory.open()
        try await store.put((1000..<1500).map { key($0) })
        try store.close()
        try damageLeaves(with: bytes("1250"), in: directory)
        var options = StoreOptions()
        options.fullCheckLimit = 0
        store = try directory.open(options)
        var damaged: Int?
        for number in 1200..<1250 where damaged == nil {
            do {
                try store.writeBlocking { transaction in
                    try transaction.removeRow(at: key(number))
                    throw Failure(number: number)
                }
            } catch EngineError.damagedPage { damaged = number } catch is Failure {}
        }
        let number = try #require(damaged)
        let outcomes = try await commitTogether(
            store,
            [1000, number, 1499].map { number in { transaction in try transaction.removeRow(at: key(number)) } })
        #expect(throws: Never.self) { try outcomes[0].get() }
        #expect(throws: EngineError.self) { try outcomes[1].get() }
        #expect(throws: Never.self) { try outcomes[2].get() }
        #expect(try store.read { view in try view.payload(at: key(1499)) } == nil)
        try store.close()
    }

    @Test func `that fail leave no number changed`() async throws {
        let directory = TemporaryStore()
        let store = try directory.open()
        let before = try store.read { view in try view.appliedPosition() }
        let outcomes = try await commitTogether(
            store,
            [true, false].map { fails in
                { transaction in
                    if fails {
                        try transaction.beginTimeline()
                        throw Failure(number: 1)
                    }
                    try transaction.put([], at: key(1), updatedAt: 1)
                }
            })
        #expect(throws: Failure(number: 1)) { try outcomes[0].get() }
        #expect(throws: Never.self) { try outcomes[1].get() }
        #expect(try store.read { view in try view.appliedPosition() } == before)
        try store.close()
    }

    /// As a removal that meets a damaged record behind those that it has removed.
    @Test func `that fail in the middle of a removal are undone`() async throws {
        let directory = TemporaryStore()
        let store = try directory.open()
        try await store.put((1...9).map { key($0) })
        let outcomes = try await commitTogether(
            store,
            [true, false].map { fails in
                { transaction in
                    if !fails { return try transaction.put([], at: key(10), updatedAt: 1) }
                    let (table, start) = (transaction.tables[.rows], [0] as [UInt8])
                    var removed = 0
                    _ = try transaction.writer.withCursor(in: table) { cursor in
                        try cursor.removeWhile(from: start.rawSpan, limit: .max) { _ in
                            if removed == 3 { throw Failure(number: 3) }
                            removed += 1
                            return true
                        }
                    }
                }
            })
        #expect(throws: Failure(number: 3)) { try outcomes[0].get() }
        #expect(throws: Never.self) { try outcomes[1].get() }
        #expect(try store.keys(.all(of: translations)).count == 10)
        #expect(try store.findings() == [])
        try store.close()
    }

    @Test func `from many tasks are each committed exactly once`() async throws {
        let directory = TemporaryStore()
        let store = try directory.open()
        try await withThrowingTaskGroup { group in
            for task in 0..<8 {
                group.addTask {
                    for number in 0..<25 {
                        try await store.write(durability: .relaxed) { transaction in
                            let count = try transaction.payload(at: key("counter")).map { Int($0[0]) } ?? 0
                            try transaction.put([UInt8(count + 1)], at: key("counter"), updatedAt: 1)
                            try transaction.put([], at: key("\(task) \(number)"), updatedAt: 1)
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(try store.read { view in try view.payload(at: key("counter")) } == [200])
        #expect(try store.keys(.all(of: translations)).count == 201)
        try store.close()
    }
}

@Suite struct `A write` {
    @Test func `that is cancelled before it begins never runs`() async throws {
        let directory = TemporaryStore()
        let store = try directory.open()
        let barrier = WriterBarrier()
        let holder = await barrier.holdWriter(store)
        let hasRun = Atomic(false)
        let write = Task { try await store.write { _ in hasRun.store(true, ordering: .relaxed) } }
        try await Task.sleep(for: .milliseconds(20))
        write.cancel()
        await #expect(throws: CancellationError.self) { try await write.value }
        barrier.release()
        try await holder.value
        try await store.write { _ in }
        let didRun = hasRun.load(ordering: .relaxed)
        #expect(!didRun)
        try store.close()
    }

    @Test func `that is cancelled after it has begun is waited for`() async throws {
        let directory = TemporaryStore()
        let store = try directory.open()
        let barrier = WriterBarrier()
        let holder = await barrier.holdWriter(store)
        holder.cancel()
        try await Task.sleep(for: .milliseconds(20))
        barrier.release()
        // Its outcome, and no cancellation: it has changed the store.
        try await holder.value
        try store.close()
    }

    @Test func `returns only when readers see it`() async throws {
        let directory = TemporaryStore()
        let store = try directory.open()
        for number in 0..<20 {
            let commit = try await store.write { transaction in
                try transaction.put(bytes("\(number)"), at: key(1), updatedAt: 1)
                return transaction.commit
            }
            let seen = try store.read { view in (view.commit, try view.payload(at: key(1))) }
            #expect(seen.0 >= commit)
            #expect(seen.1 == bytes("\(number)"))
        }
        try store.close()
    }

    @Test func `runs again in a larger map when the first is full`() async throws {
        let directory = TemporaryStore()
        let store = try directory.open(StoreOptions(mapSize: 1 << 20, mapSizeCap: 64 << 20))
        let runs = Atomic(0)
        try await store.write { transaction in
            runs.add(1, ordering: .relaxed)
            for number in 0..<300 {
                try transaction.put([UInt8](repeating: 7, count: 10_000), at: key(number), updatedAt: 1)
            }
        }
        let count = runs.load(ordering: .relaxed)
        #expect(count > 1)
        #expect(try store.keys(.all(of: translations)).count == 300)
        #expect(try store.findings() == [])
        try store.close()
    }

    @Test func `beyond the cap fails alone, and what frees space still commits`() async throws {
        let directory = TemporaryStore()
        let store = try directory.open(StoreOptions(mapSize: 1 << 20, mapSizeCap: 1 << 20))
        try await store.put([key(1)])
        let outcomes = try await commitTogether(
            store,
            (0..<6).map { number in
                { transaction in
                    if number == 2 {
                        for row in 0..<200 {
                            try transaction.put([UInt8](repeating: 7, count: 10_000), at: key("\(row)"), updatedAt: 1)
                        }
                    } else if number == 4 {
                        try transaction.removeRow(at: key(1))
                    } else {
                        try transaction.put([], at: key("small \(number)"), updatedAt: 1)
                    }
                }
            })
        for (number, outcome) in outcomes.enumerated() {
            if number == 2 {
                #expect(throws: EngineError.mapFull(cap: 1 << 20)) { try outcome.get() }
            } else {
                #expect(throws: Never.self) { try outcome.get() }
            }
        }
        #expect(try store.keys(.all(of: translations)) == [0, 1, 3, 5].map { "small \($0)" })
        #expect(try store.findings() == [])
        try store.close()
    }

    @Test func `that blocks returns its result, and leaves nothing when it throws`() async throws {
        let directory = TemporaryStore()
        let store = try directory.open()
        #expect(try store.writeBlocking { try $0.put([1], at: key(1), updatedAt: 1) } == ())
        #expect(throws: Failure(number: 1)) {
            try store.writeBlocking { transaction in
                try transaction.put([2], at: key(1), updatedAt: 1)
                throw Failure(number: 1)
            }
        }
        #expect(try store.read { view in try view.payload(at: key(1)) } == [1])
        try store.close()
    }
}
