// Proves that collections are evicted under a cap and by age, and that their records leave with them.

import LarderEngine
import LarderFormat
import Testing

@testable import LarderStore

@Suite struct `Collections in a store with a cap` {
    private let directory = TemporaryStore()

    private func name(_ number: Int) -> CollectionName {
        CollectionName(class: "translation", query: "page \(1000 + number)")
    }

    private func putCollection(_ store: Store, _ number: Int, rows: Int = 20, at time: Int64 = 5) async throws {
        let name = name(number)
        try await store.write(durability: .relaxed) { transaction in
            try transaction.putCollection(
                name, rows: (0..<rows).map { key($0) }, home: translations, fetchedAt: time)
        }
    }

    private func stored(_ store: Store) throws -> Set<String> {
        Set(try store.read { view in try view.collections() }.map(\.name.query))
    }

    @Test func `are evicted for newer ones and for other writes, and are counted`() async throws {
        let store = try directory.open(StoreOptions(sizeCap: 60_000))
        for number in 0..<300 {
            // A day apart.
            try await putCollection(store, number, at: 1_600_000_000_000 + Int64(number) * 86_400_000)
            #expect(try size(store) <= 60_000)
        }
        try await store.write { try $0.enqueue(draft(1)) }
        let remaining = try stored(store)
        #expect(remaining.contains("page 1299") && !remaining.contains("page 1000"))
        #expect(remaining.count > 5)
        let gone = try store.read { view in try view.evictions() }.reduce(0) { sum, eviction in
            guard case .collections(let count) = eviction.subject else { return -1000 }
            #expect(eviction.bytes > 0)
            return sum + count
        }
        #expect(gone + remaining.count == 300)
        #expect(try store.findings() == [])
        try store.close()
    }

    @Test func `that were read recently are passed over once`() async throws {
        let store = try directory.open(StoreOptions(sizeCap: 60_000))
        for number in 0..<10 { try await putCollection(store, number, at: 5 + Int64(number)) }
        try store.read { view in
            let first = try #require(try view.collection(name(0)))
            _ = try view.rowKeys(of: first)
        }
        var number = 10
        while try stored(store).count == number {
            try await putCollection(store, number, at: 100)
            number += 1
        }
        #expect(try stored(store).contains("page 1000"))
        #expect(try !stored(store).contains("page 1001"))
        try store.close()
    }

    @Test func `are all evicted for one that fits only alone, and count as evictable`() async throws {
        let store = try directory.open(StoreOptions(sizeCap: 60_000))
        for number in 0..<20 { try await putCollection(store, number) }
        #expect(try store.spaceUse().evictable > 20_000)
        try await putCollection(store, 99, rows: 700)
        #expect(try stored(store).contains("page 1099"))
        #expect(try size(store) <= 60_000)
        let failure = await #expect(throws: StoreError.self) { try await putCollection(store, 98, rows: 2_000) }
        guard case .full(let shortage)? = failure else {
            Issue.record("not full: \(String(describing: failure))")
            return
        }
        #expect(shortage.use.evictable == 0)
        #expect(try store.findings() == [])
        try store.close()
    }

    @Test func `are evicted behind an unreadable key`() async throws {
        var store = try directory.open()
        for number in 0..<12 { try await putCollection(store, number) }
        let numbers = try store.read { view in try view.collections().map(\.number) }.sorted()
        try await store.write { [name = name(5)] transaction in _ = try transaction.removeCollection(name) }
        try store.close()
        let raw = try RawStore(directory.path)
        let key = CollectionKey.prefix(number: numbers[5]) + [0x02, 0x78, 0x00]
        try raw.replace([], by: [RawRecord(table: .collections, key: key, value: [1, 2, 3])])
        try raw.close()
        store = try directory.open()
        #expect(try await store.sweepCollections(before: 6) == 11)
        #expect(try stored(store) == [])
        try store.close()
    }

    @Test func `are swept by age, and their rows are kept`() async throws {
        let store = try directory.open()
        try await store.put([key(1)])
        for number in 0..<100 { try await putCollection(store, number, at: Int64(number)) }
        try await store.write { [name = name(3)] transaction in
            try transaction.confirmCollection(name, fetchedAt: 500)
        }
        #expect(try await store.sweepCollections(before: 90) == 89)
        #expect(try stored(store) == Set((1090..<1100).map { "page \($0)" } + ["page 1003"]))
        #expect(try await store.sweepCollections(before: 90) == 0)
        #expect(try store.keys(.all(of: translations)) == ["1"])
        #expect(try store.findings() == [])
        try store.close()
    }
}

