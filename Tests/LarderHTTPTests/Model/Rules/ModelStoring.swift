// CacheModel: storing responses in a private cache (RFC 9111 §3).

import Foundation

// RFC 9111 §3: storing responses in caches. The cache is private, and understands GET, and POST where RFC 9110 says how.
extension CacheModel {
    /// RFC 9110 §15.1.
    static let heuristicallyCacheable: Set<Int> = [200, 203, 204, 206, 300, 301, 308, 404, 405, 410, 414, 501]

    /// The final status codes whose caching rules the model knows: the heuristically cacheable ones, and those of
    /// RFC 9110 §15 that ask nothing special of a cache.
    static let understood = heuristicallyCacheable.union([302, 303, 307, 400, 401, 403, 500, 502, 503, 504])

    /// RFC 9111 §3, without what a private cache need not ask.
    func mayStore(_ response: ModelResponse, to request: ModelRequest) -> Bool {
        guard response.status >= 200, response.status != 304 else { return false }
        guard request.method == "GET" || represents(response, of: request) else { return false }
        let understands = Self.understood.contains(response.status)
        let mustUnderstand = directives(response.fields).contains { $0.name == "must-understand" && !$0.isMalformed }
        if mustUnderstand, !understands { return false }
        if response.status == 206, contentRange(response) == nil { return false }
        // §5.2.2.3: a cache that understands ignores no-store beside must-understand.
        if forbidsStoring(response.fields), !mustUnderstand { return false }
        // §5.2.1.5
        if forbidsStoring(request.fields) { return false }
        return isMarkedCacheable(response) || Self.heuristicallyCacheable.contains(response.status)
    }

    /// RFC 9110 §9.3.3: a POST's response is cacheable with explicit freshness and a `Content-Location` that has the value
    /// of the target URI; §8.7: it is then a 200 whose content is the target's.
    private func represents(_ response: ModelResponse, of request: ModelRequest) -> Bool {
        let named = response.fields.all("Content-Location")
        guard request.method == "POST", response.status == 200, named.count == 1,
            response.fields.has("Expires") || has("max-age", in: response.fields),
            let base = URL(string: request.url), let target = URL(string: named[0], relativeTo: base)?.absoluteURL
        else { return false }
        return origin(target) == origin(base) && target.path == base.path && target.query == base.query
    }

    func forbidsStoring(_ fields: ModelFields) -> Bool {
        has("no-store", in: fields) || (options.understandsSourceSpellings && has("none", in: fields))
    }

    /// The last item of the list of §3, without the status code.
    func isMarkedCacheable(_ response: ModelResponse) -> Bool {
        response.fields.has("Expires")
            || isPublic(response.fields) || ["private", "max-age"].contains { has($0, in: response.fields) }
    }

    /// RFC 9111 §5.2.2.9; it takes no argument.
    func isPublic(_ fields: ModelFields) -> Bool {
        directives(fields).contains { $0.name == "public" && $0.argument == nil && !$0.isMalformed }
    }

    /// RFC 9111 §3.1: the fields to keep. Beside what must or may go, credentials and cookies go: this library writes
    /// no secrets to disk.
    func fieldsToStore(_ response: ModelResponse, receivedAt: Double) -> ModelFields {
        var stored = response.fields
        for name in unstoredNames(response.fields) { stored.remove(name) }
        // RFC 9110 §6.6.1: a response without Date gets the time at which it was received.
        if !stored.has("Date") { stored.lines.append(.init(name: "Date", value: httpDate(receivedAt))) }
        return stored
    }

    func unstoredNames(_ fields: ModelFields) -> Set<String> {
        let listed = (fields.combined("Connection") ?? "").listMembers.map { $0.lowercased() }
            .filter { !options.storedDespiteConnection.contains($0) }
        return Set(listed).union([
            // RFC 9110 §7.6.1
            "connection", "proxy-connection", "keep-alive", "te", "transfer-encoding", "upgrade", "trailer",
            // RFC 9111 §3.1
            "proxy-authenticate", "proxy-authentication-info", "proxy-authorization",
            // Secrets.
            "set-cookie", "set-cookie2", "cookie", "authorization", "authentication-info",
        ])
    }
}

// RFC 9111 §3.2: updating stored header fields.
extension CacheModel {
    /// The stored fields after a newer response's: each of its fields takes the place of those of the same name.
    func updating(_ stored: ModelFields, with response: ModelResponse, receivedAt: Double) -> ModelFields {
        var excepted = unstoredNames(response.fields)
        // §3.2 names Content-Length; what describes the kept bytes themselves must not change without them.
        excepted.formUnion(["content-length", "content-encoding", "content-range"])
        let new = response.fields.lines.filter { !excepted.contains($0.name.lowercased()) }
        var updated = stored
        for line in new { updated.remove(line.name) }
        updated.lines += new
        // The age is that of what was validated, §4.2.3: what the older answer said of it is of no use any more.
        if !response.fields.has("Age") { updated.remove("Age") }
        guard !response.fields.has("Date") else { return updated }
        // RFC 9110 §6.6.1, as for a response that is stored.
        updated.remove("Date")
        updated.lines.append(.init(name: "Date", value: httpDate(receivedAt)))
        return updated
    }
}
