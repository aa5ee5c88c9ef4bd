// Proves by counting that a search after changes reads only the changed rows, and stays within the cap.
// finds the same as an index of words that was made anew.

import Foundation
import LarderFormat
import LarderQuery
import LarderStore
import LarderTesting
import Testing

@Suite struct `The first search after a change` {
    private static let type = "item"

    private static func payload(_ index: Int) -> String { #"{"title": "row \#(index)", "text": "word\#(index % 97)"}"# }

    private static func filled(_ count: Int) async throws -> QueryStore {
        let fixture = try QueryStore()
        try await fixture.store.replace(items, appliedSequence: 1) { writer in
            for index in 0..<count {
                try await writer.append(Array(payload(index).utf8), type: type, key: "\(index)", updatedAt: 1)
            }
        }
        return fixture
    }

    private static func query(_ store: Store) throws -> StoreQuery {
        try StoreQuery(store, tables: [`A search for words`.table()])
    }

    private static func table(_ empty: String) throws -> TableDefinition {
        try TableDefinition(
            "items", of: .group(items.group), type: type,
            columns: [ColumnDefinition("title"), ColumnDefinition("body", path: "$.text"), ColumnDefinition(empty)],
            searched: [SearchField("title"), SearchField("body"), SearchField(empty)])
    }

    /// 1000 and 20,000 rows; the environment's `SEARCH_ROWS` asks for another number in the place of the latter.
    private static let most =
        ProcessInfo.processInfo.environment["SEARCH_ROWS"].flatMap { Int($0) } ?? 20_000

    @Test func `reads as many rows of a large resource as of a small one`() async throws {
        var facts: [QueryFacts] = []
        for count in [1000, Self.most] {
            let fixture = try await Self.filled(count)
            let query = try Self.query(fixture.store)
            let first = try query.search("items", .words("comet"))
            #expect(first.isEmpty)
            #expect(first.facts.rowsVisited == count)
            #expect(first.facts.rowsIndexed == count)
            try fixture.put([("500", #"{"title": "comet"}"#)], type: Self.type)
            let second = try query.search("items", .words("comet"))
            #expect(second.map(\.object.key.key) == ["500"])
            facts.append(second.facts)
            #expect(try query.search("items", .words("comet")).facts.rowsVisited == 1)
        }
        // The row that was changed, and the row that is found.
        #expect(facts[0].rowsVisited == 2)
        #expect(facts[0].rowsIndexed == 1)
        #expect(facts[1] == facts[0])
    }

    @Test func `reads what was changed since the store was opened, before the search as well`() async throws {
        let fixture = try await Self.filled(500)
        #expect(try Self.query(fixture.store).search("items", .words("word3")).count == 6)
        try fixture.store.close()
        let store = try Store.open(at: fixture.path, host: fixture.store.host)
        defer { try? store.close() }
        for index in 0..<3 {
            try await store.write { transaction in
                let key = RowKey(resource: items, type: Self.type, key: "\(index)")
                try transaction.put(Array(#"{"title": "comet"}"#.utf8), at: key, updatedAt: 2)
                try transaction.removeRow(at: RowKey(resource: items, type: Self.type, key: "1\(index)0"))
                // Rows of another type have no words here, and change the digest.
                let other = RowKey(resource: items, type: "other", key: "\(index)")
                try transaction.put(Array("{}".utf8), at: other, updatedAt: 2)
            }
        }
        let found = try Self.query(store).search("items", .words("comet"))
        #expect(found.map(\.object.key.key) == ["0", "1", "2"])
        #expect(found.facts.rowsVisited == 9)
        #expect(found.facts.rowsIndexed == 3)
        #expect(try Self.query(store).search("items", .words("word3")).map(\.object.key.key).contains("100") == false)
    }

    @Test func `compares all rows where more were changed than are tracked`() async throws {
        let fixture = try await Self.filled(6000)
        let query = try Self.query(fixture.store)
        _ = try query.search("items", .words("row"), SearchOptions(limit: 1))
        try fixture.put((0..<5000).map { ("\($0)", #"{"title": "comet"}"#) }, type: Self.type)
        let found = try query.search("items", .words("comet"), SearchOptions(limit: 1))
        #expect(found.facts.rowsVisited == 6001)
        #expect(found.facts.rowsIndexed == 5000)
        #expect(try query.search("items", .words("comet"), SearchOptions(limit: .max)).count == 5000)
    }

    @Test func `indexes only the rows of a snapshot whose words are new`() async throws {
        let fixture = try await Self.filled(300)
        let query = try Self.query(fixture.store)
        _ = try query.search("items", .words("row"))
        try await fixture.store.replace(items, appliedSequence: 2) { writer in
            for index in 1..<301 {
                let payload = index == 7 ? #"{"title": "comet"}"# : Self.payload(index)
                try await writer.append(Array(payload.utf8), type: Self.type, key: "\(index)", updatedAt: 2)
            }
        }
        let found = try query.search("items", .words("comet"))
        #expect(found.map(\.object.key.key) == ["7"])
        #expect(found.facts.rowsIndexed == 2)
        #expect(try query.search("items", .words("row"), SearchOptions(limit: .max)).count == 299)
        #expect(try query.search("items", .raw(#""row 0""#)).isEmpty)
    }

    @Test(arguments: [1, 2, 3, 4] as [UInt64])
    func `finds what a rebuilt index finds`(seed: UInt64) async throws {
        var random = SeededGenerator(seed: seed)
        let fixture = try await Self.filled(40)
        let (left, right) = (items, ResourceKey(items.group, 2))
        let query = try StoreQuery(fixture.store, tables: [Self.table("none")])
        for step in 0..<60 {
            let resource = Bool.random(using: &random) ? left : right
            let key = RowKey(
                resource: resource, type: Int.random(in: 0..<6, using: &random) == 0 ? "other" : Self.type,
                key: "\(Int.random(in: 0..<60, using: &random))")
            let payload = Array(#"{"title": "common word\#(Int.random(in: 0..<5, using: &random))"}"#.utf8)
            switch Int.random(in: 0..<12, using: &random) {
            case 0:
                try await fixture.store.replace(resource, appliedSequence: Int64(step) + 2) { writer in
                    try await writer.append(payload, type: Self.type, key: key.key, updatedAt: 1)
                }
            case 1: _ = try await fixture.store.write { try $0.evict(resource) }
            case 2: try await fixture.store.write { _ = try $0.applyOverlay(.removal, at: key, updatedAt: 3) }
            case 3:
                try await fixture.store.write { _ = try $0.applyOverlay(.replacement(payload), at: key, updatedAt: 3) }
            case 4...6: try await fixture.store.write { _ = try $0.removeRow(at: key) }
            default: try await fixture.store.write { try $0.put(payload, at: key, updatedAt: 2) }
            }
            if Bool.random(using: &random) { continue }
            // A column without any words makes it another definition, whose words are read now.
            let fresh = try StoreQuery(fixture.store, tables: [Self.table("none\(step)")])
            for word in ["common", "word1", "row"] {
                let options = SearchOptions(limit: .max, snippetWords: nil)
                let found = try query.search("items", .words(word), options)
                let expected = try fresh.search("items", .words(word), options)
                func scores(_ hits: QueryResults<SearchHit>) -> [RowKey: Double] {
                    Dictionary(uniqueKeysWithValues: hits.map { ($0.object.key, $0.score) })
                }
                #expect(scores(found) == scores(expected), "seed \(seed), step \(step), \(word)")
            }
        }
    }
}

@Suite struct `The words of a store with a cap` {
    private static let cap: Int64 = 2 << 20

    private static func text(_ index: Int, _ random: inout SeededGenerator) -> [UInt8] {
        let words = (0..<20).map { _ in "w\(Int.random(in: 0..<100_000, using: &random))" }
        return Array(#"{"title": "common \#(words.joined(separator: " "))"}"#.utf8)
    }

    private static func put(_ count: Int, in resource: ResourceKey, _ fixture: QueryStore) async throws {
        try await fixture.store.replace(resource, appliedSequence: 1) { writer in
            var random = SeededGenerator(seed: UInt64(resource.id))
            for index in 0..<count {
                try await writer.append(text(index, &random), type: "item", key: "\(index)", updatedAt: 1)
            }
        }
    }

    private func size(_ fixture: QueryStore) throws -> Int64 {
        let path = fixture.path + "/search.sqlite"
        let words = try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int64 ?? 0
        return try words + fixture.store.spaceUse().stored
    }

    @Test func `count for it, and unused content is evicted for them`() async throws {
        let fixture = try QueryStore(cap: Self.cap)
        let other = ResourceKey("others", 1)
        try await Self.put(7500, in: other, fixture)
        try await Self.put(1500, in: items, fixture)
        let query = try StoreQuery(fixture.store, tables: [`A search for words`.table()])
        #expect(try query.search("items", .words("common"), SearchOptions(limit: .max)).count == 1500)
        // Behind what the search has had done.
        try await fixture.store.write { _ in }
        #expect(try size(fixture) <= Self.cap)
        #expect(try fixture.store.read { try $0.resource(other)?.state } == .evicted)
        #expect(try query.search("items", .words("common"), SearchOptions(limit: .max)).count == 1500)
    }

    @Test func `use up to half of it`() async throws {
        let fixture = try QueryStore(cap: Self.cap)
        try await Self.put(5000, in: items, fixture)
        let query = try StoreQuery(fixture.store, tables: [`A search for words`.table()])
        #expect(throws: QueryError.searchUnavailable(message: "they need more than half of the store's size limit")) {
            try query.search("items", .words("common"))
        }
        #expect(try size(fixture) <= Self.cap)
        try await Self.put(10, in: items, fixture)
        #expect(try query.search("items", .words("common")).count == 10)
    }
}
