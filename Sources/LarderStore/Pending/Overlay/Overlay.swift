public import LarderFormat

/// A local write that lies over a row.
public struct Overlay: Hashable, Sendable {
    /// The row.
    public let key: RowKey
    /// Its place among the overlays of the row: the highest is shown.
    public let sequence: Int64
    /// What it does.
    public let change: OverlayChange
    /// The payload of the row that it makes of what lies beneath now; nil when it makes none, or what lies beneath is damaged.
    public let payload: [UInt8]?
    /// How that payload is to be read.
    public let codec: PayloadCodec
    /// When the row was changed here, in milliseconds since 1970-01-01 UTC.
    public let updatedAt: Int64
    /// The outbox entry whose effect it is.
    public let entryID: UUIDBytes?
    /// The account that made it.
    public let account: String?
    /// The timeline in which the server answered.
    package let timeline: Int64
    /// The server's sequence of the write, where it reported one.
    public let serverSequence: Int64?
    /// The journal's sequence of the server's answer; nil while the write is pending.
    public let acceptance: Int64?
    /// The payload of the row that lay beneath when the write was made: what a conflict is merged from, field by field.
    ///
    /// Kept where there was a row, its payload was JSON, and not above 256 KiB.
    public let basePayload: [UInt8]?
    /// The checksum of the server's row that was there, or nil when there was none.
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

/// What readers see of a row that local writes lie over.
package struct OverlaidRow: Sendable {
    /// The row.
    package let key: RowKey
    /// Its payload, or nil when there is no row.
    package let payload: [UInt8]?
    /// How the payload is to be read.
    package let codec: PayloadCodec
}
