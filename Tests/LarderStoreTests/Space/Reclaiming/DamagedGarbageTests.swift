// Proves that garbage on a damaged page is kept and reported, that sound garbage is removed, and that no write fails.

import Foundation
import Logging
import Testing

@testable import LarderFormat
@testable import LarderStore

@Suite(.timeLimit(.minutes(10))) struct `Garbage on a damaged page` {
    private let directory = TemporaryStore()
    private let messages = LogMessages()

    private func open(sizeCap: Int64? = nil) throws -> Store {
        var host = HostServices.test
        host.logger = messages.logger
        return try Store.open(at: directory.path, options: StoreOptions(sizeCap: sizeCap), host: host)
    }

    /// Leaves the rows of three resources to be removed, as a process does that ends before it removes them, and damages a
    /// page of one of them.
    private func leaveGarbage(damaging id: Int64) async throws {
        let store = try directory.open()
        for id in 1...3 as ClosedRange<Int64> { try await fill(store, id) }
        let generations = try store.read { view in
            try (1...3 as ClosedRange<Int64>).map { try view.tables.resource(big($0), in: view.transaction) }
                .map { try #require($0?.liveGeneration) }
        }
        try store.writeBlocking { transaction in
            for id in 1...3 as ClosedRange<Int64> {
                try transaction.withdraw(big(id), at: ServerPosition(0, 9), as: .empty)
            }
            transaction.effects.hasGarbage = false
        }
        try store.close()
        var key = KeyBuffer()
        try RowSource(owner: big(id), generation: generations[Int(id) - 1])
            .appendKey(type: "row", key: "5", to: &key)
        try damagePage(ofValueUnder: key.array(), in: directory)
    }

    private func garbage(_ store: Store) throws -> [Int64] {
        try store.read { view in try view.tables.garbage(.generation, in: view.transaction) }
    }

    @Test func `stays recorded and is reported once, and garbage before and after it is removed`() async throws {
        try await leaveGarbage(damaging: 2)
        let store = try open()
        try await store.reclaim()
        try await store.reclaim()
        let left = try garbage(store)
        #expect(left.count == 1)
        #expect(try size(store) < 120_000)
        try await store.put([key(1)])
        #expect(messages.all == ["a damaged range of garbage is skipped"])
        #expect(try store.findings().contains { $0.kind == .structure && $0.table == "rows" })
        try store.close()
        // Known to this open only, so the next one tries again.
        let again = try open()
        try await again.reclaim()
        #expect(try garbage(again) == left)
        #expect(messages.all.count == 2)
        try again.close()
    }

    @Test(arguments: [1, 2, 3] as [Int64]) func `does not prevent writes from using the space of the rest`(
        damaged: Int64
    ) async throws {
        try await leaveGarbage(damaging: damaged)
        let store = try open(sizeCap: 350_000)
        // In commits that come before the reclaimer's, at the cap.
        try store.writeBlocking { transaction in
            let payload = [UInt8](repeating: 7, count: 10_000)
            for number in 1...20 { try transaction.put(payload, at: bigKey(number, 4), updatedAt: 1) }
        }
        try store.writeBlocking { transaction in try transaction.put(bytes("{}"), at: key(1), updatedAt: 1) }
        #expect(try size(store) <= 350_000)
        #expect(try store.keys(.all(of: big(4))).count == 20)
        try await store.reclaim()
        #expect(try garbage(store).count == 1)
        try store.close()
    }

    @Test func `does not undo an eviction`() async throws {
        let first = try directory.open()
        for id in 1...3 as ClosedRange<Int64> { try await fill(first, id) }
        try first.close()
        var key = KeyBuffer()
        try RowSource(owner: big(1), generation: 1).appendKey(type: "row", key: "5", to: &key)
        try damagePage(ofValueUnder: key.array(), in: directory)
        let store = try open(sizeCap: 350_000)
        try store.writeBlocking { transaction in
            let payload = [UInt8](repeating: 7, count: 10_000)
            for number in 1...12 { try transaction.put(payload, at: bigKey(number, 4), updatedAt: 1) }
        }
        #expect(try size(store) <= 350_000)
        #expect(try store.keys(.all(of: big(4))).count == 12)
        try store.close()
    }
}
