/// The body of a row: the time of its update, then the payload.
///
/// FORMAT.md, "rows". The codec of the payload is in the record header.
///
/// | offset | size | field                                                                |
/// | -----: | ---: | -------------------------------------------------------------------- |
/// |      0 |    8 | `updatedAt`, milliseconds since 1970-01-01 UTC, signed, little-endian |
/// |      8 |    – | `payload`                                                            |
package struct RowBody: ~Escapable {
    static let payloadOffset = 8

    /// When the row was last changed, in milliseconds since 1970-01-01 UTC.
    package let updatedAt: Int64
    /// The content, 0 bytes or more; valid as long as the body it was read from.
    package let payload: RawSpan

    /// Splits a body.
    ///
    /// - Throws: ``FormatError/truncated(offset:)`` when it is shorter than eight bytes.
    @_lifetime(copy body)
    package init(body: RawSpan) throws(FormatError) {
        guard let bits = body.littleEndian(at: 0, as: UInt64.self) else { throw .truncated(offset: body.byteCount) }
        updatedAt = Int64(bitPattern: bits)
        payload = body.extracting(Self.payloadOffset..<body.byteCount)
    }
}

/// The stored value of a row, opened at once for the reads of rows.
package struct OpenedRow: ~Escapable {
    /// When the row was last changed; see ``RowBody/updatedAt``.
    package let updatedAt: Int64
    /// The codec of the payload.
    package let codec: PayloadCodec
    /// The content; valid as long as the value it was read from.
    package let payload: RawSpan

    /// Opens a stored value.
    ///
    /// - Parameter seed: ``Checksum/ownerSeed(_:)``, with which the checksum is verified; nil where it is not.
    /// - Throws: ``FormatError`` as ``Record/open(_:key:seed:codec:)``, ``RowBody/init(body:)`` and
    ///   ``RecordHeader/payloadCodec()``.
    @_lifetime(copy value)
    package init(_ value: RawSpan, key: RawSpan, seed: UInt64?) throws(FormatError) {
        let header = try RecordHeader(decoding: value)
        let body = value.extracting(RecordHeader.size..<value.byteCount)
        if let seed, Checksum.of(body: body, header4: header.header4, key: key, seed: seed) != header.checksum {
            throw .checksumMismatch
        }
        let row = try RowBody(body: body)
        updatedAt = row.updatedAt
        codec = try header.payloadCodec()
        payload = row.payload
    }
}
