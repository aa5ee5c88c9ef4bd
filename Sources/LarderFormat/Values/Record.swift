/// Seals and opens stored values: the one door between a body and what LMDB holds.
///
/// A `seed` is ``TableName/seed``, or for rows other than owner rows ``Checksum/ownerSeed(_:)``.
package enum Record {
    /// The stored value of a body: header, then body.
    package static func seal(
        body: RawSpan, codec: UInt8 = RecordHeader.tupleCodec, key: RawSpan, seed: UInt64
    ) -> [UInt8] {
        var header = RecordHeader(codec: codec, checksum: 0)
        header.checksum = Checksum.of(body: body, header4: header.header4, key: key, seed: seed)
        var value: [UInt8] = []
        value.reserveCapacity(RecordHeader.size + body.byteCount)
        header.encode(into: &value)
        value.append(copying: body)
        return value
    }

    /// Replaces `output` by the stored value of a row: header, `updatedAt`, payload. Keeps its capacity.
    ///
    /// The payload is not measured here; see ``Limits/check(payload:)``.
    ///
    /// - Parameter updatedAt: Milliseconds since 1970-01-01 UTC.
    package static func seal(
        row payload: RawSpan, updatedAt: Int64, codec: PayloadCodec, key: RawSpan, seed: UInt64,
        into output: inout [UInt8]
    ) {
        output.removeAll(keepingCapacity: true)
        output.reserveCapacity(RecordHeader.size + RowBody.payloadOffset + payload.byteCount)
        var header = RecordHeader(codec: codec.rawValue, checksum: 0)
        header.encode(into: &output)
        output.append(littleEndian: UInt64(bitPattern: updatedAt))
        output.append(copying: payload)
        header.checksum = expectedChecksum(of: output.rawSpan, header: header, key: key, seed: seed)
        header.encode(atStartOf: &output)
    }

    /// The body of `value`, after its header and its checksum were verified; a part of `value`, nothing is copied.
    ///
    /// - Parameter codec: When given, the only codec that is accepted.
    /// - Throws: What ``RecordHeader/init(decoding:)`` throws, ``FormatError/unexpectedCodec(_:)``, or
    ///   ``FormatError/checksumMismatch`` for a record that is damaged, or stands under another key, owner or table.
    @_lifetime(copy value)
    package static func open(
        _ value: RawSpan, key: RawSpan, seed: UInt64, codec: UInt8? = nil
    ) throws(FormatError) -> RawSpan {
        let header = try RecordHeader(decoding: value)
        if let codec, header.codec != codec { throw .unexpectedCodec(header.codec) }
        guard expectedChecksum(of: value, header: header, key: key, seed: seed) == header.checksum else {
            throw .checksumMismatch
        }
        return value.extracting(RecordHeader.size..<value.byteCount)
    }

    /// The body of `value` after a look at the header alone, for scans that opt out of verification.
    @_lifetime(copy value)
    package static func openUnverified(_ value: RawSpan) throws(FormatError) -> RawSpan {
        _ = try RecordHeader(decoding: value)
        return value.extracting(RecordHeader.size..<value.byteCount)
    }

    /// The stored checksum of `value`, as digests add it up; nothing is verified.
    package static func checksum(of value: RawSpan) throws(FormatError) -> UInt64 {
        try RecordHeader(decoding: value).checksum
    }

    /// The checksum that `value`, which has a whole header, ought to have.
    private static func expectedChecksum(of value: RawSpan, header: RecordHeader, key: RawSpan, seed: UInt64) -> UInt64
    {
        let body = value.extracting(RecordHeader.size..<value.byteCount)
        return Checksum.of(body: body, header4: header.header4, key: key, seed: seed)
    }
}
