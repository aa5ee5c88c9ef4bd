#if Server && AsyncHTTPClient
import HTTPTypes
import Larder
import LarderTransport

/// States the directives for shared caches in those that a private cache follows, because `HTTPCache` is a private one.
///
/// `private` becomes `no-store`, `s-maxage` becomes `max-age`, and `proxy-revalidate` becomes `must-revalidate`. A
/// response that sets a cookie was made for one client, and gets `no-store`. The origin's own words stay in a field
/// beside, which ``Forwarding`` puts back for clients.
struct SharedCacheRules: Transport {
    let base: any Transport

    func send(
        _ request: HTTPRequest, body: [UInt8]?, timeouts: TransportTimeouts
    ) async throws(TransportError) -> TransportResponse {
        var response = try await base.send(request, body: body, timeouts: timeouts)
        let fields = response.head.headerFields
        response.head.headerFields[.originCacheControl] = fields[.cacheControl]
        response.head.headerFields[.cacheControl] = Self.translated(
            fields[.cacheControl], setsCookie: fields[.setCookie] != nil)
        return response
    }

    /// Returns the directives for a private cache. RFC 9111 §5.2.2.7, §5.2.2.8, §5.2.2.10.
    private static func translated(_ directives: String?, setsCookie: Bool) -> String? {
        var parts = (directives ?? "").split(separator: ",").map { $0.trimmingPrefix { $0 == " " } }
        func value(of name: String) -> Substring? {
            parts.first { $0.lowercased().hasPrefix(name) }.map { $0.dropFirst(name.count) }
        }
        if setsCookie || value(of: "private") != nil { parts.append("no-store") }
        if let lifetime = value(of: "s-maxage=") {
            parts.removeAll { $0.lowercased().hasPrefix("max-age=") }
            parts += ["max-age=\(lifetime)", "must-revalidate"]
        }
        if value(of: "proxy-revalidate") != nil { parts.append("must-revalidate") }
        return parts.isEmpty ? nil : parts.joined(separator: ", ")
    }
}

/// The header fields that pass through the edge. RFC 9110 §7.6.
enum Forwarding {
    private static let hopByHop: Set<String> = [
        "connection", "keep-alive", "proxy-connection", "te", "trailer", "transfer-encoding", "upgrade",
    ]

    /// Returns the fields of a request for the origin. Its length is set anew, and its body is complete already.
    static func request(_ fields: HTTPFields) -> HTTPFields {
        endToEnd(fields, without: ["content-length", "expect", "host"])
    }

    /// Returns the fields of a response for a client, with the origin's own `Cache-Control`.
    static func response(_ fields: HTTPFields) -> HTTPFields {
        var fields = endToEnd(fields, without: [])
        fields[.cacheControl] = fields[.originCacheControl]
        fields[.originCacheControl] = nil
        return fields
    }

    private static func endToEnd(_ fields: HTTPFields, without others: Set<String>) -> HTTPFields {
        let listed = (fields[.connection] ?? "").lowercased().split { $0 == "," || $0 == " " }.map(String.init)
        let dropped = hopByHop.union(others).union(listed)
        var passed = HTTPFields(fields.filter { !dropped.contains($0.name.canonicalName) })
        passed.append(HTTPField(name: .via, value: "1.1 edge-cache"))
        return passed
    }
}

extension HTTPField.Name {
    /// The field that keeps the origin's `Cache-Control` with a stored response.
    fileprivate static var originCacheControl: HTTPField.Name {
        guard let name = HTTPField.Name("Edge-Origin-Cache-Control") else {
            preconditionFailure("the name has only letters and hyphens")
        }
        return name
    }
}
#endif
