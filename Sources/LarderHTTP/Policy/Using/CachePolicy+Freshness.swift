internal import HTTPTypes
internal import LarderTransport

extension CachePolicy {
    /// How fresh a stored response is. RFC 9111 §4.2. What was invalidated is stale.
    public func freshness(
        of response: StoredResponse, terms: RequestTerms = RequestTerms(), at now: Int64
    ) -> Freshness {
        let directives = CacheControl(response.fields)
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

    /// How long a response is fresh by its own word, in milliseconds. RFC 9111 §4.2.1.
    ///
    /// What says when it expires and cannot be understood means that it has expired.
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
        // A fraction of at most 1 of at most 2^63: the product of doubles is clamped before it becomes a number again.
        let guess = min(Double(elapsed) * heuristicFraction, 4e18)
        return (min(Int64(guess), max(heuristicLimit.milliseconds, 0)), .heuristic)
    }

    /// The statuses that may be stored and be fresh without saying so. RFC 9110 §15.1.
    static let heuristicStatuses: Set<Int> = [200, 203, 204, 206, 300, 301, 308, 404, 405, 410, 414, 501]

    /// A response that must not be kept is kept when a 304 turned it into one: then it is validated each time.
    private func needsValidation(_ response: StoredResponse, _ directives: CacheControl) -> Bool {
        directives.noCache || forbidsStorage(directives, response.status)
            || variesOnEverything(response.fields)
    }
}
