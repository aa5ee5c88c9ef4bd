public import HTTPTypes

extension CachePolicy {
    /// Returns the decision about `request`, by the responses stored under its key. RFC 9111 §4.
    ///
    /// A request to validate a candidate without a validator has no condition: the candidate is for a missing answer.
    ///
    /// - Parameters:
    ///   - request: as the host made it; its own conditions and cache directives count.
    ///   - url: its target URI.
    ///   - candidates: every response stored under its key.
    ///   - terms: the host's terms for the request.
    ///   - now: the time of the decision.
    public func reuse(
        _ request: HTTPRequest, url: String, among candidates: [StoredResponse], terms: RequestTerms = RequestTerms(),
        at now: Int64
    ) -> ReuseDecision {
        let sent = standardized(request)
        var requested = RequestDirectives(sent)
        if let reason = reasonToBypass(sent, requested.directives, requested.range) {
            let isRead = sent.method == .get || sent.method == .head
            if isRead, requested.directives.onlyIfCached { return .unsatisfiable(because: reason) }
            return .forward(request: sent, because: reason)
        }
        let selected = selected(by: sent, among: candidates)
        let fitting = selected.filter { covers(candidates[$0], sent, requested.range) }
        guard let index = latest(fitting, of: candidates) else {
            let reason = candidates.isEmpty ? Reasons.miss : selected.isEmpty ? Reasons.variant : Reasons.partial
            if requested.directives.onlyIfCached { return .unsatisfiable(because: reason) }
            guard let part = latest(selected, of: candidates),
                let rest = completion(sent, of: candidates[part], requested.range)
            else { return .forward(request: sent, because: reason) }
            return .forward(request: rest, because: Reasons.completion)
        }
        let candidate = candidates[index]
        let freshness = freshness(of: candidate, terms: terms, at: now)
        let isForced = terms.forcesValidation && !(candidate.parsed.directives.isImmutable && freshness.isFresh)
        // In a request, forced validation is spelled max-age=0. A fresh immutable response overrides both.
        if terms.forcesValidation, !isForced, requested.directives.maxAge == 0 { requested.directives.maxAge = nil }
        // An invalidated response is validated, whatever staleness the request or the response permits. RFC 9111 §4.4.
        let usability =
            candidate.isInvalidated
            ? .unusable(Reasons.needsValidation) : usability(freshness, requested, isForced: isForced)
        // Most answers need none, so it is built where it is sent.
        func validationRequest() -> HTTPRequest {
            let others = fitting.filter { $0 != index }.map { candidates[$0] }
            return validation(sent, of: candidate, and: others, forced: isForced)
        }
        switch usability {
        case .usable(let reason): return .reuse(index, freshness, because: reason)
        case .usableOnce(let reason):
            if requested.directives.onlyIfCached { return .reuse(index, freshness, because: reason) }
            return .reuseThenValidate(index, freshness, request: validationRequest(), because: reason)
        case .unusable(let reason):
            if requested.directives.onlyIfCached { return .unsatisfiable(because: reason) }
            return .validate(index, freshness, request: validationRequest(), because: reason)
        }
    }
}

extension CachePolicy {
    /// The directives and the range of a request.
    private struct RequestDirectives {
        var directives: CacheControl
        var range: RangeRequest
        /// `no-cache`, or its older spelling without a `Cache-Control` beside it. RFC 9111 §5.4.
        var noCache: Bool

        init(_ request: HTTPRequest) {
            directives = CacheControl(request.headerFields)
            range = RangeRequest(request)
            let pragma = FieldScanner.tokens(request.headerFields.combined("pragma") ?? [])
            noCache =
                directives.noCache || !directives.noCacheFields.isEmpty
                || !directives.isPresent && pragma.contains("no-cache")
        }
    }

    private enum Usability {
        case usable(CacheReason)
        case usableOnce(CacheReason)
        case unusable(CacheReason)
    }

    /// Returns the reason a request bypasses the cache; nil when it does not.
    func reasonToBypass(_ request: HTTPRequest, _ directives: CacheControl, _ range: RangeRequest) -> CacheReason? {
        if request.method != .get, request.method != .head { return Reasons.method }
        if request.headerFields.has("if-match") || request.headerFields.has("if-unmodified-since") {
            return Reasons.condition
        }
        if directives.noStore { return Reasons.requestNoStore }
        if case .several = range { return Reasons.ranges }
        return nil
    }

