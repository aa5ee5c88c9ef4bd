public import HTTPTypes

extension CachePolicy {
    /// Returns whether a stored response may be the fallback for a server's error or a missing answer. RFC 9111 §4.2.4,
    /// §4.3.3; RFC 5861 §4.
    ///
    /// Without an answer it may, however stale, unless `stale-if-error` sets a limit. In place of a 500, 502, 503 or
    /// 504 it may while it is fresh, or as `stale-if-error` permits; of two limits the shorter one counts. A response
    /// that needs validation is not used, and its own limit is kept without an answer, unless
    /// ``RequestTerms/ignoresMustRevalidate`` is set. A request that demands validation never gets a stored response.
    ///
    /// - Parameters:
    ///   - response: the stored response.
    ///   - request: the request, as the host made it.
    ///   - status: the status of the server's error; nil when there was no answer.
    ///   - terms: the host's terms for the request.
    ///   - now: the time of the decision.
    public func fallback(
        to response: StoredResponse, for request: HTTPRequest, status: HTTPResponse.Status?,
        terms: RequestTerms = RequestTerms(), at now: Int64
    ) -> FallbackDecision {
        let request = standardized(request)
        let directives = CacheControl(request.headerFields)
        let range = RangeRequest(request)
        if let reason = reasonToBypass(request, directives, range) { return .refuse(because: reason) }
        let pragma = FieldScanner.tokens(request.headerFields.combined("pragma") ?? [])
        if directives.noCache || !directives.isPresent && pragma.contains("no-cache") {
            return .refuse(because: Reasons.requestNoCache)
        }
        guard selects(request, response) else { return .refuse(because: Reasons.variant) }
        guard covers(response, request, range) else { return .refuse(because: Reasons.partial) }
        if terms.forcesValidation, !terms.ignoresMustRevalidate { return .refuse(because: Reasons.forced) }
        let freshness = freshness(of: response, terms: terms, at: now)
        if freshness.needsValidation, !terms.ignoresMustRevalidate {
            return .refuse(because: Reasons.needsValidation)
        }
        if let status, ![500, 502, 503, 504].contains(status.code) { return .refuse(because: Reasons.serverError) }
        if freshness.isFresh { return .serve(because: Reasons.fresh) }
        if freshness.mustRevalidate, !terms.ignoresMustRevalidate {
            return .refuse(because: Reasons.mustRevalidate)
        }
        let isUnlimited = status == nil && terms.ignoresMustRevalidate
        return staleFallback(
            freshness, limits: [isUnlimited ? nil : freshness.staleIfError, directives.staleIfError.map { $0 * 1000 }],
            isAnswered: status != nil)
    }

    private func staleFallback(_ freshness: Freshness, limits: [Int64?], isAnswered: Bool) -> FallbackDecision {
        let limits = limits.compactMap(\.self)
        guard let limit = limits.min() else {
            return isAnswered ? .refuse(because: Reasons.serverError) : .serve(because: Reasons.disconnected)
        }
        let staleness = freshness.age.subtractingSaturated(freshness.lifetime)
        return staleness <= limit ? .serve(because: Reasons.staleIfError) : .refuse(because: Reasons.tooStale)
    }
}
