internal import HTTPTypes
internal import LarderTransport

extension CachePolicy {
    /// Returns the freshness of a stored response. An invalidated response is stale. RFC 9111 §4.2.
    public func freshness(
        of response: StoredResponse, terms: RequestTerms = RequestTerms(), at now: Int64
    ) -> Freshness {
        let directives = response.parsed.directives
        let own = lifetime(of: response, directives)
        let lifetime =
            response.isInvalidated ? 0 : terms.hardLifetime.map { max($0.milliseconds, 0) } ?? own.milliseconds
        let mayOnlyBeFresh = directives.mustRevalidate || directives.noCache
        let leeway = mayOnlyBeFresh && !terms.ignoresMustRevalidate ? 0 : (directives.staleWhileRevalidate ?? 0) * 1000
        return Freshness(
            age: age(of: response, at: now), lifetime: lifetime,
            softLifetime: response.isRefreshDue
                ? 0 : min(terms.softLifetime.map { max($0.milliseconds, 0) } ?? lifetime, lifetime),
            source: terms.hardLifetime == nil ? own.source : .host, staleWhileRevalidate: leeway,
            staleIfError: directives.staleIfError.map { $0 * 1000 }, mustRevalidate: mayOnlyBeFresh,
            needsValidation: needsValidation(response, directives))
    }

    /// Returns the lifetime that a response gives itself, in milliseconds. RFC 9111 §4.2.1.
    ///
    /// An expiry that cannot be parsed means that the response has expired.
    func lifetime(
        of response: StoredResponse, _ directives: CacheControl
    ) -> (milliseconds: Int64, source: Freshness.Source) {
        if let seconds = directives.maxAge { return (seconds * 1000, .maxAge) }
        let made = date(of: response)
        if let expires = response.fields.first("expires") {
            let instant = HTTPDate.milliseconds(of: expires, now: response.receivedAt)
            return (instant.map { max($0.subtractingSaturated(made), 0) } ?? 0, .expires)
        }
        guard directives.isPublic || Self.heuristicStatuses.contains(response.status.code),
            let changed = response.fields.first("last-modified"),
            let instant = HTTPDate.milliseconds(of: changed, now: response.receivedAt)
        else { return (0, .none) }
        let elapsed = made.subtractingSaturated(instant)
        guard elapsed > 0 else { return (0, .none) }
        // The fraction is at most 1 and the time at most 2^63, so the product is clamped before it becomes an integer.
        let guess = min(Double(elapsed) * heuristicFraction, 4e18)
        return (min(Int64(guess), max(heuristicLimit.milliseconds, 0)), .heuristic)
    }

    /// The statuses that may be stored, and may be fresh by heuristics. RFC 9110 §15.1.
    static let heuristicStatuses: Set<Int> = [200, 203, 204, 206, 300, 301, 308, 404, 405, 410, 414, 501]

    /// Whether a response must be validated each time. A 304 can make it one that must not be stored.
    private func needsValidation(_ response: StoredResponse, _ directives: CacheControl) -> Bool {
        directives.noCache || forbidsStorage(directives, response.status)
            || response.parsed.vary == nil
    }
}
