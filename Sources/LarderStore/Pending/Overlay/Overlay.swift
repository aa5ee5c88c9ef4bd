public import LarderFormat

/// A local write applied over a row.
public struct Overlay: Hashable, Sendable {
    /// The row.
    public let key: RowKey
    /// Its place among the overlays of the row: the highest is shown.
    public let sequence: Int64
    /// The change to the row.
    public let change: OverlayChange
    /// The payload of the row that results now; nil when there is no row then, or damage beneath keeps it unknown.
    public let payload: [UInt8]?
    /// The codec of that payload.
    public let codec: PayloadCodec
    /// When the row was changed here, in milliseconds since 1970-01-01 UTC.
    public let updatedAt: Int64
    /// The outbox entry whose effect it is.
    public let entryID: UUIDBytes?
    /// The account that made it.
    public let account: String?
    /// The timeline of the server's response; 0 while the write is pending.
    package let timeline: Int64
    /// The server's sequence of the write, where it reported one.
    public let serverSequence: Int64?
    /// The journal's sequence of the server's response; nil while the write is pending.
    public let acceptance: Int64?
    /// The payload of the row beneath when the write was made: the base from which a conflict is merged, field by
    /// field.
    ///
    /// Stored only for a row whose payload is JSON of at most 256 KiB.
    public let basePayload: [UInt8]?
    /// The checksum of the server's row when the write was made, or nil when there was none.
    package let base: UInt64?

    /// Whether the server has confirmed the write; its rows may not show it yet.
    public var isConfirmed: Bool { acceptance != nil }

    /// The JSON merge patch, or nil when it is another kind of change.
    public var patch: [UInt8]? { change.patch }

    init(_ key: RowKey, _ sequence: Int64, _ record: OverlayRecord, row: RowContent?) {
        self.key = key
        self.sequence = sequence
        change = record.change
        payload = row?.payload
        codec = row?.codec ?? .opaque
        updatedAt = record.updatedAt
        entryID = record.entryID
        account = record.account
        timeline = record.timeline
        serverSequence = record.serverSequence
        acceptance = record.acceptance
        basePayload = record.basePayload
        base = record.base
    }
}

/// A row with overlays, as readers see it.
package struct OverlaidRow: Sendable {
    /// The row.
    package let key: RowKey
    /// Its payload, or nil when there is no row.
    package let payload: [UInt8]?
    /// The codec of the payload.
    package let codec: PayloadCodec
}
