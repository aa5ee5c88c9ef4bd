public import LarderFormat

/// A write that waits to be sent.
public struct OutboxEntry: Hashable, Sendable {
    /// Its sequence, from one count for all lanes and never used twice.
    public let sequence: Int64
    /// The content to be sent.
    public let draft: OutboxDraft
    /// The state of its delivery.
    public let delivery: OutboxDelivery
    /// The rows its effect is applied to.
    public let rows: [RowKey]
    /// The length of its body in bytes, in the record or in a blob.
    package let bodyBytes: Int64
    /// Whether a batch can carry it without loss: a body of JSON other than `null` or none, and no header field but its
    /// type.
    package let fitsBatch: Bool

    /// Its identity, and its idempotency key.
    public var id: UUIDBytes { draft.id }
    /// The queue it is in: entries of one lane are sent in order.
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
    /// The number of times that sending it was begun.
    public var tries: Int { delivery.tries }

    /// An entry that is in no store, by default not tried yet.
    package init(
        draft: OutboxDraft, sequence: Int64 = 1, rows: [RowKey] = [], delivery: OutboxDelivery = OutboxDelivery()
    ) {
        self.draft = draft
        self.sequence = sequence
        self.rows = rows
        self.delivery = delivery
        bodyBytes = draft.blob?.byteCount ?? Int64(draft.payload.count)
        fitsBatch = draft.fitsBatch
    }

    /// An entry without its body and header fields.
    init(_ head: OutboxHeadRecord, _ place: OutboxDeliveryRecord) {
        var draft = head.draft
        draft.lane = place.lane
        self.draft = draft
        sequence = place.sequence
        delivery = place.delivery
        rows = head.rows
        bodyBytes = head.bodyBytes
        fitsBatch = head.fitsBatch
    }

    /// An entry with its body and header fields.
    init(_ head: OutboxEntry, _ body: OutboxBodyRecord) {
        var draft = head.draft
        draft.payload = body.payload
        draft.fields = body.fields
        self.init(draft: draft, sequence: head.sequence, rows: head.rows, delivery: head.delivery)
    }

    /// The record of its head, the same with or without its body and header fields.
    var headRecord: OutboxHeadRecord {
        OutboxHeadRecord(draft, rows: rows, bodyBytes: bodyBytes, fitsBatch: fitsBatch)
    }
}

/// The effect of a write on a row before the server has the write.
///
/// ```swift
/// let patch = Array(#"{"title":"Bread"}"#.utf8)
/// let effect = RowEffect(.patch(patch), at: key)  // merged into the row, however that one changes (RFC 7396)
/// let write = OutboxWrite("note.patch", .patch, "/notes/17", body: .bytes(patch), effects: [effect])
/// try await outbox.enqueue(write)
/// let shown = try store.read { view in try view.payload(at: key) }  // the row with its new title
/// print(shown?.count ?? 0)
/// ```
public struct RowEffect: Hashable, Sendable {
    /// The row.
    public var key: RowKey
    /// The change to the row.
    public var change: OverlayChange

    /// An effect on one row.
    public init(_ change: OverlayChange, at key: RowKey) {
        self.key = key
        self.change = change
    }
}
