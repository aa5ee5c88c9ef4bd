// Proves that an app can import Foundation, Larder and LarderQuery in one file and name their types without a module.

import Foundation
import Larder
import LarderHTTP
import LarderQuery
import Testing

@Suite struct `A file that imports Larder and LarderQuery` {
    private struct Article {
        let price: Int
    }

    @Test func `names the types of both, and Foundation's`() throws {
        let stored = StoredObject(name: ObjectName(class: "Articles", id: "1"), updatedAt: 1, payload: [])
        #expect(stored.updatedAt == 1)
        let cheap = #Predicate<Article> { $0.price < 50 }
        let predicate: Predicate<Article> = cheap
        #expect(try predicate.evaluate(Article(price: 40)))
        let condition: QueryPredicate = .less("price", 50)
        let order: Order = .ascending("price")
        let run: (StoreQuery) throws -> QueryResults<QueryObject> = { query in
            try query.objects(of: "articles", where: condition, order: [order])
        }
        _ = run
    }
}
