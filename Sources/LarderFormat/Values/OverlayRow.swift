/// The body of the shown version of a row that local writes change; reads copy nothing.
///
/// FORMAT.md, "overlay". The codec of the payload is in the record header.
///
/// | offset | size | field                                                                              |
/// | -----: | ---: | ---------------------------------------------------------------------------------- |
/// |      0 |    8 | `updatedAt`, milliseconds since 1970-01-01 UTC, signed, little-endian; 0 without a row |
/// |      8 |    1 | `result`                                                                           |
/// |      9 |    1 | 1 when the lowest write over the row is confirmed, else 0                          |
/// |     10 |    – | `payload`; nothing without a row                                                   |
package struct OverlayRow: ~Escapable {
    /// The result of the writes.
    package enum Result: UInt8, Sendable, CaseIterable {
        /// There is no row.
        case none = 0
        /// The row is the payload.
        case row = 1
        /// A damaged write is beneath one that depends on it.
        case unknown = 2
    }

    private static let resultOffset = 8
    private static let confirmedOffset = 9
    private static let payloadOffset = 10

    /// When the row was changed here, in milliseconds since 1970-01-01 UTC.
    package let updatedAt: Int64
    /// The result of the writes.
    package let result: Result
    /// Whether the lowest write is confirmed, so that it may have to be released.
    package let isLowestConfirmed: Bool
    /// The content; valid as long as the body it was read from.
    package let payload: RawSpan

    /// Splits a body.
    ///
    /// - Throws: ``FormatError/truncated(offset:)`` for a body shorter than ten bytes,
    ///   ``FormatError/invalidValue(field:value:)`` for an unknown result or flag,
    ///   ``FormatError/trailingBytes(offset:)`` for a payload without a row.
    @_lifetime(copy body)
    package init(body: RawSpan) throws(FormatError) {
        guard let bits = body.littleEndian(at: 0, as: UInt64.self), let result = body.byte(at: Self.resultOffset),
            let confirmed = body.byte(at: Self.confirmedOffset)
        else { throw .truncated(offset: body.byteCount) }
        guard let known = Result(rawValue: result) else { throw .invalidValue(field: "result", value: Int64(result)) }
        guard confirmed <= 1 else { throw .invalidValue(field: "confirmed", value: Int64(confirmed)) }
        if known != .row, body.byteCount > Self.payloadOffset { throw .trailingBytes(offset: Self.payloadOffset) }
        updatedAt = Int64(bitPattern: bits)
        self.result = known
        isLowestConfirmed = confirmed == 1
        payload = body.extracting(Self.payloadOffset..<body.byteCount)
    }

    /// Returns the body of the given parts; without a row the payload must be empty and `updatedAt` 0.
    package static func encode(
        _ result: Result, updatedAt: Int64, isLowestConfirmed: Bool, payload: RawSpan
    ) -> [UInt8] {
        var body: [UInt8] = []
        body.reserveCapacity(payloadOffset + payload.byteCount)
        body.append(littleEndian: UInt64(bitPattern: updatedAt))
        body.append(contentsOf: [result.rawValue, isLowestConfirmed ? 1 : 0])
        body.append(copying: payload)
        return body
    }
}
