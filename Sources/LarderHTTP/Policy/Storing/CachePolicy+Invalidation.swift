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
        guard let base = URIReference(url), let origin = base.origin else { return found }
        for name in ["location", "content-location"] {
            guard let value = response.headerFields.first(name),
                let reference = URIReference(String(decoding: value, as: UTF8.self))
            else { continue }
            var target = base.resolving(reference)
            guard target.origin == origin else { continue }
            target.scheme = base.scheme
            target.authority = base.authority
            if !found.contains(target.text) { found.append(target.text) }
        }
        return found
    }

    /// Methods that change nothing; every other one, known or not, may. RFC 9110 §9.2.1, RFC 4918, RFC 3253, RFC 5323.
    private static let safeMethods: Set<String> = [
        "GET", "HEAD", "OPTIONS", "TRACE", "PROPFIND", "REPORT", "SEARCH", "QUERY",
    ]
}
