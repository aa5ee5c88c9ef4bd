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
    /// How far it is.
    package var state: State
    /// When the row was changed here, in milliseconds since 1970-01-01 UTC.
    package var updatedAt: Int64
    /// The outbox entry whose effect this is.
    package var entryID: UUIDBytes?
    /// The checksum of the server's row that was there.
    package var base: UInt64?

    /// A record that is pending.
    package init(kind: Kind, updatedAt: Int64, entryID: UUIDBytes? = nil, base: UInt64? = nil) {
        self.kind = kind
        state = .pending
        self.updatedAt = updatedAt
        self.entryID = entryID
        self.base = base
    }

    /// The body, with a payload to its end.
    package func encode(payload: RawSpan) -> [UInt8] {
        var writer = TupleWriter()
        writer.append(integer: kind.rawValue)
        writer.append(integer: state.rawValue)
        writer.append(optionalUUID: entryID)
        writer.append(optionalInteger: base.map { Int64(bitPattern: $0) })
        return OverlayBody.encode(updatedAt: updatedAt, tuple: writer.bytes, payload: payload)
    }
}

/// The body of an overlay as it lies in the store: nothing is copied.
///
/// FORMAT.md, "overlay".
///
/// | offset | size | field                                                                 |
/// | -----: | ---: | --------------------------------------------------------------------- |
/// |      0 |    8 | `updatedAt`, milliseconds since 1970-01-01 UTC, signed, little-endian |
/// |      8 |    2 | n, the bytes of the tuple, little-endian                              |
/// |     10 |    n | kind, state, entry, base                                              |
/// | 10 + n |    – | `payload`                                                             |
package struct OverlayBody: ~Escapable {
    static let sizeOffset = 8
    static let tupleOffset = 10

    /// All but the payload.
    package let record: OverlayRecord
    /// The elements that the record was read from, and any of later versions.
    package let tuple: RawSpan
    /// The content; valid as long as the body it was read from.
    package let payload: RawSpan

    /// Splits a body.
    @_lifetime(copy body)
    package init(body: RawSpan) throws(FormatError) {
        guard let bits = body.littleEndian(at: 0, as: UInt64.self),
            let size = body.littleEndian(at: Self.sizeOffset, as: UInt16.self),
            body.byteCount >= Self.tupleOffset + Int(size)
        else { throw .truncated(offset: body.byteCount) }
        let end = Self.tupleOffset + Int(size)
        var reader = TupleReader(body.extracting(Self.tupleOffset..<end))
        let kind = try reader.state("kind", as: OverlayRecord.Kind.self)
        let state = try reader.state("state", as: OverlayRecord.State.self)
        let entryID = try reader.optionalUUID()
        let base = try reader.optionalInteger()
        var record = OverlayRecord(
            kind: kind, updatedAt: Int64(bitPattern: bits), entryID: entryID,
            base: base.map { UInt64(bitPattern: $0) })
        record.state = state
        if kind == .tombstone, end < body.byteCount { throw .trailingBytes(offset: end) }
        self.record = record
        tuple = body.extracting(Self.tupleOffset..<end)
        payload = body.extracting(end..<body.byteCount)
    }

    /// The body of the given parts.
    ///
    /// - Parameter tuple: at most 65,535 bytes; traps beyond.
    package static func encode(updatedAt: Int64, tuple: [UInt8], payload: RawSpan) -> [UInt8] {
        let size = UInt16(tuple.count)
        var body: [UInt8] = []
        body.reserveCapacity(tupleOffset + tuple.count + payload.byteCount)
        body.append(littleEndian: UInt64(bitPattern: updatedAt))
        body.append(UInt8(truncatingIfNeeded: size))
        body.append(UInt8(truncatingIfNeeded: size >> 8))
        body.append(contentsOf: tuple)
        body.append(copying: payload)
        return body
    }
}
