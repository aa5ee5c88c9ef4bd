// OutboxWorld+Damage: damages stored records of the outbox.

import LarderFormat

@testable import LarderEngine
@testable import LarderStore

extension OutboxWorld {
    /// Flips a bit in the first or the last entry of the outbox.
    func damageEntry(isLast: Bool) throws {
        try damage(.outbox) { keys in
            let heads = keys.indices.filter { keys[$0][0] == 0x02 }
            return (isLast ? heads.last : heads.first) ?? 0
        }
    }

    /// Flips a bit in what the first or the last entry of the outbox sends.
    func damageBody(isLast: Bool) throws {
        try damage(.outbox) { keys in
            // The codes of numbers: a sequence.
            let bodies = keys.indices.filter { (0x14...0x1C).contains(keys[$0][0]) }
            return (isLast ? bodies.last : bodies.first) ?? 0
        }
    }

    /// Flips a bit in what every commit writes: nothing can be stored, until it is flipped once more.
    func damageCounters() throws { try damage(.meta) { keys in keys.firstIndex(of: CountersRecord.key) ?? 0 } }

    /// Makes the delivery of an entry unreadable, and the store does not know of it, as when a medium fails.
    func damageDelivery(of id: UUIDBytes) throws {
        let key = [UInt8](try Transaction.outboxKey(.delivery(entryID: id)))
        try store.writeBlocking { transaction in
            try transaction.put([UInt8(1)].rawSpan, key: key.rawSpan, in: .outbox)
        }
    }

    /// Flips a bit in one of the records of a table, as a medium might; by default in the last.
    func damage(_ table: TableName, _ place: ([[UInt8]]) -> Int = { $0.count - 1 }) throws {
        try damageRecord(of: table, at: path, place)
    }
}

/// Flips a bit in the record that names the server and the account of the content.
func damageOwner(at path: String) throws {
    try damageRecord(of: .meta, at: path) { keys in keys.firstIndex(of: ServersRecord.key) ?? 0 }
}

private func damageRecord(of table: TableName, at path: String, _ place: ([[UInt8]]) -> Int) throws {
    let environment = try Environment.open(
        path: path, options: EnvironmentOptions(tables: TableName.allCases.map(\.rawValue)))
    defer { try? environment.close() }
    let handle = environment.table(table.rawValue)
    var records: [(key: [UInt8], value: [UInt8])] = []
    try environment.read { view in
        try view.withCursor(in: handle) { cursor in
            while let entry = try cursor.next() {
                records.append(([UInt8](copying: entry.key), [UInt8](copying: entry.value)))
            }
        }
    }
    var record = records[place(records.map(\.key))]
    record.value[record.value.count - 1] ^= 1
    let damaged = record
    try environment.writeBlocking(durability: .relaxed) { transaction in
        try transaction.set(damaged.value.rawSpan, forKey: damaged.key.rawSpan, in: handle)
    }
}
