/// The errors of bytes read from a store, and of values that the format cannot hold.
///
/// Offsets count bytes from the start of the key or body being read. No case carries the app's content: names, keys and
/// payloads never appear in a description.
public enum FormatError: Error, Hashable, Sendable {
    // While encoding: the value does not fit.

    /// The encoded key, or the named part of one, is longer than the format allows, in bytes.
    case keyTooLong(actual: Int, limit: Int)
    /// A text with its own limit (canonical filter, token) is too long, in bytes of UTF-8.
    case textTooLong(actual: Int, limit: Int)
    /// The payload is longer than ``Limits/payload``, in bytes.
    case payloadTooLarge(actual: Int, limit: Int)
    /// A header field of this name carries credentials, which are never stored.
    case credentialField

    // While reading an element.

    /// The bytes end before the end of the element, record or header.
    case truncated(offset: Int)
    /// No element begins with this byte.
    case unknownCode(UInt8, offset: Int)
    /// A text is not UTF-8.
    case invalidUTF8(offset: Int)
    /// The element is well-formed, but not the one encoding of its value.
    case notCanonical(offset: Int)
    /// The integer is outside -2^63 ... 2^63-1.
    case integerOutOfRange(offset: Int)
    /// An element of another kind is here.
    case unexpectedElement(expected: ElementKind, code: UInt8, offset: Int)
    /// Bytes follow where a key must end.
    case trailingBytes(offset: Int)

    // While opening a record.

    /// The record header has a version that this software does not know.
    case unsupportedVersion(UInt8)
    /// A bit or byte of the record header that must be zero is not.
    case reservedBits
    /// The codec byte of the record header is none of those defined.
    case unknownCodec(UInt8)
    /// The codec is defined, but this table does not hold such records.
    case unexpectedCodec(UInt8)
    /// The stored checksum does not match this body under this key and owner: the record is damaged or misplaced.
    case checksumMismatch
    /// The record is sealed, and was not opened by the key that it names: it is damaged, misplaced or forged. Or it is
    /// plain in a sealed store.
    case notAuthentic
    /// The row is compressed, and was not decompressed: its frame is damaged, or the dictionary that it names is lost.
    case notDecompressed
    /// A field holds a number that has no meaning there; `field` is its name in FORMAT.md.
    case invalidValue(field: String, value: Int64)

    // While opening a store.

    /// The format record does not begin with the word `larder`.
    case notAStore
    /// The store requires a reader of this format number, above ``FormatVersion/current``.
    case newerFormat(minimumReader: Int64)
    /// The store was made for readers of this format number, which this software no longer supports.
    case olderFormat(minimumReader: Int64)
    /// The store uses features without which it cannot be read; the value has their bits.
    case unknownFeatures(UInt64)
}

extension FormatError {
    /// The kind of element that a reader expected.
    public enum ElementKind: String, Hashable, Sendable {
        /// Codes 0C to 1C.
        case integer
        /// Code 02.
        case text
        /// Code 03.
        case bytes
        /// Codes 26 and 27.
        case bool
        /// Code 30.
        case uuid
        /// Code 01 with an integer, or code 02.
        case recordKey = "record key"
    }
}

extension FormatError: CustomStringConvertible {
    /// One line for a log, without the app's content.
    public var description: String {
        switch self {
        case .keyTooLong(let actual, let limit): "encoded key of \(actual) bytes exceeds \(limit)"
        case .textTooLong(let actual, let limit): "text of \(actual) bytes exceeds \(limit)"
        case .payloadTooLarge(let actual, let limit): "payload of \(actual) bytes exceeds \(limit)"
        case .credentialField: "a header field would store credentials"
        case .truncated(let offset): "bytes end early, at offset \(offset)"
        case .unknownCode(let code, let offset): "unknown element code \(hexadecimal(code)) at offset \(offset)"
        case .invalidUTF8(let offset): "text at offset \(offset) is not UTF-8"
        case .notCanonical(let offset): "element at offset \(offset) is not in canonical form"
        case .integerOutOfRange(let offset): "integer at offset \(offset) exceeds 64 bits signed"
        case .unexpectedElement(let expected, let code, let offset):
            "expected \(expected.rawValue) at offset \(offset), found element code \(hexadecimal(code))"
        case .trailingBytes(let offset): "bytes follow the end of the key, at offset \(offset)"
        case .unsupportedVersion(let version): "unsupported record version \(version)"
        case .reservedBits: "reserved bits of the record header are set"
        case .unknownCodec(let codec): "unknown codec \(codec)"
        case .unexpectedCodec(let codec): "unexpected codec \(codec)"
        case .checksumMismatch: "checksum mismatch"
        case .notAuthentic: "encrypted record is damaged, misplaced or forged"
        case .notDecompressed: "compressed record is damaged, or its dictionary is lost"
        case .invalidValue(let field, let value): "field \(field) cannot be \(value)"
        case .notAStore: "no larder store"
        case .newerFormat(let minimumReader): "store needs a reader of format \(minimumReader)"
        case .olderFormat(let minimumReader): "store is of the older format \(minimumReader), which is no longer read"
        case .unknownFeatures(let bits): "store uses unknown features \(String(bits, radix: 16))"
        }
    }

    private func hexadecimal(_ byte: UInt8) -> String {
        (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
    }
}
