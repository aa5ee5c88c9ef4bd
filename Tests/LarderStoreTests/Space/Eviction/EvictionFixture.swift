// EvictionFixture: resources of large rows, and the state of a store to compare.

import LarderFormat
import LarderStore

func big(_ id: Int64) -> ResourceKey { ResourceKey("big", id) }

func bigKey(_ number: Int, _ id: Int64) -> RowKey { RowKey(resource: big(id), type: "row", key: String(number)) }

/// Replaces the rows of `big(id)` by a snapshot whose rows have 10,000 bytes each.
func fill(_ store: Store, _ id: Int64, rows: Int = 10, path: String? = "/copy") async throws {
    let payload = [UInt8](repeating: UInt8(id & 0xFF), count: 10_000)
    let staging = try await store.beginStaging(big(id))
    var batch = RowBatch(for: staging)
    for number in 0..<rows { try batch.append(payload.rawSpan, type: "row", key: String(number), updatedAt: 1) }
    do {
        try await store.stage(batch, in: staging)
        try await store.swap(staging) { _, record in record.snapshotPath = path }
    } catch {
        await store.discard(staging)
        throw error
    }
}

func size(_ store: Store) throws -> Int64 { try store.statistics().storedSize }

func state(_ store: Store, _ id: Int64) throws -> ResourceState? {
    try store.read { view in try view.resource(big(id))?.state }
}

/// Every record but those of `meta`, copied.
func contents(_ store: Store) throws -> [TableName: [LarderStore.RawRecord]] {
    try store.read { view in
        var all: [TableName: [LarderStore.RawRecord]] = [:]
        for table in TableName.allCases where table != .meta {
            all[table] = try view.rawRecords(of: table, limit: .max, bytes: .max)
        }
        return all
    }
}
