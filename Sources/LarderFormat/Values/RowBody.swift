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
