/// A record of `overlay` but for its payload: what a local write does to a row.
///
/// FORMAT.md, "overlay". Key: ``OverlayKey``. The codec of the payload is in the record header.
package struct OverlayRecord: Hashable, Sendable {
    /// What the write does.
    package enum Kind: Int64, Sendable, CaseIterable {
        /// The row is the payload.
        case replacement = 1
        /// There is no row.
        case tombstone = 2
        /// The row is what a JSON merge patch makes of what lies beneath.
        case patch = 3
    }

    /// How far the write is.
    package enum State: Int64, Sendable, CaseIterable {
        /// The server has not confirmed it.
        case pending = 0
        /// The server has confirmed it, and its rows may not show it yet.
        case confirmed = 1
    }

    /// What the write does.
    package var kind: Kind
    /// When the row was changed here, in milliseconds since 1970-01-01 UTC.
    package var updatedAt: Int64
    /// The outbox entry whose effect this is.
    package var entryID: UUIDBytes?
    /// The checksum of the server's row that was there.
    package var base: UInt64?
    /// Whether there is a row, the payload.
    package var makesRow: Bool
    /// The server's sequence of the write, where it reported one.
    package var serverSequence: Int64?
    /// The journal sequence of the server's answer; nil while the write is pending.
    package var acceptance: Int64?
    /// The payload of the row that lay beneath when the write was made, where it is kept.
    package var basePayload: [UInt8]?
    /// The JSON merge patch, of kind ``Kind/patch``.
    package var patch: [UInt8]?

    /// How far the write is.
    package var state: State { acceptance == nil ? .pending : .confirmed }

    /// A record that is pending, of any kind but a patch.
    package init(kind: Kind, updatedAt: Int64, entryID: UUIDBytes? = nil, base: UInt64? = nil) {
        self.kind = kind
        self.updatedAt = updatedAt
        self.entryID = entryID
        self.base = base
        makesRow = kind == .replacement
    }

    /// The body, with a payload to its end.
    package func encode(payload: RawSpan) -> [UInt8] {
        var writer = TupleWriter()
        writer.append(integer: kind.rawValue)
        writer.append(integer: state.rawValue)
        writer.append(optionalUUID: entryID)
        writer.append(optionalInteger: base.map { Int64(bitPattern: $0) })
        writer.append(bool: makesRow)
        writer.append(optionalInteger: serverSequence)
        writer.append(optionalInteger: acceptance)
        writer.append(optionalBytes: basePayload)
        writer.append(optionalBytes: patch)
        return OverlayBody.encode(updatedAt: updatedAt, tuple: writer.bytes, payload: payload)
    }

    /// Reads the tuple of a body.
    init(updatedAt: Int64, tuple: RawSpan) throws(FormatError) {
        var reader = TupleReader(tuple)
        kind = try reader.state("kind", as: Kind.self)
        let state = try reader.state("state", as: State.self)
        self.updatedAt = updatedAt
        entryID = try reader.optionalUUID()
        base = try reader.optionalInteger().map { UInt64(bitPattern: $0) }
        makesRow = try reader.bool()
        serverSequence = try reader.optionalInteger()
        acceptance = try reader.optionalCount("acceptance")
        basePayload = try reader.optionalBytes()
        patch = try reader.optionalBytes()
        if self.state != state { throw .invalidValue(field: "acceptance", value: acceptance ?? 0) }
        if kind != .patch, makesRow != (kind == .replacement) {
            throw .invalidValue(field: "kind", value: kind.rawValue)
        }
        if (patch == nil) == (kind == .patch) { throw .invalidValue(field: "patch", value: kind.rawValue) }
    }
}

/// The body of an overlay as it lies in the store: the payload is not copied.
///
/// FORMAT.md, "overlay".
///
/// | offset | size | field                                                                 |
/// | -----: | ---: | --------------------------------------------------------------------- |
/// |      0 |    8 | `updatedAt`, milliseconds since 1970-01-01 UTC, signed, little-endian |
/// |      8 |    4 | n, the bytes of the tuple, little-endian                              |
/// |     12 |    n | the elements of ``OverlayRecord``                                     |
/// | 12 + n |    – | `payload`                                                             |
package struct OverlayBody: ~Escapable {
    /// All but the payload.
    package let record: OverlayRecord
    /// The elements that the record was read from, and any of later versions.
    package let tuple: RawSpan
    /// The content; valid as long as the body it was read from.
    package let payload: RawSpan

    /// Splits a body.
    @_lifetime(copy body)
    package init(body: RawSpan) throws(FormatError) {
        let row = try OverlayRow(body: body)
        record = try OverlayRecord(updatedAt: row.updatedAt, tuple: row.tuple)
        tuple = row.tuple
        payload = row.payload
    }

    /// The body of the given parts.
    package static func encode(updatedAt: Int64, tuple: [UInt8], payload: RawSpan) -> [UInt8] {
        // The parts of a tuple have limits far below 4 GiB together.
        let size = UInt32(tuple.count)
        var body: [UInt8] = []
        body.reserveCapacity(OverlayRow.tupleOffset + tuple.count + payload.byteCount)
        body.append(littleEndian: UInt64(bitPattern: updatedAt))
        for shift in [0, 8, 16, 24] as [UInt32] { body.append(UInt8(truncatingIfNeeded: size >> shift)) }
        body.append(contentsOf: tuple)
        body.append(copying: payload)
        return body
    }
}

/// What a reader shows of an overlay: nothing is copied, and the patch is not looked at.
package struct OverlayRow: ~Escapable {
    private static let sizeOffset = 8
    fileprivate static let tupleOffset = 12

    /// When the row was changed here, in milliseconds since 1970-01-01 UTC.
    package let updatedAt: Int64
    /// Whether the row, or that there is none, depends on what lies beneath.
    package let isPatch: Bool
    /// Whether there is a row, the payload.
    package let makesRow: Bool
    /// The content; valid as long as the body it was read from.
    package let payload: RawSpan
    fileprivate let tuple: RawSpan

    /// Splits a body.
    @_lifetime(copy body)
    package init(body: RawSpan) throws(FormatError) {
        guard let bits = body.littleEndian(at: 0, as: UInt64.self),
            let size = body.littleEndian(at: Self.sizeOffset, as: UInt32.self),
            body.byteCount >= Self.tupleOffset, body.byteCount - Self.tupleOffset >= Int(size)
        else { throw .truncated(offset: body.byteCount) }
        let end = Self.tupleOffset + Int(size)
        var reader = TupleReader(body.extracting(Self.tupleOffset..<end))
        isPatch = try reader.state("kind", as: OverlayRecord.Kind.self) == .patch
        _ = try reader.integer()
        _ = try reader.optionalUUID()
        _ = try reader.optionalInteger()
        makesRow = try reader.bool()
        if !makesRow, end < body.byteCount { throw .trailingBytes(offset: end) }
        updatedAt = Int64(bitPattern: bits)
        tuple = body.extracting(Self.tupleOffset..<end)
        payload = body.extracting(end..<body.byteCount)
    }
}
