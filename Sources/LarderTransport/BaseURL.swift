public import HTTPTypes

/// The address of a server; paths are appended to it as text.
///
/// Appending is never RFC 3986 resolution: that would drop a base path such as `/content`, and read `//other.test/x` as
/// another host.
///
/// ```swift
/// let base = BaseURL("https://api.example.org/content")
/// let request = base.request(appending: "/api/v4/changes?limit=100")
/// print(request.path ?? "")  // "/content/api/v4/changes?limit=100": appended as text
/// ```
public struct BaseURL: Sendable, Hashable {
    /// `http` or `https`.
    public let scheme: String

    /// The host in lower case, and the port where one is given: `api.example.org` or `[::1]:8080`.
    public let authority: String

    /// Empty, or a path that begins with a slash and does not end with one, such as `/content`.
    public let basePath: String

    /// Parses an address; `nil` unless it is a plain one.
    ///
    /// A plain address has the scheme `http` or `https`, a host, at most a port and a path, and nothing else: no user
    /// information, query or fragment. The path contains no empty segment, no `.` or `..` (percent-encoded or not), no
    /// backslash and no encoded slash. One trailing slash is dropped.
    public init?(_ text: String) {
        guard let separator = text.utf8.firstRange(of: "://".utf8) else { return nil }
        let scheme = text[..<separator.lowerBound].lowercased()
        let rest = text[separator.upperBound...]
        let authorityEnd = rest.utf8.firstIndex(of: UInt8(ascii: "/")) ?? rest.endIndex
        let authority = rest[..<authorityEnd].lowercased()
        var path = rest[authorityEnd...]
        if path.utf8.last == UInt8(ascii: "/") { path.removeLast() }
        guard RequestTarget.isScheme(scheme), RequestTarget.isAuthority(authority), Self.isBasePath(path) else {
            return nil
        }
        self.scheme = scheme
        self.authority = authority
        self.basePath = String(path)
    }

    /// Returns a request for the base path followed by `pathAndQuery`, byte for byte.
    ///
    /// Nothing is checked here. The text must begin with `/`, or with `?` after a base path. Every transport refuses a
    /// request whose path would change the host, with ``TransportError/invalidRequest(reason:)``.
    ///
    /// - Parameters:
    ///   - method: The request's method.
    ///   - pathAndQuery: The text to append, such as `/api/v4/changes?limit=100`.
    ///   - headers: The request's header fields.
    public func request(
        _ method: HTTPRequest.Method = .get, appending pathAndQuery: String, headers: HTTPFields = [:]
    ) -> HTTPRequest {
        HTTPRequest(
            method: method, scheme: scheme, authority: authority, path: basePath + pathAndQuery, headerFields: headers)
    }

    /// Returns the text to append for the target of a response's `Location`; nil when the target is on another server,
    /// or not below this address. Credentials are not sent there.
    ///
    /// - Parameter endpoint: The text that was appended for the request of this response.
    /// - Complexity: O(length). RFC 9110 §10.2.2.
    package func endpoint(ofLocation location: String, answering endpoint: String) -> String? {
        guard !location.isEmpty, let requested = URIReference(description + endpoint),
            let reference = URIReference(location)
        else {
            return nil
        }
        let target = requested.resolving(reference)
        guard let origin = target.origin, origin == requested.origin, target.path.hasPrefix(basePath + "/") else {
            return nil
        }
        let path = target.path.dropFirst(basePath.count)
        if path.hasPrefix("//") { return nil }
        return path + (target.query.map { "?" + $0 } ?? "")
    }

    /// The server as text, without the path: the key under which a Retry-After is stored.
    package var origin: String { "\(scheme)://\(authority)" }

    /// A text that identifies this server and path: the address without the default port.
    package var identity: String {
        let port = scheme == "https" ? ":443" : ":80"
        let host = authority.hasSuffix(port) ? String(authority.dropLast(port.count)) : authority
        return "\(scheme)://\(host)\(basePath)"
    }

    private static func isBasePath(_ path: Substring) -> Bool {
        if path.isEmpty { return true }
        guard path.utf8.allSatisfy({ RequestTarget.isPathByte($0) && $0 != UInt8(ascii: "?") }),
            RequestTarget.isEncodingWhole(path), !RequestTarget.hasDotSegment(path)
        else { return false }
        let segments = path.dropFirst().split(separator: "/", omittingEmptySubsequences: false)
        return segments.allSatisfy { segment in
            let plain = segment.lowercased()
            return !plain.isEmpty && !plain.contains("%2f") && !plain.contains("%5c")
        }
    }
}

extension BaseURL: CustomStringConvertible {
    /// The address as text, without a trailing slash.
    public var description: String { "\(scheme)://\(authority)\(basePath)" }
}

extension BaseURL: ExpressibleByStringLiteral {
    /// An address in the program: `"https://api.example.org/content"`.
    ///
    /// - Precondition: The address is plain; for text from outside there is ``init(_:)``.
    public init(stringLiteral text: String) {
        guard let url = BaseURL(text) else { preconditionFailure("\(text) is no plain http address") }
        self = url
    }
}
