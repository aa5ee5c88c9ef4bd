#if AsyncHTTPClient
import HTTPTypes

/// Replaces bytes of field values that the client would lose, because it handles text only. A byte above ASCII becomes
/// a character of the last private-use plane (U+10FF80 to U+10FFFF), and is restored on the wire.
enum FieldBytes {
    /// The first byte of a stand-in.
    private static let lead: UInt8 = 0xF4
    /// The second byte of a stand-in.
    private static let second: UInt8 = 0x8F

    /// Returns the text that replaces the value of `field`; nil when the value is UTF-8 and needs no replacement.
    static func escapedValue(for field: HTTPField) -> String? {
        // Copied during the call.
        let bytes = unsafe field.withUnsafeBytesOfValue { unsafe [UInt8]($0) }
        // A value that looks like a stand-in is replaced, too: otherwise other bytes would be sent.
        if bytes.allSatisfy({ $0 < 0x80 }) || !bytes.contains(lead) && String(validating: bytes, as: UTF8.self) != nil {
            return nil
        }
        return String(decoding: escaped(bytes[...]), as: UTF8.self)
    }

    /// Returns the original bytes of a text from the client.
    static func bytes(of text: String) -> [UInt8] { unescaped(Array(text.utf8)) }

    /// Returns whether there are bytes to replace.
    static func needsEscaping(_ bytes: some Sequence<UInt8>) -> Bool { bytes.contains { $0 >= 0x80 } }

    /// Returns the bytes with every byte above ASCII replaced by its stand-in.
    static func escaped(_ bytes: some Sequence<UInt8>) -> [UInt8] {
        var result: [UInt8] = []
        for byte in bytes {
            if byte < 0x80 {
                result.append(byte)
            } else {
                result += [lead, second, 0xBE | byte >> 6 & 1, 0x80 | byte & 0x3F]
            }
        }
        return result
    }

    /// Returns the bytes with every stand-in replaced by its byte.
    static func unescaped(_ bytes: [UInt8]) -> [UInt8] {
        guard bytes.contains(lead) else { return bytes }
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count)
        var place = 0
        while place < bytes.count {
            let rest = bytes[place...].prefix(4)
            if rest.count == 4, rest[place] == lead, rest[place + 1] == second, rest[place + 2] & 0xFE == 0xBE,
                rest[place + 3] & 0xC0 == 0x80
            {
                result.append(0x80 | (rest[place + 2] & 1) << 6 | rest[place + 3] & 0x3F)
                place += 4
            } else {
                result.append(bytes[place])
                place += 1
            }
        }
        return result
    }
}
#endif
