// Proves that a word search ranks, completes and pages rows, local writes included, and is exact after changes.

import Foundation
import LarderFormat
import LarderQuery
import LarderStore
import LarderTesting
import Testing

@Suite struct `A search for words` {
    private let fixture: QueryStore
    private let query: StoreQuery

    init() throws {
        fixture = try QueryStore()
        try fixture.put(
            [
                ("1", #"{"title": "The light", "text": "Light upon light, and a lamp."}"#),
                ("2", #"{"title": "The cave", "text": "Sleepers in a cave; the dog at the door."}"#),
                ("3", #"{"title": "Dawn", "text": "A lamp at d\u00e9j\u00e0 vu."}"#),
                ("4", #"{"title": null, "text": 42}"#),
            ])
        query = try StoreQuery(fixture.store, tables: [Self.table()])
    }

    static func table(
        of scope: TableDefinition.Scope = .resource(items), tokenizer: Tokenizer = .words,
        isPersistent: @escaping @Sendable () -> Bool = { true }
    ) throws -> TableDefinition {
        try TableDefinition(
            "items", of: scope, type: "item",
            columns: [ColumnDefinition("title"), ColumnDefinition("body", path: "$.text")],
            searched: [SearchField("title", weight: 5), SearchField("body")], tokenizer: tokenizer,
            isPersistent: isPersistent)
    }

    private func keys(_ text: SearchText, _ options: SearchOptions = SearchOptions()) throws -> [String] {
        try query.search("items", text, options).map(\.object.key.key)
    }

    @Test func `finds the rows that have every word, the best first`() throws {
        #expect(try keys(.words("lamp")) == ["3", "1"])
        #expect(try keys(.words("LIGHT lamp")) == ["1"])
        #expect(try keys(.words("light cave")) == [])
        #expect(try keys(.words("42")) == ["4"])
        #expect(try keys(.words("deja")) == ["3"])
        let hit = try #require(try query.search("items", .words("light")).first)
        #expect(hit.score > 0)
        #expect(hit.object.key == RowKey(resource: items, type: "item", key: "1"))
        #expect(String(decoding: hit.object.payload, as: UTF8.self).contains("The light"))
    }

    @Test func `ranks a word in a title higher`() throws {
        try fixture.put([("5", #"{"title": "Cave", "text": "No word."}"#), ("6", #"{"title": "No", "text": "cave"}"#)])
        #expect(try keys(.words("cave")) == ["5", "2", "6"])
    }

    @Test func `completes the last word while it is typed`() throws {
        #expect(try keys(.words("sl")) == [])
        #expect(try keys(.words("sl", completesLast: true)) == ["2"])
        #expect(try keys(.words("sl cave", completesLast: true)) == [])
    }

    @Test func `shows where the words are`() throws {
        let marked = try query.search(
            "items", .words("dog"), SearchOptions(opening: "<b>", closing: "</b>", snippetWords: 4))
        #expect(marked.first?.snippet?.contains("<b>dog</b>") == true)
        #expect(try query.search("items", .words("dog"), SearchOptions(snippetWords: nil)).first?.snippet == nil)
    }

    @Test(
        arguments: [
            "", " ", "\"", "*", "a\"b", "AND", "OR NOT", "NEAR(", "title:", "^", "-", "--", "'; DROP", "(", "{}", "a*b",
            "\u{0}", "light\u{0}", "é\u{301}", "💡", "col:light", "+", "\\",
        ])
    func `accepts whatever a person types`(text: String) throws {
        _ = try keys(.words(text))
        _ = try keys(.words(text, completesLast: true))
    }

    @Test func `understands the full syntax when requested`() throws {
        #expect(try keys(.raw("lamp NOT light")) == ["3"])
        #expect(try keys(.raw("cave OR dawn")).sorted() == ["2", "3"])
        #expect(try keys(.raw(#""light upon""#)) == ["1"])
        #expect(try keys(.raw("c0 : light")) == ["1"])
        #expect {
            try keys(.raw("light AND"))
        } throws: { error in
            if case .syntax = error as? QueryError { true } else { false }
        }
    }

    @Test func `is exact after every change`() throws {
        #expect(try keys(.words("lamp")).count == 2)
        try fixture.put([("3", #"{"title": "Dusk"}"#), ("7", #"{"text": "another lamp"}"#)])
        #expect(try keys(.words("lamp")).sorted() == ["1", "7"])
        #expect(try keys(.words("dusk")) == ["3"])
        #expect(try keys(.words("dawn")) == [])
        _ = try fixture.store.writeBlocking { transaction in
            try transaction.removeRow(at: RowKey(resource: items, type: "item", key: "1"))
        }
        #expect(try keys(.words("lamp")) == ["7"])
    }

    @Test func `finds local writes in place of the rows they cover`() throws {
        func at(_ key: String) -> RowKey { RowKey(resource: items, type: "item", key: key) }
        let added = try fixture.store.writeBlocking { transaction in
            try transaction.applyOverlay(.replacement(Array(#"{"title": "torch"}"#.utf8)), at: at("1"), updatedAt: 2)
            try transaction.applyOverlay(.removal, at: at("3"), updatedAt: 2)
            return try transaction.applyOverlay(
                .replacement(Array(#"{"text": "a lamp"}"#.utf8)), at: at("8"), updatedAt: 2)
        }
        #expect(try keys(.words("lamp")) == ["8"])
        #expect(try keys(.words("torch")) == ["1"])
        #expect(try keys(.words("light")) == [])
        _ = try fixture.store.writeBlocking { transaction in
            try transaction.removeOverlay(at: at("8"), sequence: added)
        }
        #expect(try keys(.words("lamp")) == [])
    }

    @Test func `sees the read view it runs in`() throws {
        let found = try fixture.store.read { _ in
            let before = try keys(.words("comet"))
            let other = OtherThread { [fixture] in try? fixture.put([("9", #"{"text": "a comet"}"#)]) }
            other.join()
            return try before + keys(.words("comet"))
        }
        #expect(found == [])
        #expect(try keys(.words("comet")) == ["9"])
    }

    @Test func `pages through its hits`() throws {
        try fixture.put((10..<40).map { ("\($0)", #"{"text": "many words \#($0)"}"#) })
        var all: [String] = []
        for offset in stride(from: 0, to: 40, by: 7) {
            all += try keys(.words("many"), SearchOptions(limit: 7, offset: offset))
        }
        #expect(Set(all).count == 30)
        #expect(all.count == 30)
        #expect(try keys(.words("many"), SearchOptions(limit: 0)) == [])
        #expect(try keys(.words("many"), SearchOptions(limit: .max, offset: 29)).count == 1)
    }

    @Test func `pages through rows of one score, whatever the order in which they came`() throws {
        for index in (10..<40).reversed() { try fixture.put([("\(index)", #"{"text": "many words"}"#)]) }
        let pages = try stride(from: 0, to: 30, by: 7).map { offset in
            try keys(.words("many"), SearchOptions(limit: 7, offset: offset))
        }
        #expect(Set(pages.joined()).count == 30)
    }

    /// "rare" is in one of many small rows, and in most of few: by its own resource's measure it counts for less there.
    @Test func `of a group ranks the rows of all resources in one corpus`() throws {
        let (large, small) = (ResourceKey("books", 1), ResourceKey("books", 2))
        let fillers = (0..<400).map { ("\($0)", #"{"text": "plain filler text"}"#) }
        try fixture.put(fillers + [("a", #"{"text": "rare filler text and a few more"}"#)], in: large)
        try fixture.put((0..<9).map { ("\($0)", #"{"text": "rare"}"#) } + [("9", #"{"text": "plain"}"#)], in: small)
        let group = try StoreQuery(fixture.store, tables: [Self.table(of: .group("books"))])
        let found = try group.search("items", .words("rare"), SearchOptions(limit: 100))
        #expect(found.count == 10)
        // The longest row of those with the word comes last, though it is the only one of its resource.
        #expect(found.last?.object.key == RowKey(resource: large, type: "item", key: "a"))
        #expect(Set(found.dropLast().map(\.score)).count == 1)
        // The same rows in one resource have the same scores.
        let one = ResourceKey("all", 1)
        try fixture.put(
            fillers.map { ("1-" + $0.0, $0.1) } + [("1-a", #"{"text": "rare filler text and a few more"}"#)], in: one)
        try fixture.put((0..<9).map { ("2-\($0)", #"{"text": "rare"}"#) } + [("2-9", #"{"text": "plain"}"#)], in: one)
        let together = try StoreQuery(fixture.store, tables: [Self.table(of: .resource(one))])
        let expected = try together.search("items", .words("rare"), SearchOptions(limit: 100))
        #expect(found.map(\.score) == expected.map(\.score))
        // Of one resource alone the scores are its own.
        let alone = try StoreQuery(fixture.store, tables: [Self.table(of: .resource(small))])
        #expect(try alone.search("items", .words("rare")).first.map(\.score) != found.first?.score)
        // It has words of its own, and does not take those of the group away.
        #expect(try group.search("items", .words("rare")).facts.rowsIndexed == 0)
    }

    @Test func `of a group drops a removed resource, and no longer counts it`() async throws {
        let (first, second) = (ResourceKey("books", 1), ResourceKey("books", 2))
        try fixture.put([("1", #"{"text": "rare"}"#), ("2", #"{"text": "plain"}"#)], in: first)
        let group = try StoreQuery(fixture.store, tables: [Self.table(of: .group("books"))])
        let before = try group.search("items", .words("rare")).map(\.score)
        try fixture.put((0..<9).map { ("\($0)", #"{"text": "rare secret"}"#) }, in: second)
        #expect(try group.search("items", .words("rare"), SearchOptions(limit: 100)).count == 10)
        _ = try await fixture.store.write { try $0.evict(second) }
        #expect(try group.search("items", .words("rare")).map(\.score) == before)
        #expect(try group.search("items", .words("secret")).isEmpty)
    }

    @Test func `does not find objects held in memory only`() throws {
        let query = try StoreQuery(fixture.store, tables: [Self.table(isPersistent: { false })])
        #expect(throws: QueryError.memoryOnly(table: "items")) { try query.search("items", .words("lamp")) }
        #expect(throws: QueryError.unknownTable("nowhere", offset: nil)) {
            try query.search("nowhere", .words("lamp"))
        }
    }

    @Test func `can match parts of words, or their stems`() throws {
        let parts = try StoreQuery(fixture.store, tables: [Self.table(tokenizer: .trigrams)])
        #expect(try parts.search("items", .words("leeper")).map(\.object.key.key) == ["2"])
        let stems = try StoreQuery(fixture.store, tables: [Self.table(tokenizer: .englishStems)])
        #expect(try stems.search("items", .words("sleeper")).map(\.object.key.key) == ["2"])
        #expect(try keys(.words("sleeper")) == [])
    }
}
