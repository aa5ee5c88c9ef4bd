// QueryStore: a store in a temporary directory with the rows that a test gives it.

import Foundation
import LarderFormat
import LarderQuery
import LarderStore
import LarderTesting

/// A store in a directory of its own, removed with the last reference, with the rows that a test gives it.
final class QueryStore: Sendable {
    let path: String
    let store: Store

    init(cap: Int64? = nil, _ change: (inout HostServices) -> Void = { _ in }) throws {
        path = FileManager.default.temporaryDirectory.path + "/larder-query-\(UUID().uuidString)"
        var host = HostServices.virtual(VirtualClock())
        change(&host)
        store = try Store.open(at: path, options: StoreOptions(sizeCap: cap), host: host)
    }

    deinit {
        try? store.close()
        try? FileManager.default.removeItem(atPath: path)
    }

    /// Puts rows of `type`, by key.
    func put(
        _ rows: [(key: String, payload: String)], type: String = "item", in resource: ResourceKey = items,
        updatedAt: Int64 = 1
    ) throws {
        try store.writeBlocking { transaction in
            for row in rows {
                try transaction.put(
                    Array(row.payload.utf8), at: RowKey(resource: resource, type: type, key: row.key),
                    updatedAt: updatedAt)
            }
        }
    }
}

let items = ResourceKey("items", 1)

/// The table of most tests: numbers, names and whatever else under `v`.
func itemTable(
    _ name: String = "items", of scope: TableDefinition.Scope = .resource(items), type: String = "item",
    isPersistent: @escaping @Sendable () -> Bool = { true }
) throws -> TableDefinition {
    try TableDefinition(
        name, of: scope, type: type,
        columns: [
            ColumnDefinition("price"), ColumnDefinition("name"),
            ColumnDefinition("title", path: "$.name", collation: .nocase), ColumnDefinition("v"),
            ColumnDefinition("city", path: "$.address.city"),
        ], isPersistent: isPersistent)
}

extension StoreQuery {
    /// The first column of an answer.
    func column(_ sql: String, _ arguments: [SQLValue] = []) throws -> [SQLValue] {
        try rows(sql, arguments).rows.map { $0[0] }
    }
}