    /// Whether a selected response may be used. RFC 9111 §4, §4.2.4, §5.2.1; RFC 5861 §3.
    private func usability(_ freshness: Freshness, _ requested: RequestDirectives, isForced: Bool) -> Usability {
        let directives = requested.directives
        if isForced { return .unusable(Reasons.forced) }
        if requested.noCache { return .unusable(Reasons.requestNoCache) }
        if freshness.needsValidation { return .unusable(Reasons.needsValidation) }
        if let limit = directives.maxAge, freshness.age > limit * 1000 { return .unusable(Reasons.requestMaxAge) }
        if let wanted = directives.minFresh, freshness.lifetime.subtractingSaturated(freshness.age) < wanted * 1000 {
            return .unusable(Reasons.minFresh)
        }
        if freshness.isFresh {
            return freshness.softLifetime > freshness.age ? .usable(Reasons.fresh) : .usableOnce(Reasons.soft)
        }
        if freshness.mustRevalidate { return .unusable(Reasons.mustRevalidate) }
        let staleness = freshness.age.subtractingSaturated(freshness.lifetime)
        switch directives.maxStale {
        case .any: return .usable(Reasons.maxStale)
        case .seconds(let limit) where staleness <= limit * 1000: return .usable(Reasons.maxStale)
        default: break
        }
        // With max-age, and without max-stale, a request accepts no stale response.
        if directives.maxAge != nil { return .unusable(Reasons.stale) }
        if staleness < freshness.staleWhileRevalidate { return .usableOnce(Reasons.staleWhileRevalidate) }
        return .unusable(Reasons.stale)
    }

    /// Returns the most recent of the responses at `indices`, by their `Date`. RFC 9111 §4.
    func latest(_ indices: [Int], of candidates: [StoredResponse]) -> Int? {
        var best: Int?
        for index in indices {
            guard let other = best else {
                best = index
                continue
            }
            let one = (date(of: candidates[index]), candidates[index].receivedAt)
            if one > (date(of: candidates[other]), candidates[other].receivedAt) { best = index }
        }
        return best
    }

    /// Whether a stored body holds all requested bytes. RFC 9111 §3.3; RFC 9110 §13.1.5.
    func covers(_ response: StoredResponse, _ request: HTTPRequest, _ range: RangeRequest) -> Bool {
        guard case .part(let storedRange, let total) = response.coverage else { return true }
        if request.method == .head || !ifRangeMatches(request, response) { return false }
        switch range {
        case .whole, .several: return false
        case .from(let first, let last?):
            guard let wanted = RangeRequest.from(first, last: last).resolved(total: total ?? .max) else { return false }
            return storedRange.lowerBound <= wanted.lowerBound && wanted.upperBound <= storedRange.upperBound
        case .from, .suffix:
            guard let total, let wanted = range.resolved(total: total) else { return false }
            return storedRange.lowerBound <= wanted.lowerBound && wanted.upperBound <= storedRange.upperBound
        }
    }

    /// Returns a request for the missing end of a part, if the request is for all bytes and a strong tag identifies the
    /// part. RFC 9111 §3.4; RFC 9110 §13.1.5.
    private func completion(_ request: HTTPRequest, of response: StoredResponse, _ range: RangeRequest) -> HTTPRequest?
    {
        guard case .part(let storedRange, _) = response.coverage, storedRange.lowerBound == 0, !storedRange.isEmpty,
            range == .whole,
            request.method == .get, let tag = response.strongTag, !response.isInvalidated
        else { return nil }
        let conditions = ["range", "if-range", "if-none-match", "if-modified-since"]
        if conditions.contains(where: request.headerFields.has) { return nil }
        var request = request
        request.headerFields[.range] = "bytes=\(storedRange.upperBound)-"
        request.headerFields.append(HTTPField(name: .ifRange, value: tag.text))
        return request
    }
}

extension StoredResponse {
    /// Whether it was the answer to a request with `method`.
    func answers(_ method: HTTPRequest.Method) -> Bool { self.method == method }
}
