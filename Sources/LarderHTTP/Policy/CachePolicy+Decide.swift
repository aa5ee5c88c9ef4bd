public import HTTPTypes

// The decisions a cache takes, in the order in which an exchange meets them. Times are milliseconds since 1970 UTC.
extension CachePolicy {
    /// What to do with `request`, given what is stored under its key. RFC 9111 §4.
    ///
    /// - Parameters:
    ///   - request: as the host made it; its own conditions and cache directives count.
    ///   - url: its target URI.
    ///   - candidates: every response stored under its key.
    public func reuse(
        _ request: HTTPRequest, url: String, among candidates: [StoredResponse], terms: RequestTerms = RequestTerms(),
        at now: Int64
    ) -> ReuseDecision {
        .forward(request: request, because: CacheReason("miss", "Nothing is stored."))
    }

    /// Whether the response to `request` is kept. RFC 9111 §3.
    ///
    /// - Parameters:
    ///   - request: as it was sent.
    ///   - requestedAt: when it was sent.
    ///   - receivedAt: when the head of the response came.
    public func storage(
        of response: HTTPResponse, to request: HTTPRequest, url: String, terms: RequestTerms = RequestTerms(),
        requestedAt: Int64, receivedAt: Int64
    ) -> StorageDecision {
        .refuse(because: CacheReason("undecided", "It is not known whether it may be stored."))
    }

    /// What the response to `request` does to what is stored under its key. RFC 9111 §3.2, §3.4, §4.3.
    public func update(
        _ candidates: [StoredResponse], by response: HTTPResponse, to request: HTTPRequest,
        requestedAt: Int64, receivedAt: Int64
    ) -> UpdateDecision {
        .none(because: CacheReason("unrelated", "The answer is a whole new response."))
    }

    /// The URIs whose stored responses an answer makes invalid, the request's own first. RFC 9111 §4.4.
    ///
    /// Empty for a safe method and for an error. Only URIs of the same origin are given.
    public func invalidations(by response: HTTPResponse, to request: HTTPRequest, url: String) -> [String] {
        []
    }

    /// How fresh a stored response is. RFC 9111 §4.2.
    public func freshness(
        of response: StoredResponse, terms: RequestTerms = RequestTerms(), at now: Int64
    ) -> Freshness {
        Freshness(age: 0, lifetime: 0, softLifetime: 0, source: .none, needsValidation: true)
    }

    /// Whether a stored response may be used in place of an error of the server, or without any answer.
    /// RFC 9111 §4.2.4, RFC 5861 §4.
    ///
    /// - Parameter status: the status of the server's error; nil when nobody answered.
    public func fallback(
        to response: StoredResponse, for request: HTTPRequest, status: HTTPResponse.Status?,
        terms: RequestTerms = RequestTerms(), at now: Int64
    ) -> FallbackDecision {
        .refuse(because: CacheReason("undecided", "It is not known whether it may be used."))
    }

    /// The header fields of an answer from the cache: what is stored, with `Age`, and what the request's own conditions
    /// and range make of it. RFC 9111 §4, §4.3.2, §5.1; RFC 9110 §13, §14.
    ///
    /// - Parameter length: the bytes of the stored body.
    /// - Returns: the head to answer with, and which bytes of the stored body belong to it (none for 304, 412 and HEAD).
    public func answer(
        with response: StoredResponse, to request: HTTPRequest, length: Int64, age: Int64
    ) -> (head: HTTPResponse, bytes: Range<Int64>) {
        (HTTPResponse(status: response.status, headerFields: response.fields), 0..<length)
    }
}
