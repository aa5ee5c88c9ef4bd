/// The change of a row by a local write that is not in the server's rows yet.
public enum OverlayChange: Hashable, Sendable {
    /// The row is this payload.
    case replacement([UInt8], codec: PayloadCodec = .json)
    /// There is no row.
    case removal
    /// The row is the result of applying this JSON merge patch (RFC 7396) to the row beneath, however that one changes.
    ///
    /// JSON text in UTF-8, nested at most 128 deep. Where there is no row beneath, the patch makes none; a row that is
    /// no JSON object counts as an empty object.
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

/// A record of `overlay`: one local write to a row.
///
/// FORMAT.md, "overlay". Key: ``OverlayKey``.
package struct OverlayRecord: TupleRecord, Hashable, Sendable {
    /// The change.
    package var change = OverlayChange.removal
    /// When the row was changed here, in milliseconds since 1970-01-01 UTC.
    package var updatedAt: Int64 = 0
    /// The outbox entry whose effect this is.
    package var entryID: UUIDBytes?
    /// The account that made the change.
    package var account: String?
    /// The checksum of the server's row when the write was made.
    package var base: UInt64?
    /// The timeline in which the server responded; 0 while the write is pending.
    package var timeline: Int64 = 0
    /// The server's sequence of the write, where it reported one.
    package var serverSequence: Int64?
    /// The journal sequence of the server's response; nil while the write is pending.
    package var acceptance: Int64?
    /// The payload of the row beneath when the write was made, where it is kept.
    package var basePayload: [UInt8]?

    package init() {}

    /// Creates a pending write.
    package init(_ change: OverlayChange, updatedAt: Int64, entryID: UUIDBytes? = nil, account: String? = nil) {
        self.change = change
        self.updatedAt = updatedAt
        self.entryID = entryID
        self.account = account
    }

    package mutating func codeFields(_ coder: inout FieldCoder) {
        var (kind, codec) = change.kind
        var content = change.content
        coder.state("kind", &kind)
        coder.integer(&updatedAt)
        coder.uuid(&entryID)
        coder.text(&account)
        coder.bits(&base)
        coder.count("timeline", &timeline)
        coder.require(timeline < .max, "timeline", timeline)
        coder.integer(&serverSequence)
        coder.count("acceptance", &acceptance)
        coder.bytes(&basePayload)
        coder.integer(&codec)
        coder.bytes(&content)
        guard coder.isReading else { return }
        let known = codec.flatMap { UInt8(exactly: $0) }.flatMap { PayloadCodec(rawValue: $0) }
        switch (kind, known, content) {
        case (.replacement, let known?, let content?): change = .replacement(content, codec: known)
        case (.removal, nil, nil) where codec == nil: change = .removal
        case (.patch, nil, let content?) where codec == nil: change = .patch(content)
        default: coder.fail(.invalidValue(field: "kind", value: kind.rawValue))
        }
    }
}

extension OverlayChange {
    fileprivate enum Kind: Int64 {
        case replacement = 1
        case removal = 2
        case patch = 3
    }

    /// The number of the kind, and that of the codec where the kind has one.
    fileprivate var kind: (Kind, codec: Int64?) {
        switch self {
        case .replacement(_, let codec): (.replacement, Int64(codec.rawValue))
        case .removal: (.removal, nil)
        case .patch: (.patch, nil)
        }
    }
}
