public import LarderFormat

/// A write that waits to be sent.
public struct OutboxEntry: Hashable, Sendable {
    /// Its place; one count for all lanes, never used twice.
    public let sequence: Int64
    /// What is to be sent.
    public let draft: OutboxDraft
    /// The state of its delivery.
    public let delivery: OutboxDelivery
    /// The rows its effect is applied to.
    public let rows: [RowKey]

    /// Its identity, and its idempotency key.
    public var id: UUIDBytes { draft.id }
    /// The queue it stands in: entries of one lane are sent in order.
    public var lane: String { draft.lane }
    /// When it was enqueued, in milliseconds since 1970-01-01 UTC.
    public var createdAt: Int64 { draft.createdAt }
    /// The host's name of the kind of write.
    public var mutationType: String { draft.mutationType }
    /// The HTTP method.
    public var method: String { draft.method }
    /// The endpoint, relative to the server.
    public var endpoint: String { draft.endpoint }
    /// The body to be sent; empty where it is a blob.
    public var payload: [UInt8] { draft.payload }
    /// How often sending it was begun.
    public var tries: Int { delivery.tries }

    /// An entry that lies in no store.
    package init(draft: OutboxDraft, sequence: Int64 = 1, rows: [RowKey] = []) {
        self.draft = draft
        self.sequence = sequence
        self.rows = rows
        delivery = OutboxDelivery()
    }

    init(_ record: OutboxRecord, _ place: OutboxDeliveryRecord) {
        var draft = record.draft
        draft.lane = place.lane
        self.draft = draft
        sequence = place.sequence
        delivery = place.delivery
        rows = record.rows
    }
}

/// What a write does to a row before the server has it.
public struct RowEffect: Hashable, Sendable {
    /// The row.
    public var key: RowKey
    /// What becomes of it.
    public var change: OverlayChange

    /// An effect on one row.
    public init(_ change: OverlayChange, at key: RowKey) {
        self.key = key
        self.change = change
    }
}
