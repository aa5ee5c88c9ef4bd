import HTTPTypes
import LarderFormat
import LarderTransport

/// The requests of one fetch along redirections, by the rules of ``HTTPCacheOptions/redirectLimit``. RFC 9110 §15.4.
struct RedirectChain: Sendable {
    private var last: FetchRequest
    private var visited: Set<HTTPRequest>
    private let limit: Int
    private let credentials: CredentialFields

    /// A chain that begins with `first`.
    init(_ first: FetchRequest, limit: Int, credentials: CredentialFields) {
        last = first
        visited = [first.request]
        self.limit = limit
        self.credentials = credentials
    }

    /// Returns the request that follows after this answer to the last one; nil when the answer ends the chain.
    ///
    /// - Throws: ``HTTPCacheError/redirectedTooOften(_:)`` for a chain that is too long or circular.
    mutating func request(after head: HTTPResponse) throws(HTTPCacheError) -> FetchRequest? {
        guard limit > 0, var next = target(of: head) else { return nil }
        next.request.headerFields = fields(to: next.request)
        if Self.becomesGet(last.request.method, head.status) {
            next.request.method = .get
            next.body = nil
            for name in Self.contentFields { next.request.headerFields[name] = nil }
        }
        // The first request is in `visited` too: at most `limit` more follow it.
        guard visited.count <= limit, visited.insert(next.request).inserted else { throw .redirectedTooOften(head) }
        last = next
        return next
    }

    /// Whether a head has a status that is followed, and a `Location`.
    static func isRedirection(_ head: HTTPResponse) -> Bool {
        [301, 302, 303, 307, 308].contains(head.status.code) && head.headerFields[.location] != nil
    }

    /// Returns the last request with the address that an answer names; nil when it is not to be followed there.
    private func target(of head: HTTPResponse) -> FetchRequest? {
        guard Self.isRedirection(head), let location = head.headerFields[.location],
            let reference = URIReference(location), let currentTarget = try? RequestTarget(last.request),
            let base = URIReference(currentTarget.text), let destination = FetchRequest(base.resolving(reference).text),
            currentTarget.scheme == "http" || destination.request.scheme?.lowercased() == "https"
        else { return nil }
        var next = last
        next.request.scheme = destination.request.scheme?.lowercased()
        next.request.authority = destination.request.authority
        next.request.path = destination.request.path
        next.key = nil
        return next
    }

    /// Returns the last request's fields without those that apply to its own address only.
    private func fields(to next: HTTPRequest) -> HTTPFields {
        var fields = last.request.headerFields
        let isSameOrigin = Self.origin(of: next) == Self.origin(of: last.request)
        for name in Set(fields.map(\.name))
        where Self.targetFields.contains(name) || !isSameOrigin && credentials.contains(name.canonicalName) {
            fields[name] = nil
        }
        return fields
    }

    private static func origin(of request: HTTPRequest) -> [String]? {
        (try? RequestTarget(request)).flatMap { URIReference($0.text)?.origin }
    }

    private static func becomesGet(_ method: HTTPRequest.Method, _ status: HTTPResponse.Status) -> Bool {
        switch status.code {
        case 303: method != .head
        case 301, 302: method == .post
        default: false
        }
    }

    private static let targetFields: Set<HTTPField.Name> =
        Set([.ifMatch, .ifNoneMatch, .ifModifiedSince, .ifUnmodifiedSince, .ifRange, .referer, .origin])
    private static let contentFields: [HTTPField.Name] = [
        .contentType, .contentLength, .contentEncoding, .contentLanguage, .contentLocation, .contentRange,
        .transferEncoding,
    ]
}

extension HTTPCache {
    /// Whether a redirection with this head is followed.
    func follows(_ head: HTTPResponse) -> Bool { options.redirectLimit > 0 && RedirectChain.isRedirection(head) }
}
