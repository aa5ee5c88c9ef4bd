// Proves that the stored answers of queries give way under a cap and by age, and that nothing of them outlives its use.

import LarderEngine
import LarderFormat
import Testing

@testable import LarderStore

@Suite struct `Collections in a store with a cap` {
    private let directory = TemporaryStore()

    private func name(_ number: Int) -> CollectionName {
        CollectionName(class: "translation", query: "page \(1000 + number)")
    }

    private func ask(_ store: Store, _ number: Int, rows: Int = 20, at time: Int64 = 5) async throws {
        let name = name(number)
        try await store.write(durability: .relaxed) { transaction in
            try transaction.putCollection(
                name, rows: (0..<rows).map { key($0) }, home: translations, fetchedAt: time)
        }
    }

    private func kept(_ store: Store) throws -> Set<String> {
        Set(try store.read { view in try view.collections() }.map(\.name.query))
    }

    @Test func `give way to ever new ones, and to other writes, and say how many`() async throws {
        let store = try directory.open(StoreOptions(sizeCap: 60_000))
        for number in 0..<300 {
            // A day apart.
            try await ask(store, number, at: 1_600_000_000_000 + Int64(number) * 86_400_000)
            #expect(try size(store) <= 60_000)
        }
        try await store.write { try $0.enqueue(draft(1)) }
        let kept = try kept(store)
        #expect(kept.contains("page 1299") && !kept.contains("page 1000"))
        #expect(kept.count > 5)
        let gone = try store.read { view in try view.evictions() }.reduce(0) { sum, eviction in
            guard case .collections(let count) = eviction.subject else { return -1000 }
            #expect(eviction.bytes > 0)
            return sum + count
        }
        #expect(gone + kept.count == 300)
        #expect(try store.findings() == [])
        try store.close()
    }

    @Test func `that were read lately get a second chance`() async throws {
        let store = try directory.open(StoreOptions(sizeCap: 60_000))
        for number in 0..<10 { try await ask(store, number, at: 5 + Int64(number)) }
        try store.read { view in
            let first = try #require(try view.collection(name(0)))
            _ = try view.rowKeys(of: first)
        }
        var number = 10
        while try kept(store).count == number {
            try await ask(store, number, at: 100)
            number += 1
        }
        #expect(try kept(store).contains("page 1000"))
        #expect(try !kept(store).contains("page 1001"))
        try store.close()
    }

    @Test func `make room for one that fits only alone, and count as what may be evicted`() async throws {
        let store = try directory.open(StoreOptions(sizeCap: 60_000))
        for number in 0..<20 { try await ask(store, number) }
        #expect(try store.spaceUse().evictable > 20_000)
        try await ask(store, 99, rows: 700)
        #expect(try kept(store).contains("page 1099"))
        #expect(try size(store) <= 60_000)
        let failure = await #expect(throws: StoreError.self) { try await ask(store, 98, rows: 2_000) }
        guard case .full(let shortage)? = failure else {
            Issue.record("not full: \(String(describing: failure))")
            return
        }
        #expect(shortage.use.evictable == 0)
        #expect(try store.findings() == [])
        try store.close()
    }

    @Test func `give way behind a key that cannot be read`() async throws {
        var store = try directory.open()
        for number in 0..<12 { try await ask(store, number) }
        let numbers = try store.read { view in try view.collections().map(\.number) }.sorted()
        try await store.write { [name = name(5)] transaction in _ = try transaction.removeCollection(name) }
        try store.close()
        let raw = try RawStore(directory.path)
        let key = CollectionKey.prefix(number: numbers[5]) + [0x02, 0x78, 0x00]
        try raw.replace([], by: [RawRecord(table: .collections, key: key, value: [1, 2, 3])])
        try raw.close()
        store = try directory.open()
        #expect(try await store.sweepCollections(before: 6) == 11)
        #expect(try kept(store) == [])
        try store.close()
    }

    @Test func `go by age when they are swept, and their rows stay`() async throws {
        let store = try directory.open()
        try await store.put([key(1)])
        for number in 0..<100 { try await ask(store, number, at: Int64(number)) }
        try await store.write { [name = name(3)] transaction in
            try transaction.confirmCollection(name, fetchedAt: 500)
        }
        #expect(try await store.sweepCollections(before: 90) == 89)
        #expect(try kept(store) == Set((1090..<1100).map { "page \($0)" } + ["page 1003"]))
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

    private func kept(after options: StoreOptions) async throws -> [String] {
        let store = try directory.open(options)
        for age in [1, 181, 183, 400] as [Int64] {
            try await store.write { transaction in
                try transaction.putCollection(
                    CollectionName(class: "translation", query: "\(age) days ago"), rows: [key(1)], home: translations,
                    fetchedAt: Self.now - age * Self.day)
            }
        }
        try await store.sweep(now: Self.now)
        let kept = try store.read { view in try view.collections() }.map(\.name.query)
        #expect(try store.findings() == [])
        try store.close()
        return kept.sorted()
    }

    @Test func `are swept half a year after the server last sent them`() async throws {
        #expect(try await kept(after: StoreOptions()) == ["1 days ago", "181 days ago"])
    }

    @Test func `are swept at the age that the host names, or never`() async throws {
        #expect(try await kept(after: StoreOptions(collectionAge: nil)).count == 4)
        #expect(try await kept(after: StoreOptions(collectionAge: .seconds(2 * 86_400))) == ["1 days ago"])
        #expect(try await kept(after: StoreOptions(collectionAge: .seconds(Int64.max))).count == 4)
    }
}

@Suite struct `How rows were fetched by themselves` {
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
    func `goes with the rows`(way: String) async throws {
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
    func `is removed behind the commit that gives the rows up, however much it is`(way: String) async throws {
        let store = try directory.open()
        try await fetch(store, (0..<2_000).map { key($0) })
        let change = try await store.write { transaction in
            let staging = try transaction.beginStaging(translations)
            let before = transaction.sizeDelta
            switch way {
            case "evicted": try transaction.evict(translations, because: .host)
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
