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

    /// The JSON merge patch, or nil when it is another kind of change.
    public var patch: [UInt8]? {
        if case .patch(let patch) = self { patch } else { nil }
    }

    /// The payload or the patch.
    package var content: [UInt8]? {
        switch self {
        case .replacement(let payload, _): payload
        case .removal: nil
        case .patch(let patch): patch
        }
    }
}

/// A record of `overlay`: one local write over a row.
///
/// FORMAT.md, "overlay". Key: ``OverlayKey``.
package struct OverlayRecord: Hashable, Sendable {
    private enum Kind: Int64 {
        case replacement = 1
        case removal = 2
        case patch = 3
    }

    /// What the write does.
    package var change: OverlayChange
    /// When the row was changed here, in milliseconds since 1970-01-01 UTC.
    package var updatedAt: Int64
    /// The outbox entry whose effect this is.
    package var entryID: UUIDBytes?
    /// The account that made it.
    package var account: String?
    /// The checksum of the server's row that was there.
    package var base: UInt64?
    /// The server's sequence of the write, where it reported one.
    package var serverSequence: Int64?
    /// The journal sequence of the server's answer; nil while the write is pending.
    package var acceptance: Int64?
    /// The payload of the row that lay beneath when the write was made, where it is kept.
    package var basePayload: [UInt8]?

    /// A write that is pending.
    package init(_ change: OverlayChange, updatedAt: Int64, entryID: UUIDBytes? = nil, account: String? = nil) {
        self.change = change
        self.updatedAt = updatedAt
        self.entryID = entryID
        self.account = account
    }

    /// The body of the record.
    package func encode() -> [UInt8] {
        let (kind, codec, content): (Kind, PayloadCodec?, [UInt8]?) =
            switch change {
            case .replacement(let payload, let codec): (.replacement, codec, payload)
            case .removal: (.removal, nil, nil)
            case .patch(let patch): (.patch, nil, patch)
            }
        var writer = TupleWriter()
        writer.append(integer: kind.rawValue)
        writer.append(integer: updatedAt)
        writer.append(optionalUUID: entryID)
        writer.append(optionalText: account)
        writer.append(optionalInteger: base.map { Int64(bitPattern: $0) })
        writer.append(optionalInteger: serverSequence)
        writer.append(optionalInteger: acceptance)
        writer.append(optionalBytes: basePayload)
        writer.append(optionalInteger: codec.map { Int64($0.rawValue) })
        writer.append(optionalBytes: content)
        return writer.bytes
    }

    /// Reads a body.
    package init(decoding body: RawSpan) throws(FormatError) {
        var reader = TupleReader(body)
        let kind = try reader.state("kind", as: Kind.self)
        updatedAt = try reader.integer()
        entryID = try reader.optionalUUID()
        account = try reader.optionalText()
        base = try reader.optionalInteger().map { UInt64(bitPattern: $0) }
        serverSequence = try reader.optionalInteger()
        acceptance = try reader.optionalCount("acceptance")
        basePayload = try reader.optionalBytes()
        let codec = try reader.optionalInteger()
        let content = try reader.optionalBytes()
        let known = codec.flatMap { UInt8(exactly: $0) }.flatMap { PayloadCodec(rawValue: $0) }
        switch (kind, known, content) {
        case (.replacement, let known?, let content?): change = .replacement(content, codec: known)
        case (.removal, nil, nil) where codec == nil: change = .removal
        case (.patch, nil, let content?) where codec == nil: change = .patch(content)
        default: throw .invalidValue(field: "kind", value: kind.rawValue)
        }
    }
}
