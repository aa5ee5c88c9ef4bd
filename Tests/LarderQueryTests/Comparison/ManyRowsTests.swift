import LarderFormat
import LarderJSON
import LarderQuery
import LarderStore
import Testing

@Suite struct `A hundred thousand rows` {
    private static let count = 100_000

    @Test func `are asked by an indexed field for the rows that match, and no others are read`() async throws {
        let fixture = try QueryStore()
        try await fixture.store.declareIndex(
            IndexDefinition(
                name: "by price", group: items.group, type: "item", path: #require(JSONPath("$.price"))))
        try await fixture.store.replace(items, floor: 1) { writer in
            for index in 0..<Self.count {
                // Every price but 999 is that of 100 rows or more.
                let price = index == 77_777 ? 999 : index % 900
                try await writer.append(
                    Array(#"{"price":\#(price)}"#.utf8), type: "item", key: "\(index)", updatedAt: 1)
            }
        }
        let query = try StoreQuery(fixture.store, tables: [itemTable()])
        for (condition, matches) in [
            ("price = 999", 1), ("price = 899", 111), ("price > 898 AND price <= 1000", 112),
            ("price IN (5, 999)", 113),
            ("price = 1e9", 0),
        ] {
            let answer = try query.rows("SELECT key FROM items WHERE \(condition)")
            #expect(answer.rows.count == matches)
            #expect(answer.facts.rowsVisited == matches)
            #expect(answer.facts.uses.map(\.access) == [.index("by price")])
        }
        let dearest = try query.rows("SELECT key, price FROM items ORDER BY price DESC LIMIT 1")
        #expect(dearest.rows.map(\.values) == [["77777", 999]])
        #expect(dearest.facts.rowsVisited <= 4)
    }
}
