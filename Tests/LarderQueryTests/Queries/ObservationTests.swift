// Proves that an observer of a query gets its result, and each other result after it.

import LarderFormat
import LarderQuery
import LarderStore
import Testing

@Suite struct `An observed query` {
    private let fixture: QueryStore
    private let query: StoreQuery

    init() throws {
        fixture = try QueryStore()
        try fixture.put([("1", #"{"price": 5}"#)])
        query = try StoreQuery(fixture.store, tables: [itemTable()])
    }

    @Test func `gives its result at once and after each commit that changes it`() async throws {
        var answers = query.answers(to: "SELECT key FROM items WHERE price < ?", [10]).makeAsyncIterator()
        #expect(try await answers.next()?.rows.map(\.values) == [["1"]])
        // Neither another resource nor another row changes the answer.
        try fixture.put([("9", #"{"price": 1}"#)], in: ResourceKey("others", 1))
        try fixture.put([("2", #"{"price": 50}"#)])
        try fixture.put([("2", #"{"price": 2}"#)])
        #expect(try await answers.next()?.rows.map(\.values) == [["1"], ["2"]])
        try fixture.store.writeBlocking { transaction in
            try transaction.applyOverlay(.removal, at: RowKey(resource: items, type: "item", key: "1"), updatedAt: 2)
        }
        #expect(try await answers.next()?.rows.map(\.values) == [["2"]])
    }

    @Test func `ends with the store, and throws what the query throws`() async throws {
        var wrong = query.answers(to: "SELECT nothing FROM items").makeAsyncIterator()
        await #expect(throws: QueryError.self) { try await wrong.next() }
        var answers = query.answers(to: "SELECT key FROM items").makeAsyncIterator()
        #expect(try await answers.next() != nil)
        try fixture.store.close()
        #expect(try await answers.next() == nil)
    }

    @Test func `about collections gives its result again after a change of one`() async throws {
        var answers = query.answers(to: "SELECT count(*) FROM Collection_Members").makeAsyncIterator()
        #expect(try await answers.next()?.rows[0][0] == 0)
        try fixture.store.writeBlocking { transaction in
            try transaction.putCollection(
                CollectionName(class: "item", query: ""), rows: [RowKey(resource: items, type: "item", key: "1")],
                home: items, fetchedAt: 1)
        }
        #expect(try await answers.next()?.rows[0][0] == 1)
    }
}
