public import HTTPTypes

/// The validated target of a request; every transport makes this check before it sends.
///
/// The check prevents that a path becomes part of the host (`@evil.test/`, `.evil.test/`) and that control characters
/// reach the request line, whatever the underlying client does.
public struct RequestTarget: Sendable, Hashable {
    /// `http` or `https`.
    public let scheme: String

    /// The host, and the port where one is given.
    public let authority: String

    /// The path and query; begins with `/`.
    public let path: String

    /// The target as an absolute address.
    public var text: String { "\(scheme)://\(authority)\(path)" }

    /// Validates the target of `request`.
    ///
    /// - Throws: ``TransportError/invalidRequest(reason:)`` when the scheme is neither `http` nor `https`, the
    ///   authority is not a host with at most a port, or the path does not follow RFC 3986 §3.3 and §3.4 (a leading
    ///   `/`, percent-encoded where necessary) or contains a segment `.` or `..`, encoded or not.
    public init(_ request: HTTPRequest) throws(TransportError) {
        guard let scheme = request.scheme?.lowercased(), Self.isScheme(scheme) else {
            throw .invalidRequest(reason: "the scheme is neither http nor https")
        }
        guard let authority = request.authority, Self.isAuthority(authority) else {
            throw .invalidRequest(reason: "the authority is not a host with at most a port")
        }
        guard let path = request.path, path.utf8.first == UInt8(ascii: "/") else {
            throw .invalidRequest(reason: "the path does not begin with a slash")
        }
        guard path.utf8.allSatisfy(Self.isPathByte), Self.isEncodingWhole(path) else {
            throw .invalidRequest(reason: "the path is not percent-encoded as it must be")
        }
        // Some clients resolve these segments, some do not: a server must not see two spellings.
        guard !Self.hasDotSegment(path) else {
            throw .invalidRequest(reason: "the path holds a dot segment")
        }
        self.scheme = scheme
        self.authority = authority
        self.path = path
    }

    static func isScheme(_ text: String) -> Bool {
        text == "http" || text == "https"
    }

    /// Returns whether `text` is an authority without user information (RFC 3986 §3.2): a registered name of plain
    /// bytes, IPv4, or bracketed IPv6; then a port.
    static func isAuthority(_ text: String) -> Bool {
        let bytes = text.utf8
        let host: Substring.UTF8View
        if bytes.first == UInt8(ascii: "[") {
            guard let close = bytes.firstIndex(of: UInt8(ascii: "]")) else { return false }
            host = bytes[...close]
            guard host.dropFirst().dropLast().contains(UInt8(ascii: ":")),
                host.dropFirst().dropLast().allSatisfy(isIPv6Byte)
            else { return false }
        } else {
            host = bytes.prefix { $0 != UInt8(ascii: ":") }
            guard !host.isEmpty, host.allSatisfy(isNameByte) else { return false }
        }
        let rest = bytes[host.endIndex...]
        return rest.isEmpty || isPort(rest)
    }

    /// Returns whether a byte is RFC 3986 §3.3 `pchar`, the slash, the `?`, or a percent sign.
    static func isPathByte(_ byte: UInt8) -> Bool {
        switch byte {
        // `!`, `$` to `/`, `:`, `;`, `=`, `?` and `@`.
        case 0x21, 0x24...0x2F, 0x3A, 0x3B, 0x3D, 0x3F, 0x40: true
        default: isNameByte(byte)
        }
    }

    /// Returns whether two hexadecimal digits follow every percent sign.
    static func isEncodingWhole(_ text: some StringProtocol) -> Bool {
        var missing = 0
        for byte in text.utf8 {
            if missing > 0 {
                guard isDigit(byte) || (0x41...0x46).contains(byte & 0xDF) else { return false }
                missing -= 1
            } else if byte == UInt8(ascii: "%") {
                missing = 2
            }
        }
        return missing == 0
    }

    /// Returns whether a segment of a path, up to its query, is `.` or `..`, percent-encoded or not.
    static func hasDotSegment(_ path: some StringProtocol) -> Bool {
        // The dots of the segment so far, three or more once it has another byte, and the bytes of a begun `%2e`.
        var (dots, begun) = (0, 0)
        for byte in path.utf8 {
            switch (begun, byte) {
            case (_, UInt8(ascii: "?")): return isDots(dots, begun)
            case (_, UInt8(ascii: "/")):
                if isDots(dots, begun) { return true }
                (dots, begun) = (0, 0)
            case (0, UInt8(ascii: ".")): dots += 1
            case (0, UInt8(ascii: "%")), (1, UInt8(ascii: "2")): begun += 1
            case (2, UInt8(ascii: "e")), (2, UInt8(ascii: "E")): (dots, begun) = (dots + 1, 0)
            default: dots = 3
            }
        }
        return isDots(dots, begun)
    }

    private static func isDots(_ dots: Int, _ begun: Int) -> Bool { begun == 0 && (dots == 1 || dots == 2) }

    private static func isPort(_ bytes: Substring.UTF8View) -> Bool {
        let digits = bytes.dropFirst()
        guard bytes.first == UInt8(ascii: ":"), (1...5).contains(digits.count), digits.allSatisfy(isDigit) else {
            return false
        }
        // At most five digits: the number fits.
        let port = digits.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
        return (1...Int(UInt16.max)).contains(port)
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
        case UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"): true
        default: isDigit(byte)
        }
    }

    private static func isIPv6Byte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "f"), UInt8(ascii: "A")...UInt8(ascii: "F"): true
        case UInt8(ascii: ":"), UInt8(ascii: "."): true
        default: isDigit(byte)
        }
    }
}