@Suite struct `Collections in a store without a cap` {
    private let directory = TemporaryStore()
    private static let day: Int64 = 86_400_000
    private static let now = 1_800_000_000_000 as Int64

    private func stored(after options: StoreOptions) async throws -> [String] {
        let store = try directory.open(options)
        for age in [1, 181, 183, 400] as [Int64] {
            try await store.write { transaction in
                try transaction.putCollection(
                    CollectionName(class: "translation", query: "\(age) days ago"), rows: [key(1)], home: translations,
                    fetchedAt: Self.now - age * Self.day)
            }
        }
        try await store.sweep(now: Self.now)
        let remaining = try store.read { view in try view.collections() }.map(\.name.query)
        #expect(try store.findings() == [])
        try store.close()
        return remaining.sorted()
    }

    @Test func `are swept half a year after the server last sent them`() async throws {
        #expect(try await stored(after: StoreOptions()) == ["1 days ago", "181 days ago"])
    }

    @Test func `are swept at the age that the host names, or never`() async throws {
        #expect(try await stored(after: StoreOptions(collectionAge: nil)).count == 4)
        #expect(try await stored(after: StoreOptions(collectionAge: .seconds(2 * 86_400))) == ["1 days ago"])
        #expect(try await stored(after: StoreOptions(collectionAge: .seconds(Int64.max))).count == 4)
    }
}

@Suite struct `Records of rows fetched by themselves` {
    private let directory = TemporaryStore()

    private func fetch(_ store: Store, _ rows: [RowKey]) async throws {
        try await store.put(rows)
        try await store.write { transaction in
            for row in rows {
                try transaction.putSingleAnswer(at: row, validators: Validators(entityTag: "\"1\""), fetchedAt: 9)
            }
        }
    }

    @Test(arguments: ["removed", "evicted", "withdrawn", "replaced"])
    func `are removed with the rows`(way: String) async throws {
        let store = try directory.open()
        try await fetch(store, (1...5).map { key($0) } + [key(1, tafsirs)])
        #expect(try store.recordCount(of: .collections) == 6)
        switch way {
        case "removed":
            try await store.write { transaction in for row in 1...5 { try transaction.removeRow(at: key(row)) } }
        case "evicted": try await store.write { try $0.evict(translations) }
        case "withdrawn": try await store.write { try $0.withdraw(translations, at: ServerPosition(0, 1), as: .hidden) }
        default: try await store.replace(translations, with: [(key(1), bytes("new"))])
        }
        for row in 1...5 { #expect(try store.read { view in try view.singleAnswer(at: key(row)) } == nil) }
        #expect(try store.read { view in try view.singleAnswer(at: key(1, tafsirs)) } != nil)
        try await store.reclaim()
        #expect(try store.recordCount(of: .collections) == 1)
        #expect(try store.findings() == [])
        try store.close()
    }

    @Test(arguments: ["evicted", "withdrawn", "replaced"])
    func `are removed after the commit that discards the rows, however many there are`(way: String) async throws {
        let store = try directory.open()
        try await fetch(store, (0..<2_000).map { key($0) })
        let change = try await store.write { transaction in
            let staging = try transaction.beginStaging(translations, store.shared.lease.begin())
            let before = transaction.sizeDelta
            switch way {
            case "evicted": try transaction.evict(translations, reason: .host)
            case "withdrawn": try transaction.withdraw(translations, at: ServerPosition(0, 1), as: .hidden)
            default: _ = try transaction.swap(staging, withEntriesOf: []) { _, _ in }
            }
            let answer = try transaction.singleAnswer(at: key(1))
            return (size: transaction.sizeDelta - before, answer: answer)
        }
        #expect(abs(change.size) < 1_000)
        // Not yet removed, and not believed.
        #expect(change.answer == nil)
        #expect(try store.read { view in try view.singleAnswer(at: key(1)) } == nil)
        try await fetch(store, [key(1)])
        try await store.reclaim()
        #expect(try store.recordCount(of: .collections) == 1)
        #expect(try store.read { view in try view.singleAnswer(at: key(1))?.fetchedAt } == 9)
        #expect(try store.findings() == [])
        try store.close()
    }
}
