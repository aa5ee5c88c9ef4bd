public import HTTPTypes
internal import LarderTransport

extension CachePolicy {
    /// The URIs whose stored responses an answer makes invalid, the request's own first. RFC 9111 §4.4.
    ///
    /// Empty for a safe method and for an error. Only URIs of the same origin are given, spelled as the request's is.
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

    /// The URI without a fragment that a field's value names, its origin spelled as that of `url`; nil on another origin.
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

    /// Methods that change nothing; every other one, known or not, may. RFC 9110 §9.2.1, RFC 4918, RFC 3253, RFC 5323.
    private static let safeMethods: Set<String> = [
        "GET", "HEAD", "OPTIONS", "TRACE", "PROPFIND", "REPORT", "SEARCH", "QUERY",
    ]
}
