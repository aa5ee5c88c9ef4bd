// Proves that an account has a directory of its own, and that signing out removes all content or is refused.

import Foundation
import LarderEngine
import LarderFormat
import LarderStore
import Testing

@Suite struct `The directory of an account` {
    @Test func `is named by two hashes of the account`() {
        // The first halves are the examples of FORMAT.md, XXH64.
        let names = ["abc": "44bc2cf5ad770999bea9ca8199328908", "": "ef46db3751d8e999d5afba1336a3be4b"]
        for (account, digits) in names {
            #expect(Store.accountPath(base: "/data", account: account) == "/data/account-" + digits)
            #expect(Store.accountPath(base: "/data/", account: account) == "/data/account-" + digits)
        }
    }

    @Test func `distinguishes accounts by their bytes, of any length, and does not reveal them`() {
        var seen: Set<String> = []
        for length in 0...130 {
            let account = String(repeating: "a", count: length)
            let path = Store.accountPath(base: "b", account: account)
            #expect(path.utf8.count == "b/account-".utf8.count + 32)
            #expect(seen.insert(path).inserted)
        }
        #expect(
            Store.accountPath(base: "b", account: "é") != Store.accountPath(base: "b", account: "e\u{301}"))
        #expect(!Store.accountPath(base: "b", account: "ann@example.org").contains("ann"))
    }
}

@Suite struct `Signing out` {
    private let directory = TemporaryStore()

    /// Something in every table that there is.
    private func fillAll(_ store: Store) async throws {
        try await fillSample(store)
        for id in 1...3 as ClosedRange<Int64> { try await fill(store, id) }
        for number in 0..<300 { try await store.put(response("k\(number)")) }
        try await store.put(response("large"), body: [UInt8](repeating: 3, count: 2_000_000))
        _ = try await store.beginStaging(big(4))
    }

    @Test func `clears every table in commits of bounded size, and the store continues with new numbers`() async throws
    {
        let store = try directory.open()
        try await fillAll(store)
        let large = try store.read { view in try view.responses(forKey: "large").first }
        let handle = try #require(try large.flatMap { try store.blob($0.record.blob) })
        let generation = try store.read { view in try view.resource(big(3))?.generation }
        let before = try store.read { view in view.commit }
        try await store.clear(discardingUnsent: true)
        #expect(try store.statistics().storedSize == 0)
        for (table, records) in try contents(store) { #expect(records == [], "\(table)") }
        #expect(try store.findings() == [])
        #expect(throws: StoreError.blobRemoved) { try handle.read(0..<10) { _ in } }
        #expect(try store.read { view in view.commit } - before > 5)
        try await store.put([key(1)])
        let next = try #require(try store.read { view in try view.resource(translations)?.generation })
        #expect(next > generation ?? 0)
        let entry = try await store.write { transaction in try transaction.enqueue(draft(9)) }
        #expect(entry.sequence > 3)
        #expect(try store.findings() == [])
        try store.close()
    }

    @Test func `is refused while writes or points wait to be sent, and changes nothing`() async throws {
        let store = try directory.open()
        try await fillSample(store)
        let before = try contents(store)
        await #expect(throws: StoreError.unsentWrites(2)) { try await store.clear() }
        #expect(try contents(store) == before)
        try store.close()
        #expect(throws: StoreError.unsentWrites(2)) { try Store.destroy(at: directory.path) }
        let again = try directory.open()
        #expect(try contents(again) == before)
        for number in 2...3 {
            try await again.write { transaction in
                try transaction.removeEntry(draft(number).id, outcome: "accepted", at: 9)
            }
        }
        await #expect(throws: StoreError.unsentPoints(4)) { try await again.clear() }
        #expect(try again.read { view in try view.bufferNames() }.count == 2)
        for name in [sampleBuffer, BufferName("locations")] { try await again.write { try $0.removeBuffer(name) } }
        try await again.clear()
        #expect(try again.statistics().storedSize == 0)
        try again.close()
    }

    @Test func `is refused where the table of unsent writes seems empty and the counters disagree`()
        async throws
    {
        let store = try directory.open()
        for number in 2...3 { try await store.write { try $0.enqueue(draft(number)) } }
        let raw = try RawStore(directory.path)
        try raw.replace(try raw.records().filter { $0.table == .outbox }, by: [])
        try raw.close()
        await #expect(throws: StoreError.unsentWrites(2)) { try await store.clear() }
        try store.close()
        #expect(throws: StoreError.unsentWrites(2)) { try Store.destroy(at: directory.path) }
        try Store.destroy(at: directory.path, discardingUnsent: true)
    }

    @Test func `leaves a sound store wherever it is interrupted`() async throws {
        let store = try directory.open()
        try await fillAll(store)
        for _ in 0..<40 {
            // Cancelled after a while, it ends between two commits.
            let clearing = Task { try await store.clear(discardingUnsent: true) }
            try await Task.sleep(for: .microseconds(300))
            clearing.cancel()
            let outcome = await clearing.result
            #expect(try store.findings() == [])
            if case .success = outcome { break }
        }
        try await store.clear(discardingUnsent: true)
        #expect(try store.statistics().storedSize == 0)
        try store.close()
    }

    @Test func `clears damaged records as well`() async throws {
        let store = try directory.open()
        try await fillAll(store)
        let raw = try RawStore(directory.path)
        for table in TableName.allCases where table != .meta {
            guard var record = try raw.records().first(where: { $0.table == table }) else { continue }
            record.value[5] ^= 1
            try raw.replace([record], by: [record])
        }
        try raw.close()
        try await store.clear(discardingUnsent: true)
        for (table, records) in try contents(store) { #expect(records == [], "\(table)") }
        try store.close()
    }

    @Test func `notifies observers`() async throws {
        let store = try directory.open()
        try await fillSample(store)
        var rows = store.changes(in: .resource(translations)).makeAsyncIterator()
        var outbox = store.changes(in: .outbox).makeAsyncIterator()
        try await store.clear(discardingUnsent: true)
        #expect(await rows.next()?.replaced.contains(translations) == true)
        #expect(await outbox.next()?.lanes == ["a", "b"])
        try store.close()
    }

    @Test func `destroys a store that is not open, and no other`() async throws {
        let store = try directory.open()
        try await fillSample(store)
        #expect(throws: EngineError.heldByOthers) { try Store.destroy(at: directory.path, discardingUnsent: true) }
        try store.close()
        try Store.destroy(at: directory.path, discardingUnsent: true)
        #expect(!FileManager.default.fileExists(atPath: directory.path))
        #expect(throws: EngineError.notFound) { try Store.destroy(at: directory.path) }
        let anew = try directory.open()
        #expect(try anew.statistics().storedSize == 0)
        try anew.close()
        try Store.destroy(at: directory.path)
        #expect(!FileManager.default.fileExists(atPath: directory.path))
    }

    @Test func `destroys a file that is damaged beyond use when no check is requested`() async throws {
        let store = try directory.open()
        try store.close()
        let path = directory.path + "/data.mdb"
        try Data([UInt8](repeating: 0xFF, count: 20_000)).write(to: URL(fileURLWithPath: path))
        #expect(throws: EngineError.self) { try Store.destroy(at: directory.path) }
        #expect(FileManager.default.fileExists(atPath: path))
        try Store.destroy(at: directory.path, discardingUnsent: true)
        #expect(!FileManager.default.fileExists(atPath: directory.path))
    }
}
