// Proves that the examples in the doc comments of SQL queries compile.

import LarderFormat
import LarderQuery
import LarderStore

private func storeQueryExample(store: Store) throws {
    // Example of StoreQuery
    let chapters = try TableDefinition(
        "chapters", of: .group("chapters"), type: "chapter",
        columns: [ColumnDefinition("name", collation: .nocase), ColumnDefinition("verses", path: "$.verses_count")])
    let query = try StoreQuery(store, tables: [chapters])
    let long = try query.rows("SELECT name FROM chapters WHERE verses > ? ORDER BY name", [200])
    for row in long.rows { print(row["name"]?.text ?? "") }
    // End of example
}

private func queryPredicateExample(query: StoreQuery) throws {
    // Example of QueryPredicate
    let cheap = try query.objects(
        of: "products", where: .less("price", 50) && .hasPrefix("name", "a"), order: [.ascending("price")])
    for product in cheap { print(product.key.key, product.payload.count) }
    // End of example
}

private func valueExample(query: StoreQuery) throws {
    // Example of SQLValue
    let values: [SQLValue] = [200, "The %"]  // .integer(200), .text("The %")
    let found = try query.rows("SELECT name, verses FROM chapters WHERE verses < ? AND name LIKE ?", values)
    for row in found.rows { print(row["name"]?.text ?? "", row["verses"]?.integer ?? 0) }
    // End of example
}
