/// The bytes of a compressed value: the record header of a row, and its body as one Zstandard frame.
///
/// FORMAT.md, "Compressed values".
///
/// | offset | size | field                                                    |
/// | -----: | ---: | -------------------------------------------------------- |
/// |      0 |   12 | the record header of the plain value, with flag bit 1    |
/// |     12 |    – | one frame of the plain body, which states the body's size |
package struct CompressedValue: Hashable, Sendable {
    /// The bit of the flags that marks a compressed value.
    package static let flag: UInt8 = 2
    /// The place of the frame.
    package static let frameOffset = RecordHeader.size
    /// The most bytes of the body of a row: its time and the longest payload.
    private static let largestBody = 8 + Limits.payload

    /// The size of the plain value, in bytes; never more than that of the longest row.
    package let plainSize: Int
    /// The number of the dictionary that the frame was made with; 0 for none.
    package let dictionary: UInt32

    /// The most bytes of a compressed value: one that gains less than 12 % of the plain value is not stored.
    package static func largestSize(ofPlain size: Int) -> Int { size * 88 / 100 }

    /// Reads what a value states; nil for a value that is not compressed, or not in the form that writers produce.
    package init?(of value: RawSpan) {
        guard let first = value.littleEndian(at: 0, as: UInt32.self),
            first & 0xFF00_FFFF == UInt32(RecordHeader.version) | UInt32(Self.flag) << 8,
            let frame = FrameHeader(value, at: Self.frameOffset), frame.contentSize <= UInt64(Self.largestBody)
        else { return nil }
        plainSize = RecordHeader.size + Int(frame.contentSize)
        dictionary = frame.dictionary
    }

    /// Writes the record header of the compressed form of `plain`, which has one.
    package static func writeHeader(ofPlain plain: RawSpan, into output: inout MutableRawSpan) {
        copyHeader(of: plain, flags: flag, into: &output)
    }

    /// Writes the record header of the plain form of `compressed`, which has one.
    package static func writePlainHeader(of compressed: RawSpan, into output: inout MutableRawSpan) {
        copyHeader(of: compressed, flags: 0, into: &output)
    }

    private static func copyHeader(of value: RawSpan, flags: UInt8, into output: inout MutableRawSpan) {
        for offset in stride(from: 0, to: RecordHeader.size, by: 4) {
            var word = value.littleEndian(at: offset, as: UInt32.self) ?? 0
            if offset == 0 { word = word & 0xFFFF_00FF | UInt32(flags) << 8 }
            output.store(littleEndian: word, at: offset)
        }
    }
}

/// The header of a Zstandard frame. RFC 8878, section 3.1.1.1.
private struct FrameHeader {
    private static let magic: UInt32 = 0xFD2F_B528

    let contentSize: UInt64
    let dictionary: UInt32

    /// Reads the header at `offset`; nil for another one, and for one without a size or with a checksum.
    init?(_ value: RawSpan, at offset: Int) {
        guard value.littleEndian(at: offset, as: UInt32.self) == Self.magic, let descriptor = value.byte(at: offset + 4)
        else { return nil }
        // Bits 2 to 4: whether there is a checksum, and two that are not used.
        if descriptor & 0b1_1100 != 0 { return nil }
        let isSingleSegment = descriptor & 0b10_0000 != 0
        let dictionarySize = [0, 1, 2, 4][Int(descriptor & 0b11)]
        let sizeSize = [isSingleSegment ? 1 : 0, 2, 4, 8][Int(descriptor >> 6)]
        let place = offset + 5 + (isSingleSegment ? 0 : 1)
        guard sizeSize > 0, let dictionary = value.integer(at: place, size: dictionarySize),
            let size = value.integer(at: place + dictionarySize, size: sizeSize)
        else { return nil }
        self.dictionary = UInt32(truncatingIfNeeded: dictionary)
        // The field of two bytes has the size less 256.
        contentSize = sizeSize == 2 ? size + 256 : size
    }
}

extension RawSpan {
    /// Returns the little-endian integer of `size` bytes at `offset`, or nil when it does not fit.
    fileprivate func integer(at offset: Int, size: Int) -> UInt64? {
        var number: UInt64 = 0
        for index in 0..<size {
            guard let byte = byte(at: offset + index) else { return nil }
            number |= UInt64(byte) << UInt64(8 * index)
        }
        return number
    }
}
