public import HTTPTypes
internal import LarderTransport

extension CachePolicy {
    /// Returns the URIs whose stored responses an answer invalidates, the request's own first. RFC 9111 §4.4.
    ///
    /// The result is empty for a safe method and for an error. All URIs have the request's origin and its spelling.
    public func invalidations(by response: HTTPResponse, to request: HTTPRequest, url: String) -> [String] {
        guard !Self.safeMethods.contains(request.method.rawValue), (200..<400).contains(response.status.code) else {
            return []
        }
        var found = [String(url.prefix { $0 != "#" })]
        for name in ["location", "content-location"] {
            guard let target = response.headerFields.first(name).flatMap({ Self.target($0, from: url) }),
                !found.contains(target)
            else { continue }
            found.append(target)
        }
        return found
    }

    /// Returns the URI without a fragment that a value names, its origin spelled as in `url`; nil on another origin.
    static func target(_ value: [UInt8], from url: String) -> String? {
        guard let base = URIReference(url), let origin = base.origin,
            let reference = URIReference(String(decoding: value, as: UTF8.self))
        else { return nil }
        var target = base.resolving(reference)
        guard target.origin == origin else { return nil }
        target.scheme = base.scheme
        target.authority = base.authority
        return target.text
    }

    /// The methods that change nothing; any other method may. RFC 9110 §9.2.1, RFC 4918, RFC 3253, RFC 5323.
    private static let safeMethods: Set<String> = [
        "GET", "HEAD", "OPTIONS", "TRACE", "PROPFIND", "REPORT", "SEARCH", "QUERY",
    ]
}
