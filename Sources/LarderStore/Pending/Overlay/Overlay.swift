public import LarderFormat

/// What a local write that is not in the server's rows yet does to a row.
public enum OverlayChange: Hashable, Sendable {
    /// The row is this payload.
    case replacement([UInt8], codec: PayloadCodec = .json)
    /// There is no row.
    case removal
    /// The row is what this JSON merge patch (RFC 7396) makes of the row beneath, whatever becomes of that.
    ///
    /// JSON text in UTF-8, nested at most 128 deep. Where there is no row beneath it makes none; one that is no JSON object
    /// counts as an empty object.
    case patch([UInt8])
}

/// A local write that lies over a row.
public struct Overlay: Hashable, Sendable {
    /// The row.
    public let key: RowKey
    /// Its place among the overlays of the row: the highest is shown.
    public let sequence: Int64
    /// What it does.
    public let change: OverlayChange
    /// The payload of the row that it makes of what lies beneath now, or nil when it makes none.
    public let payload: [UInt8]?
    /// How that payload is to be read.
    public let codec: PayloadCodec
    /// When the row was changed here, in milliseconds since 1970-01-01 UTC.
    public let updatedAt: Int64
    /// The outbox entry whose effect it is.
    public let entryID: UUIDBytes?
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
    public var patch: [UInt8]? {
        if case .patch(let patch) = change { patch } else { nil }
    }

    init(_ key: RowKey, _ layer: OverlayLayer) {
        self.key = key
        sequence = layer.sequence
        let record = layer.record
        change =
            switch record.kind {
            case .replacement: .replacement(layer.payload, codec: layer.codec)
            case .tombstone: .removal
            case .patch: .patch(record.patch ?? [])
            }
        payload = record.makesRow ? layer.payload : nil
        codec = layer.codec
        updatedAt = record.updatedAt
        entryID = record.entryID
        serverSequence = record.serverSequence
        acceptance = record.acceptance
        basePayload = record.basePayload
        base = record.base
    }
}
