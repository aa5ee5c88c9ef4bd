/// The conversions between the body of a record and the value that LMDB stores.
///
/// A `seed` is ``TableName/seed``, or for rows other than owner rows ``Checksum/ownerSeed(_:)``.
package enum Record {
    /// Returns the stored value of a body: header, then body.
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

    /// Replaces the content of `output` by the stored value of a row: header, `updatedAt`, payload. Keeps its capacity.
    ///
    /// The length of the payload is not checked here; see ``Limits/check(payload:)``.
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

    /// Verifies the header and the checksum of `value`, and returns the body, which is a part of `value`; copies
    /// nothing.
    ///
    /// - Parameter codec: When given, the only codec that is accepted.
    /// - Throws: ``FormatError/unexpectedCodec(_:)``, ``FormatError/checksumMismatch`` for a record that is damaged, or
    ///   is under another key, owner or table; else as ``RecordHeader/init(decoding:)``.
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

    /// Returns the body of `value` after a check of the header alone, for scans that skip verification.
    ///
    /// - Throws: ``FormatError`` as ``RecordHeader/init(decoding:)``.
    @_lifetime(copy value)
    package static func openUnverified(_ value: RawSpan) throws(FormatError) -> RawSpan {
        _ = try RecordHeader(decoding: value)
        return value.extracting(RecordHeader.size..<value.byteCount)
    }

    /// Returns the stored checksum of `value`, as digests add it up, without verifying it.
    ///
    /// - Throws: ``FormatError`` as ``RecordHeader/init(decoding:)``.
    package static func checksum(of value: RawSpan) throws(FormatError) -> UInt64 {
        try RecordHeader(decoding: value).checksum
    }

    /// Returns the correct checksum of `value`, which must have a whole header.
    private static func expectedChecksum(of value: RawSpan, header: RecordHeader, key: RawSpan, seed: UInt64) -> UInt64
    {
        let body = value.extracting(RecordHeader.size..<value.byteCount)
        return Checksum.of(body: body, header4: header.header4, key: key, seed: seed)
    }
}
