public import HTTPTypes

/// The place on a server below which every request goes: scheme, host and a base path such as `/content`.
///
/// Paths are appended to it as text and never resolved as references of RFC 3986 §5, which would drop the base path.
public struct BaseURL: Sendable, Hashable {
    /// `https` or `http`.
    public let scheme: String
    /// Host, and port where it is not the scheme's own.
    public let authority: String
    /// Empty, or a path that begins with a slash and does not end with one.
    public let basePath: String

    /// Takes `scheme://authority/base/path` apart.
    ///
    /// Nil unless the scheme is `http` or `https`, the host is not empty, and there is no user, query, fragment, empty
    /// or dot segment, and nothing but visible ASCII.
    public init?(_ text: String) {
        guard let separator = text.firstRange(of: "://") else { return nil }
        let scheme = text[..<separator.lowerBound].lowercased()
        guard scheme == "http" || scheme == "https" else { return nil }
        guard text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && !Self.forbidden.contains($0) }) else { return nil }
        let rest = text[separator.upperBound...]
        let slash = rest.firstIndex(of: "/") ?? rest.endIndex
        let authority = rest[..<slash]
        guard let first = authority.first, first != ":" else { return nil }
        var path = rest[slash...]
        if path.last == "/" { path.removeLast() }
        let segments = path.split(separator: "/", omittingEmptySubsequences: false).dropFirst()
        guard segments.allSatisfy({ !$0.isEmpty && $0 != "." && $0 != ".." }) else { return nil }
        self.scheme = scheme
        self.authority = String(authority)
        basePath = String(path)
    }

    private static let forbidden = Array("?#@\\<>\"^`{|}".utf8)

    /// A request for the base path with `pathAndQuery` appended as it is.
    ///
    /// - Parameter pathAndQuery: begins with a slash.
    public func request(
        _ method: HTTPRequest.Method, appending pathAndQuery: String, headers: HTTPFields = [:]
    ) -> HTTPRequest {
        precondition(pathAndQuery.hasPrefix("/"), "a path begins with a slash")
        return HTTPRequest(
            method: method, scheme: scheme, authority: authority, path: basePath + pathAndQuery, headerFields: headers)
    }
}

extension BaseURL: CustomStringConvertible {
    /// The text it was made from, without a slash at the end.
    public var description: String { "\(scheme)://\(authority)\(basePath)" }
}
