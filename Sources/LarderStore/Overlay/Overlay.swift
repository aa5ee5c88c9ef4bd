public import LarderFormat

/// What a local write that is not in the server's rows yet does to a row.
public enum OverlayChange: Hashable, Sendable {
    /// The row is this payload.
    case replacement([UInt8], codec: PayloadCodec = .json)
    /// There is no row.
    case removal
}

/// A local write that lies over a row.
public struct Overlay: Hashable, Sendable {
    /// The row.
    public let key: RowKey
    /// Its place among the overlays of the row: the highest is shown.
    public let sequence: Int64
    /// What it does.
    public let change: OverlayChange
    /// Whether the server has confirmed the write; its rows may not show it yet.
    public let isConfirmed: Bool
    /// When the row was changed here, in milliseconds since 1970-01-01 UTC.
    public let updatedAt: Int64
    /// The outbox entry whose effect it is.
    public let entryID: UUIDBytes?
    /// The checksum of the server's row that was there, or nil when there was none.
    package let base: UInt64?
}

extension Overlay {
    /// Reads a stored record.
    init(_ key: RowKey, _ sequence: Int64, value: RawSpan, body: RawSpan) throws(FormatError) {
        let found = try OverlayBody(body: body)
        self.key = key
        self.sequence = sequence
        let codec = try RecordHeader.payloadCodec(in: value)
        change =
            switch found.record.kind {
            case .replacement: .replacement([UInt8](copying: found.payload), codec: codec)
            case .tombstone: .removal
            }
        isConfirmed = found.record.state == .confirmed
        updatedAt = found.record.updatedAt
        entryID = found.record.entryID
        base = found.record.base
    }
}
