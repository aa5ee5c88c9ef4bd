/// The fixed bytes in front of every stored value.
///
/// FORMAT.md, "Record header". Integers are little-endian.
///
/// | offset | size | field                                  |
/// | -----: | ---: | -------------------------------------- |
/// |      0 |    1 | `version`, 1                           |
/// |      1 |    1 | `flags`, 0; 1 sealed, 2 compressed     |
/// |      2 |    1 | `codec`                                |
/// |      3 |    1 | reserved, 0                            |
/// |      4 |    8 | `checksum`, of body, key, owner, table |
package struct RecordHeader: Hashable, Sendable {
    /// The encoded size, in bytes.
    package static let size = checksumOffset + 8
    /// The only version.
    package static let version: UInt8 = 1
    /// The codec of every structured record: the body is a tuple.
    package static let tupleCodec: UInt8 = 2

    static let versionOffset = 0
    static let flagsOffset = versionOffset + 1
    static let codecOffset = flagsOffset + 1
    static let reservedOffset = codecOffset + 1
    static let checksumOffset = reservedOffset + 1

    /// The version of the header; 1.
    package var version: UInt8
    /// 0: a plain value.
    package var flags: UInt8
    /// The encoding of the body, or of a row's payload.
    package var codec: UInt8
    /// The stored checksum, not yet compared with anything.
    package var checksum: UInt64

    /// Makes a header of version 1 without flags.
    package init(codec: UInt8, checksum: UInt64) {
        version = Self.version
        flags = 0
        self.codec = codec
        self.checksum = checksum
    }

    /// Reads the header in front of `value` and rejects a header that no writer of this version produces.
    ///
    /// - Throws: ``FormatError/truncated(offset:)`` for a value shorter than a header,
    ///   ``FormatError/unsupportedVersion(_:)``, ``FormatError/reservedBits``, ``FormatError/unknownCodec(_:)``, or
    ///   ``FormatError/notAuthentic`` for a sealed value that was not opened, or ``FormatError/notDecompressed`` for a
    ///   compressed one that was not decompressed.
    package init(decoding value: RawSpan) throws(FormatError) {
        guard let first = value.littleEndian(at: Self.versionOffset, as: UInt32.self),
            let checksum = value.littleEndian(at: Self.checksumOffset, as: UInt64.self)
        else { throw .truncated(offset: value.byteCount) }
        let version = UInt8(truncatingIfNeeded: first)
        guard version == Self.version else { throw .unsupportedVersion(version) }
        let flags = UInt8(truncatingIfNeeded: first >> 8)
        let reserved = UInt8(truncatingIfNeeded: first >> 24)
        guard flags == 0, reserved == 0 else {
            switch flags {
            case SealedValue.flag: throw .notAuthentic
            case CompressedValue.flag: throw .notDecompressed
            default: throw .reservedBits
            }
        }
        let codec = UInt8(truncatingIfNeeded: first >> 16)
        guard codec <= Self.tupleCodec || codec >= 16 else { throw .unknownCodec(codec) }
        self.init(codec: codec, checksum: checksum)
    }

    /// The first four bytes as a little-endian number, which the checksum includes.
    package var header4: UInt32 { UInt32(version) | UInt32(flags) << 8 | UInt32(codec) << 16 }

    /// Returns the codec of a row's payload.
    ///
    /// - Throws: ``FormatError/unexpectedCodec(_:)`` for a structured record.
    package func payloadCodec() throws(FormatError) -> PayloadCodec {
        guard let codec = PayloadCodec(rawValue: codec) else { throw .unexpectedCodec(codec) }
        return codec
    }

    /// Returns the codec of a row's payload, from a value whose header was read before.
    ///
    /// - Throws: ``FormatError/truncated(offset:)`` for a value that ends before the codec; else as ``payloadCodec()``.
    package static func payloadCodec(in value: RawSpan) throws(FormatError) -> PayloadCodec {
        guard let byte = value.byte(at: codecOffset) else { throw .truncated(offset: value.byteCount) }
        guard let codec = PayloadCodec(rawValue: byte) else { throw .unexpectedCodec(byte) }
        return codec
    }

    /// Appends the twelve bytes.
    func encode(into output: inout [UInt8]) {
        output.append(contentsOf: [version, flags, codec, 0])
        output.append(littleEndian: checksum)
    }

    /// Overwrites the first twelve bytes of `output`, which must be at least as long.
    func encode(atStartOf output: inout [UInt8]) {
        output[Self.versionOffset] = version
        output[Self.flagsOffset] = flags
        output[Self.codecOffset] = codec
        output[Self.reservedOffset] = 0
        for index in 0..<8 {
            output[Self.checksumOffset + index] = UInt8(truncatingIfNeeded: checksum >> UInt64(index * 8))
        }
    }
}
