// Proves that entries are written in their own order, whenever they are built, and that they are those of the rows, whatever is
// changed while they are.

import LarderEngine
import LarderFormat
import LarderJSON
import Testing

@testable import LarderStore

@Suite struct `Index entries of existing rows` {
    private let temporary = TemporaryStore()
    private let other = TemporaryStore()

    /// Rows whose prices are in no order.
    private static func rows(_ count: Int) -> [(key: RowKey, payload: [UInt8])] {
        var random = SeededGenerator(seed: 7)
        return (1...count).map { (key($0), priced("\"\(Int.random(in: 0..<1_000_000, using: &random)) and more\"")) }
    }

    /// How full the pages of the table `indexes` are, between 0 and 1; LMDB adds 8 bytes to an entry and 2 for its place.
    private func fill(_ store: Store) throws -> Double {
        var bytes = 0
        try store.read { view in
            var last: [UInt8]?
            while case let page = try view.rawRecords(of: .indexes, after: last), let end = page.last {
                bytes += page.reduce(0) { $0 + $1.key.count + $1.value.count + 10 }
                last = end.key
            }
        }
        let statistics = try store.statistics()
        let pages = try #require(statistics.tables["indexes"]).leafPages
        return Double(bytes) / Double(pages * statistics.pageSize)
    }

    @Test func `fill their pages where an index is declared over the rows`() async throws {
        let store = try temporary.open()
        try await store.replace(translations, with: Self.rows(20_000))
        try await store.declareIndex(priceIndex)
        let fill = try fill(store)
        #expect(fill > 0.9, "pages are full to \(fill)")
        #expect(try store.keys(of: "price").count == 20_000)
        #expect(try store.findings() == [])
    }

    @Test func `are those of the name that was declared, byte for byte`() async throws {
        let store = try temporary.open()
        try await store.replace(translations, with: Self.rows(3))
        for name in ["caf\u{E9}", "cafe\u{301}"] {
            var index = priceIndex
            index.name = name
            try await store.declareIndex(index)
            #expect(try store.keys(of: name).count == 3)
        }
        #expect(try store.read { view in try view.indexes().count } == 2)
    }

    @Test func `fill their pages where a snapshot comes later`() async throws {
        let store = try temporary.open()
        try await store.declareIndex(priceIndex)
        var other = priceIndex
        other.name = "other"
        try await store.declareIndex(other)
        try await store.replace(translations, with: Self.rows(20_000))
        let fill = try fill(store)
        #expect(fill > 0.9, "pages are full to \(fill)")
        #expect(try store.keys(of: "other") == store.keys(of: "price"))
        #expect(try store.findings() == [])
    }

