/// Reads a field value byte by byte, forwards only, so that every parser of this module is linear in its input.
///
/// RFC 9110 §5.6. No operation fails: a missing part is nil or empty.
package struct FieldScanner {
    /// The value.
    package let bytes: [UInt8]
    /// The number of bytes read so far.
    package private(set) var position = 0

    /// A scanner at the beginning of `bytes`.
    package init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// Whether all bytes are read.
    package var isAtEnd: Bool { position >= bytes.count }

    /// The next byte, which is not read yet; nil at the end.
    package var next: UInt8? { isAtEnd ? nil : bytes[position] }

    /// Reads `byte` if it is next, and returns whether it was.
    package mutating func consume(_ byte: UInt8) -> Bool {
        guard next == byte else { return false }
        position += 1
        return true
    }

    /// Reads the following bytes that satisfy `condition`.
    package mutating func read(while condition: (UInt8) -> Bool) -> ArraySlice<UInt8> {
        let start = position
        while position < bytes.count, condition(bytes[position]) { position += 1 }
        return bytes[start..<position]
    }

    /// Reads spaces and tabs. RFC 9110 §5.6.3.
    package mutating func skipSpace() {
        while let byte = next, byte == 0x20 || byte == 0x09 { position += 1 }
    }

    /// Reads white space and commas up to the next member of a list that is not empty. RFC 9110 §5.6.1.
    ///
    /// - Returns: whether there is one.
    package mutating func skipToMember() -> Bool {
        while let byte = next, byte == 0x20 || byte == 0x09 || byte == 0x2C { position += 1 }
        return !isAtEnd
    }

    /// Reads a token, which may be empty. RFC 9110 §5.6.2.
    package mutating func token() -> ArraySlice<UInt8> { read(while: Self.isTokenByte) }

    /// Reads a quoted string; nil when none is next, or when its end is missing and all is read. RFC 9110 §5.6.4.
    ///
    /// - Returns: its content, without quotes and escapes.
    package mutating func quotedString() -> [UInt8]? {
        guard consume(0x22) else { return nil }
        var content: [UInt8] = []
        while let byte = next {
            position += 1
            switch byte {
            case 0x22: return content
            case 0x5C:
                guard let escaped = next else { return nil }
                position += 1
                content.append(escaped)
            default: content.append(byte)
            }
        }
        return nil
    }

    /// Reads the rest of a list's member, up to its comma or the end; a comma between quotes does not end it.
    package mutating func skipMember() {
        while let byte = next, byte != 0x2C {
            if byte == 0x22 { _ = quotedString() } else { position += 1 }
        }
    }

    /// Skips white space, and returns whether the member ends here, at a comma or the end.
    package mutating func isAtMemberEnd() -> Bool {
        skipSpace()
        return next == nil || next == 0x2C
    }

    /// Whether a token may contain a byte. RFC 9110 §5.6.2.
    package static func isTokenByte(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x21, 0x23...0x27, 0x2A, 0x2B, 0x2D, 0x2E, 0x5E...0x60, 0x7C, 0x7E:
            true
        default: false
        }
    }

    /// Returns `bytes` without the spaces and tabs around them.
    package static func trimmed(_ bytes: [UInt8]) -> [UInt8] {
        guard let first = bytes.firstIndex(where: { $0 != 0x20 && $0 != 0x09 }),
            let last = bytes.lastIndex(where: { $0 != 0x20 && $0 != 0x09 })
        else { return [] }
        return first == 0 && last == bytes.count - 1 ? bytes : Array(bytes[first...last])
    }

    /// Returns `bytes` with the letters of ASCII in lower case.
    package static func lowered(_ bytes: some Sequence<UInt8>) -> [UInt8] {
        bytes.map { (0x41...0x5A).contains($0) ? $0 + 0x20 : $0 }
    }

    /// Returns the distinct tokens of a list, in lower case and in their order. Other members are left out.
    package static func tokens(_ bytes: [UInt8]) -> [String] {
        var scanner = FieldScanner(bytes)
        var tokens: [String] = []
        while scanner.skipToMember() {
            let token = scanner.token()
            guard !token.isEmpty, scanner.isAtMemberEnd() else {
                scanner.skipMember()
                continue
            }
            tokens.append(String(decoding: token, as: UTF8.self).lowercased())
        }
        if tokens.count < 2 { return tokens }
        var seen: Set<String> = []
        return tokens.filter { seen.insert($0).inserted }
    }

    /// Returns the members of a list, without the white space around them; empty ones are left out. RFC 9110 §5.6.1.
    package static func members(_ bytes: [UInt8]) -> [[UInt8]] {
        var scanner = FieldScanner(bytes)
        var members: [[UInt8]] = []
        while scanner.skipToMember() {
            let start = scanner.position
            scanner.skipMember()
            members.append(trimmed(Array(bytes[start..<scanner.position])))
        }
        return members
    }

    /// Returns digits as seconds, at most 2,147,483,648; nil for anything else. RFC 9111 §1.2.2.
    package static func deltaSeconds(_ bytes: some Collection<UInt8>) -> Int64? {
        guard !bytes.isEmpty else { return nil }
        var value: Int64 = 0
        for byte in bytes {
            guard (0x30...0x39).contains(byte) else { return nil }
            value = min(value * 10 + Int64(byte - 0x30), 2_147_483_648)
        }
        return value
    }
}
