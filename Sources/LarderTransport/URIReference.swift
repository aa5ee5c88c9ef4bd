/// The parts of a URI or a relative reference. RFC 3986 §4.1.
package struct URIReference: Hashable, Sendable {
    /// The scheme without its colon; nil in a relative reference.
    package var scheme: String?
    /// The host with its user information and port; nil without `//`.
    package var authority: String?
    /// The path; may be empty.
    package var path: String
    /// The query without its `?`; nil without one.
    package var query: String?

    /// Parses `text` without its fragment; nil when it contains controls, spaces, or bytes beyond ASCII, which no URI
    /// may.
    package init?(_ text: String) {
        guard text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else { return nil }
        var rest = Substring(text)
        if let hash = rest.firstIndex(of: "#") { rest = rest[..<hash] }
        if let mark = rest.firstIndex(of: "?") {
            query = String(rest[rest.index(after: mark)...])
            rest = rest[..<mark]
        }
        if let colon = rest.firstIndex(of: ":"), Self.isScheme(rest[..<colon]) {
            scheme = String(rest[..<colon])
            rest = rest[rest.index(after: colon)...]
        }
        if rest.hasPrefix("//") {
            rest = rest.dropFirst(2)
            let end = rest.firstIndex(of: "/") ?? rest.endIndex
            authority = String(rest[..<end])
            rest = rest[end...]
        }
        path = String(rest)
    }

    /// Returns the target of `reference` relative to this URI. RFC 3986 §5.2.2.
    package func resolving(_ reference: URIReference) -> URIReference {
        var target = reference
        if reference.scheme != nil {
            target.path = Self.removingDotSegments(reference.path)
            return target
        }
        target.scheme = scheme
        if reference.authority != nil {
            target.path = Self.removingDotSegments(reference.path)
            return target
        }
        target.authority = authority
        if reference.path.isEmpty {
            target.path = path
            target.query = reference.query ?? query
        } else {
            target.path = Self.removingDotSegments(
                reference.path.hasPrefix("/") ? reference.path : merged(reference.path))
        }
        return target
    }

    /// Scheme, host and port in one spelling, for comparison; nil without a scheme or a host. RFC 9110 §4.3.1.
    package var origin: [String]? {
        guard let scheme = scheme?.lowercased(), let authority else { return nil }
        let place = authority.lastIndex(of: "@").map { authority.index(after: $0) } ?? authority.startIndex
        let host = authority[place...].lowercased()
        guard !host.isEmpty else { return nil }
        // A colon inside brackets belongs to an address, not to a port.
        guard let colon = host.lastIndex(of: ":"), !host[colon...].contains("]") else {
            return [scheme, host, Self.port(of: scheme)]
        }
        let port = String(host[host.index(after: colon)...])
        return [scheme, String(host[..<colon]), port.isEmpty ? Self.port(of: scheme) : port]
    }

    /// The URI composed of its parts. RFC 3986 §5.3.
    package var text: String {
        (scheme.map { $0 + ":" } ?? "") + (authority.map { "//" + $0 } ?? "") + path + (query.map { "?" + $0 } ?? "")
    }

    private static func port(of scheme: String) -> String {
        switch scheme {
        case "http": "80"
        case "https": "443"
        default: ""
        }
    }

    private static func isScheme(_ text: Substring) -> Bool {
        guard let first = text.utf8.first, (0x41...0x5A).contains(first & 0xDF) else { return false }
        return text.utf8.allSatisfy {
            (0x41...0x5A).contains($0 & 0xDF) || (0x30...0x39).contains($0) || [0x2B, 0x2D, 0x2E].contains($0)
        }
    }

    /// Returns the path of a relative reference merged with this URI's path. RFC 3986 §5.2.3.
    private func merged(_ reference: String) -> String {
        if authority != nil, path.isEmpty { return "/" + reference }
        guard let slash = path.lastIndex(of: "/") else { return reference }
        return path[...slash] + reference
    }

    /// Returns a path without its dot segments. RFC 3986 §5.2.4.
    private static func removingDotSegments(_ path: String) -> String {
        var output: [Substring] = []
        let segments = path.split(separator: "/", omittingEmptySubsequences: false)
        let isAbsolute = path.hasPrefix("/")
        for (index, segment) in segments.enumerated() where index > 0 || !isAbsolute {
            let isLast = index == segments.count - 1
            switch segment {
            case ".": if isLast { output.append("") }
            case "..":
                if !output.isEmpty { output.removeLast() }
                if isLast { output.append("") }
            default: output.append(segment)
            }
        }
        return (isAbsolute ? "/" : "") + output.joined(separator: "/")
    }
}