    @Test func `of several indexes are those of each alone, in local rows and long values too`() async throws {
        let verse = ResourceKey("verses", 1)
        let long = IndexDefinition(name: "long", group: "translations", type: "translation", path: JSONPath("$.q")!)
        var caseless = long
        (caseless.name, caseless.collation) = ("caseless", .nocase)
        let definitions = [
            priceIndex, long, caseless,
            IndexDefinition(name: "other type", group: "translations", type: "note", path: JSONPath("$.p")!),
            IndexDefinition(name: "other group", group: "verses", type: "translation", path: JSONPath("$.p")!),
        ]
        let stores = [try temporary.open(), try other.open()]
        for store in stores {
            var random = SeededGenerator(seed: 3)
            func payload() -> [UInt8] {
                let prices = ["1", "1.5", "-3", "null", "\"a\"", "\"\\u0000\"", "{\"z\": [1]}"]
                let price = prices.randomElement(using: &random)!
                let text = String(repeating: ["Ab", "aB", "é"].randomElement(using: &random)!, count: 99)
                return bytes(#"{"p":\#(price),"q":"\#(text)\#(Int.random(in: 0..<9, using: &random))"}"#)
            }
            let rows = (1...300).map { number in
                let name = number.isMultiple(of: 50) ? String(repeating: "k", count: 300 + number % 7) : "\(number)"
                let type = number.isMultiple(of: 3) ? "note" : "translation"
                return (key: RowKey(resource: translations, type: type, key: name), payload: payload())
            }
            try await store.replace(translations, with: rows.sorted { $0.key < $1.key })
            try await store.replace(verse, with: [(key("1", verse), payload())])
            let changes = rows.prefix(20).map { (key: $0.key, payload: payload()) }
            try await store.write { transaction in
                for change in changes {
                    _ = try transaction.applyOverlay(.replacement(change.payload), at: change.key, updatedAt: 1)
                }
            }
        }
        try await stores[0].declareIndexes(definitions)
        for definition in definitions { try await stores[1].declareIndex(definition) }
        for definition in definitions {
            let resource = definition.group == "verses" ? verse : translations
            let keys = try stores.map { try $0.keys(of: definition.name, in: resource) }
            #expect(keys[0] == keys[1], "\(definition.name)")
            #expect(!keys[0].isEmpty, "\(definition.name)")
        }
        for store in stores { #expect(try store.findings() == []) }
    }

    @Test func `of one type are complete where those of another cannot be read`() async throws {
        let verses = ResourceKey("verses", 1)
        let first = try temporary.open()
        try await first.replace(translations, with: Self.rows(3))
        let long = bytes(#"{"p":"\#(String(repeating: "a", count: 9000))"}"#)
        try await first.replace(verses, with: [(key("1", verses), long)])
        let generation = try first.read { view in
            try #require(try view.tables.resource(verses, in: view.transaction)?.liveGeneration)
        }
        try first.close()
        var place = KeyBuffer()
        try RowSource(owner: verses, generation: generation).appendKey(type: "translation", key: "1", to: &place)
        try damagePage(ofValueUnder: place.array(), in: temporary)
        let store = try temporary.open()
        let other = IndexDefinition(name: "other", group: "verses", type: "translation", path: JSONPath("$.p")!)
        await #expect(throws: (any Error).self) { try await store.declareIndexes([other, priceIndex]) }
        let states = try store.read { view in
            Dictionary(uniqueKeysWithValues: try view.indexes().map { ($0.definition.name, $0.state) })
        }
        #expect(states == ["price": .ready, "other": .building])
        #expect(try store.keys(of: "price").count == 3)
        try store.close()
    }

    @Test func `of one index are complete where another of the same declaration is removed meanwhile`() async throws {
        for round in 0..<5 {
            let directory = TemporaryStore()
            defer { withExtendedLifetime(directory) {} }
            let store = try directory.open()
            try await store.replace(translations, with: Self.rows(2_000))
            var removed = priceIndex
            removed.name = "removed"
            let definitions = [removed, priceIndex]
            async let declared: Void = store.declareIndexes(definitions)
            for _ in 0..<round { await Task.yield() }
            try await store.removeIndex(named: "removed")
            try await declared
            #expect(try store.read { view in try view.index(named: "price")?.state } == .ready)
            #expect(try store.keys(of: "price").count == 2_000)
            #expect(try store.findings() == [])
        }
    }

    @Test func `are those of the last of several definitions with one name`() async throws {
        let store = try temporary.open()
        let payloads = [bytes(#"{"p":1,"q":2}"#), bytes(#"{"p":2,"q":1}"#)]
        try await store.replace(translations, with: [(key(1), payloads[0]), (key(2), payloads[1])])
        var last = priceIndex
        last.path = JSONPath("$.q")!
        try await store.declareIndexes([priceIndex, last])
        #expect(try store.keys(of: "price") == ["2", "1"])
        #expect(try store.findings() == [])
    }

    @Test func `match rows that are changed while they are written`() async throws {
        let store = try temporary.open()
        try await store.replace(translations, with: (1...9).map { (key($0), priced("\($0)")) })
        try await store.write { _ = try $0.applyOverlay(.replacement(priced("10")), at: key(20), updatedAt: 1) }
        let index = try await store.write { try $0.declareIndex(priceIndex) }
        let indexes = RowIndexes([index], type: priceIndex.type)
        let generation = try #require(try store.read { try $0.resource(translations)?.generation })
        for scope in [IndexEntryKey.Scope.generation(generation), .overlaid(translations)] {
            var build = IndexBuild(over: [IndexedRows(indexes, in: scope)])
            let run = try #require(try build.next(store))
            #expect(try build.next(store) == nil)
            try await store.write { transaction in
                try transaction.put(priced("100"), at: key(1), updatedAt: 2)
                try transaction.removeRow(at: key(2))
                try transaction.put(priced("5.5"), at: key(10), updatedAt: 2)
                _ = try transaction.applyOverlay(.replacement(priced("-1")), at: key(20), updatedAt: 1)
            }
            #expect(try await store.write { try $0.write(run, from: 0, isTimeUp: { false }) } == run.count)
        }
        try await store.write { try $0.finish(index) }
        #expect(try store.keys(of: "price") == ["20", "3", "4", "5", "10", "6", "7", "8", "9", "1"])
        #expect(try store.findings() == [])
    }

    @Test func `are not written for an index that is removed meanwhile`() async throws {
        let store = try temporary.open()
        try await store.replace(translations, with: Self.rows(10))
        let index = try await store.write { try $0.declareIndex(priceIndex) }
        let generation = try #require(try store.read { try $0.resource(translations)?.generation })
        let rows = IndexedRows(RowIndexes([index], type: priceIndex.type), in: .generation(generation))
        var build = IndexBuild(over: [rows])
        let run = try #require(try build.next(store))
        try await store.removeIndex(named: "price")
        #expect(try await store.write { try $0.write(run, from: 0, isTimeUp: { false }) } == nil)
        #expect(try await !store.writeEntries(of: IndexBuild(over: [rows])))
        try await store.reclaim()
        #expect(try store.read { view in try view.recordCount(of: .indexes) } == 0)
    }

    @Test func `of a snapshot match its last rows, also under an index declared meanwhile`() async throws {
        let store = try temporary.open()
        try await store.replace(translations, appliedSequence: 1) { writer in
            for number in 1...50 {
                try await writer.append(priced("\(number)"), type: "translation", key: "\(number)", updatedAt: 1)
            }
            try await writer.flush()
            try await store.declareIndex(priceIndex)
            for number in 1...10 {
                try await writer.append(priced("\(-number)"), type: "translation", key: "\(number)", updatedAt: 1)
            }
        }
        #expect(try store.keys(of: "price") == (1...10).reversed().map { "\($0)" } + (11...50).map { "\($0)" })
        #expect(try store.findings() == [])
    }

    @Test func `are rebuilt by a swap where an index was declared after the build`() async throws {
        let store = try temporary.open()
        let staging = try await store.beginStaging(translations)
        var batch = RowBatch(for: staging)
        try batch.append(priced("1").rawSpan, type: "translation", key: "1", updatedAt: 1)
        try await store.stage(batch, in: staging)
        _ = try await store.write { try $0.declareIndex(priceIndex) }
        #expect(try await store.write { try $0.swap(staging, withEntriesOf: []) { _, _ in } } == false)
        try await store.swap(staging) { _, _ in }
        try await store.declareIndex(priceIndex)
        #expect(try store.keys(of: "price") == ["1"])
        #expect(try store.findings() == [])
    }
}
