// CacheModel: freshness and stale responses (RFC 9111 §4.2, RFC 5861), in seconds.

import Foundation

// RFC 9111 §4.2: freshness. All numbers are seconds.
extension CacheModel {
    enum Source: Hashable {
        case maxAge, expires, heuristic, none
    }

    /// RFC 9111 §4.2.1, without s-maxage, which is for shared caches.
    func lifetime(_ stored: ModelStored) -> (seconds: Double, source: Source) {
        // §4.4: what is invalid is not fresh.
        if stored.isInvalidated { return (0, .none) }
        let fields = stored.response.fields
        if let maxAge = seconds("max-age", in: fields) { return (maxAge ?? 0, .maxAge) }
        if let expires = fields.all("Expires").first {
            // §5.3: what is no date is in the past.
            guard let expiry = date(expires, now: stored.receivedAt) else { return (0, .expires) }
            return (max(0, expiry - generated(stored)), .expires)
        }
        return heuristic(stored)
    }

    /// RFC 9111 §4.2.2.
    private func heuristic(_ stored: ModelStored) -> (Double, Source) {
        let response = stored.response
        // "Marked as explicitly cacheable (e.g., with a public response directive)": the library takes public alone.
        let mayGuess =
            Self.heuristicallyCacheable.contains(response.status) || isPublic(response.fields)
        guard mayGuess, let text = response.fields.all("Last-Modified").first,
            let modified = date(text, now: stored.receivedAt)
        else { return (0, .none) }
        let guess = min(max(0, generated(stored) - modified) * options.heuristicFraction, options.heuristicLimit)
        return guess > 0 ? (guess, .heuristic) : (0, .none)
    }

    /// *date_value*; RFC 9110 §6.6.1: without a date that can be read, the time of receipt.
    func generated(_ stored: ModelStored) -> Double {
        stored.response.fields.all("Date").first.flatMap { date($0, now: stored.receivedAt) } ?? stored.receivedAt
    }

    /// RFC 9111 §4.2.3. A clock that went back takes no time away.
    func age(_ stored: ModelStored, now: Double) -> Double {
        let apparentAge = max(0, stored.receivedAt - generated(stored))
        let responseDelay = max(0, stored.receivedAt - stored.requestedAt)
        let correctedAge = ageField(stored.response.fields) + responseDelay
        let correctedInitialAge = max(apparentAge, correctedAge)
        let residentTime = max(0, now - stored.receivedAt)
        return correctedInitialAge + residentTime
    }

    /// RFC 9111 §4.2.
    func isFresh(_ stored: ModelStored, now: Double) -> Bool { lifetime(stored).seconds > age(stored, now: now) }
}

// RFC 9111 §4.2.4: serving stale responses; RFC 5861.
extension CacheModel {
    /// Whether a directive of the response forbids its stale use. §5.2.2.2, §5.2.2.4.
    func forbidsStale(_ stored: ModelStored) -> Bool {
        has("must-revalidate", in: stored.response.fields) || needsValidation(stored)
    }

    /// Whether it may not be used without the origin's word, fresh or not: §5.2.2.4, and a member `*` of §4.1.
    func needsValidation(_ stored: ModelStored) -> Bool {
        hasUnqualifiedNoCache(stored.response.fields)
    }

    /// RFC 9111 §5.2.2.4: the form without a list of fields.
    private func hasUnqualifiedNoCache(_ fields: ModelFields) -> Bool {
        directives(fields).contains { directive in
            guard directive.name == "no-cache" else { return false }
            let names = (directive.argument ?? "").listMembers
            return directive.isMalformed || options.qualifiedNoCacheIsUnqualified
                || !names.contains(where: \.isToken)
        }
    }

    /// RFC 5861 §3.
    func staleWhileRevalidate(_ stored: ModelStored) -> Double {
        permitted("stale-while-revalidate", in: stored.response.fields) ?? 0
    }

    /// RFC 5861 §4: in the response, or in the request for this request alone; of both the
    /// shorter. Nil: nothing is said.
    func staleIfError(_ stored: ModelStored, for request: ModelRequest) -> Double? {
        [stored.response.fields, request.fields].compactMap { permitted("stale-if-error", in: $0) }.min()
    }

    /// Whether a stored response may be sent when the server fails with `status`, or with none at all.
    func isUsableAsFallback(_ stored: ModelStored, for request: ModelRequest, status: Int?, now: Double) -> Bool {
        // RFC 9111 §4, but for the last item.
        guard !suitable([stored], for: request).isEmpty, !mustForward(request) else { return false }
        // §5.2.1.4: the request wants the origin's word.
        if has("no-cache", in: request.fields) || pragmaNoCache(request) { return false }
        // §4.3.3: only a server's error may be passed over; RFC 5861 §4 says which count.
        if let status, ![500, 502, 503, 504].contains(status) { return false }
        if isFresh(stored, now: now), !needsValidation(stored) { return true }
        guard !forbidsStale(stored) else { return false }
        // RFC 9111 §4.2.4: a cache that is disconnected may send what is stale.
        if status == nil {
            guard options.staleIfErrorLimitsSilence, let window = staleIfError(stored, for: request) else {
                return true
            }
            return age(stored, now: now) <= lifetime(stored).seconds + window
        }
        guard let window = staleIfError(stored, for: request) else { return false }
        return age(stored, now: now) <= lifetime(stored).seconds + window
    }
}
