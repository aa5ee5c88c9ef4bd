/// The bytes of a sealed value: an encrypted value with the number of the key that opens it.
///
/// FORMAT.md, "Sealed values". Integers are little-endian.
///
/// | offset | size | field                                        |
/// | -----: | ---: | -------------------------------------------- |
/// |      0 |    4 | the bytes 01 01 00 00: version 1, flag bit 0 |
/// |      4 |    4 | `key`, the number of the data key            |
/// |      8 |   12 | nonce                                        |
/// |     20 |  *n* | ciphertext of the plain value                |
/// | 20 + n |   16 | tag                                          |
package enum SealedValue {
    /// The bit of the flags that marks a sealed value.
    package static let flag: UInt8 = 1
    /// The place of what the cipher makes: nonce, ciphertext and tag.
    package static let boxOffset = 8
    /// The size of the nonce, in bytes.
    package static let nonceSize = 12
    /// The size of the tag, in bytes.
    package static let tagSize = 16
    /// The number of bytes by which a sealed value is longer than the plain one.
    package static let overhead = boxOffset + nonceSize + tagSize

    /// The first four bytes as a little-endian number.
    private static let header4 = UInt32(RecordHeader.version) | UInt32(flag) << 8

    /// Returns the number of the key that a value names, or nil for a value that is not sealed.
    package static func keyNumber(of value: RawSpan) -> UInt32? {
        guard value.byteCount >= overhead, value.littleEndian(at: 0, as: UInt32.self) == header4 else { return nil }
        return value.littleEndian(at: 4, as: UInt32.self)
    }

    /// Writes what precedes the nonce.
    package static func writeHead(key number: UInt32, into output: inout MutableRawSpan) {
        output.store(littleEndian: header4, at: 0)
        output.store(littleEndian: number, at: 4)
    }

    /// Fills `output` with a value that every reader refuses as ``FormatError/notAuthentic``.
    package static func writeRefused(into output: inout MutableRawSpan) {
        output.fillWithZeros()
        if output.byteCount >= 4 { output.store(littleEndian: header4, at: 0) }
    }

    /// Returns the bytes that a value is bound to: its head, its table and its key.
    package static func additionalData(key number: UInt32, table: String, key: RawSpan) -> [UInt8] {
        var data: [UInt8] = []
        data.reserveCapacity(boxOffset + 16 + key.byteCount)
        for shift in [0, 8, 16, 24] as [UInt32] { data.append(UInt8(truncatingIfNeeded: header4 >> shift)) }
        for shift in [0, 8, 16, 24] as [UInt32] { data.append(UInt8(truncatingIfNeeded: number >> shift)) }
        data.append(contentsOf: table.utf8)
        data.append(0)
        data.append(copying: key)
        return data
    }

    /// Returns the bytes that a wrapped key is bound to: the store, and the number of the key.
    package static func additionalData(wrappedKey number: UInt32, of store: UUIDBytes) -> [UInt8] {
        var data = Array("larder keys".utf8) + [0]
        for half in [store.high, store.low] {
            for shift in stride(from: 56, through: 0, by: -8) {
                data.append(UInt8(truncatingIfNeeded: half >> UInt64(shift)))
            }
        }
        for shift in [0, 8, 16, 24] as [UInt32] { data.append(UInt8(truncatingIfNeeded: number >> shift)) }
        return data
    }
}
