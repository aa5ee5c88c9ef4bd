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
        guard !Self.hasDotSegment(path.prefix { $0 != "?" }) else {
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
        let bytes = Array(text.utf8)
        let host: ArraySlice<UInt8>
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
        isNameByte(byte) || "/?%:@!$&'()*+,;=".utf8.contains(byte)
    }

    /// Returns whether two hexadecimal digits follow every percent sign.
    static func isEncodingWhole(_ text: some StringProtocol) -> Bool {
        text.split(separator: "%", omittingEmptySubsequences: false).dropFirst().allSatisfy { part in
            part.utf8.prefix(2).count == 2 && part.prefix(2).allSatisfy { $0.isASCII && $0.isHexDigit }
        }
    }

    /// Returns whether a segment is `.` or `..`, percent-encoded or not.
    static func hasDotSegment(_ path: some StringProtocol) -> Bool {
        path.split(separator: "/").contains { segment in
            let plain = segment.lowercased().replacing("%2e", with: ".")
            return plain == "." || plain == ".."
        }
    }

    private static func isPort(_ bytes: ArraySlice<UInt8>) -> Bool {
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
