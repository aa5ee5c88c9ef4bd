// Entries: the writes that children put into the outbox, by number.

public import LarderFormat

/// The writes that children put into the outbox, by number.
public enum Entries {
    /// Holds one row for each entry ever enqueued; no filter covers it.
    public static let resource = ResourceKey("local", 1)

    /// The row that goes in with an entry.
    public static func row(_ number: Int) -> RowKey {
        RowKey(resource: resource, type: "effect", key: String(number))
    }

    /// The identity of an entry.
    public static func id(_ number: Int, seed: UInt64) -> UUIDBytes {
        UUIDBytes(high: seed, low: UInt64(number))
    }

    /// The entry with a number.
    public static func draft(_ number: Int, seed: UInt64) -> OutboxDraft {
        OutboxDraft(
            id: id(number, seed: seed), lane: "lane \(number % 3)", createdAt: Int64(number), mutationType: "note",
            method: "POST", endpoint: "notes/\(number)", payload: Array("{\"note\":\(number)}".utf8))
    }
}
