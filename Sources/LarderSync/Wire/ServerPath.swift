/// A path with an optional query that the server sent and that is safe to append to a base URL.
///
/// Append it textually, and never resolve it as a reference of RFC 3986 §5. That would drop a base path such as
/// `/content`, and would make another host of `//elsewhere/…`. Its path part holds only characters of RFC 3986 §3.3
/// without `@`, and nothing that a server or proxy could normalise into another path.
public struct ServerPath: Hashable, Sendable {
    /// The prefix of every path.
    public static let prefix = "/api/v4/"

    /// The longest path with its query, in bytes.
    public static let maximumLength = 16 << 10

    /// The path and query as the server sent it, ASCII only.
    public let text: String

    /// The reason a path was refused.
    public enum Fault: Hashable, Sendable {
        /// It does not begin with ``ServerPath/prefix``, so it is absolute, of another interface, or no path.
        case foreignPrefix
        /// It is longer than ``ServerPath/maximumLength``.
        case tooLong
        /// It contains a byte that RFC 3986 allows in neither path nor query, such as a space, a control character, a
        /// backslash, `#` or a byte beyond ASCII.
        case forbiddenByte
        /// Its path part holds `//`.
        case emptySegment
        /// Its path part holds `..`, or a segment `.`.
        case dotSegment
        /// A percent sign is not followed by two hexadecimal digits.
        case malformedEscape
        /// Its path part encodes `/`, `\`, `.`, `%`, a control character, or bytes that are not UTF-8.
        case forbiddenEscape
    }

    /// A path from the server, checked.
    ///
    /// - Throws: ``WireError/unsafePath(_:)`` with the first fault found.
    /// - Complexity: O(*n*) for *n* bytes.
    public init(_ text: String) throws(WireError) {
        if let fault = Self.fault(in: Array(text.utf8)) { throw .unsafePath(fault) }
        self.text = text
    }

    /// A path that was made from parts already encoded, without a check.
    init(encoded text: String) {
        self.text = text
    }

    private static func fault(in bytes: [UInt8]) -> Fault? {
        guard bytes.starts(with: prefix.utf8) else { return .foreignPrefix }
        guard bytes.count <= maximumLength else { return .tooLong }
        let queryStart = bytes.firstIndex(of: UInt8(ascii: "?")) ?? bytes.endIndex
        return pathFault(bytes[..<queryStart]) ?? queryFault(bytes[queryStart...].dropFirst())
    }

    private static func pathFault(_ path: ArraySlice<UInt8>) -> Fault? {
        let (slash, dot, percent) = (UInt8(ascii: "/"), UInt8(ascii: "."), UInt8(ascii: "%"))
        guard path.allSatisfy({ isPathByte($0) || $0 == percent }) else { return .forbiddenByte }
        for (first, second) in zip(path, path.dropFirst()) where first == second {
            if first == slash { return .emptySegment }
            if first == dot { return .dotSegment }
        }
        if path.split(separator: slash).contains([dot]) { return .dotSegment }
        guard let decoded = percentDecoded(path) else { return .malformedEscape }
        return areHarmless(decoded) ? nil : .forbiddenEscape
    }

    private static func queryFault(_ query: ArraySlice<UInt8>) -> Fault? {
        let others = Array("/?@%".utf8)
        guard query.allSatisfy({ isPathByte($0) || others.contains($0) }) else { return .forbiddenByte }
        return percentDecoded(query) == nil ? .malformedEscape : nil
    }

    /// Whether RFC 3986 §3.3 allows a byte unencoded in a path, `/` included, `@` left out.
    private static func isPathByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
        case UInt8(ascii: "0")...UInt8(ascii: "9"): true
        default: "-._~!$&'()*+,;=:/".utf8.contains(byte)
        }
    }

    /// Returns the bytes with escapes decoded, in order; `nil` when an escape is malformed.
    private static func percentDecoded(_ bytes: ArraySlice<UInt8>) -> [Decoded]? {
        var decoded: [Decoded] = []
        var index = bytes.startIndex
        while index < bytes.endIndex {
            guard bytes[index] == UInt8(ascii: "%") else {
                decoded.append(Decoded(byte: bytes[index], isEscaped: false))
                index += 1
                continue
            }
            guard index + 2 < bytes.endIndex, let high = hexadecimal(bytes[index + 1]),
                let low = hexadecimal(bytes[index + 2])
            else { return nil }
            decoded.append(Decoded(byte: high << 4 | low, isEscaped: true))
            index += 3
        }
        return decoded
    }

    private struct Decoded {
        let byte: UInt8
        let isEscaped: Bool
    }

    private static func areHarmless(_ decoded: [Decoded]) -> Bool {
        for character in decoded where character.isEscaped {
            if character.byte < 0x20 || character.byte == 0x7F || "/\\.%".utf8.contains(character.byte) { return false }
        }
        // Overlong forms of `/` and `.` are not UTF-8, and the controls U+0080 to U+009F are encoded in two bytes.
        guard let text = String(validating: decoded.map(\.byte), as: UTF8.self) else { return false }
        return !text.unicodeScalars.contains { (0x80...0x9F).contains($0.value) }
    }

    private static func hexadecimal(_ byte: UInt8) -> UInt8? {
        Character(Unicode.Scalar(byte)).isASCII ? Character(Unicode.Scalar(byte)).hexDigitValue.map { UInt8($0) } : nil
    }
}
