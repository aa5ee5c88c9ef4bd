// CacheModel: decides whether a request reuses, validates or forwards.

import Foundation

/// What the model does with a request.
enum ModelDecision: Hashable {
    case reuse(Int)
    case reuseThenValidate(Int)
    case validate(Int)
    case forward
    case unsatisfiable
}

/// What the host asks beside the request: not of the RFCs. In seconds.
struct ModelTerms: Hashable {
    var softLifetime: Double?
    var hardLifetime: Double?
    var ignoresMustRevalidate = false
    var forcesValidation = false
}

// RFC 9111 §4: constructing responses from caches, with the request's directives, §5.2.1.
extension CacheModel {
    /// All decisions that are right for a request; more than one where equally recent responses suit.
    func decide(
        _ request: ModelRequest, among candidates: [ModelStored], terms: ModelTerms = ModelTerms(), now: Double
    ) -> Set<ModelDecision> {
        let onlyIfCached = has("only-if-cached", in: request.fields)
        let miss: ModelDecision = onlyIfCached ? .unsatisfiable : .forward
        // §4: what is not safe is written through; what a cache cannot evaluate is for the origin, §4.3.2.
        guard ["GET", "HEAD"].contains(request.method) else { return [.forward] }
        if mustForward(request) { return [miss] }
        let selected = mostRecent(suitable(candidates, for: request), of: candidates)
        if selected.isEmpty { return [miss] }
        return Set(
            selected.map { index in
                switch use(candidates[index], for: request, terms: terms, now: now) {
                case .now: .reuse(index)
                case .nowThenValidate: onlyIfCached ? .reuse(index) : .reuseThenValidate(index)
                case .validate: onlyIfCached ? .unsatisfiable : .validate(index)
                }
            })
    }

    /// Whether a request is for the origin whatever is stored: §4.3.2 has conditions that a cache does not evaluate.
    func mustForward(_ request: ModelRequest) -> Bool {
        if request.fields.has("If-Match") || request.fields.has("If-Unmodified-Since") { return true }
        if options.passesByForNoStore, forbidsStoring(request.fields) { return true }
        return options.passesByForSeveralRanges && request.method == "GET" && (ranges(request) ?? []).count > 1
    }

    private enum Use {
        case now, nowThenValidate, validate
    }

    private func use(_ stored: ModelStored, for request: ModelRequest, terms: ModelTerms, now: Double) -> Use {
        let age = age(stored, now: now)
        let lifetime = terms.hardLifetime ?? lifetime(stored).seconds
        // RFC 8246 §2: a response that is immutable and fresh is not validated.
        let isFixed = isImmutable(stored.response.fields) && age < lifetime
        if terms.forcesValidation, !isFixed { return .validate }
        // §5.2.1.4, §5.4
        if has("no-cache", in: request.fields) || pragmaNoCache(request) { return .validate }
        if stored.isInvalidated || needsValidation(stored) { return .validate }
        // A host's leave counts where the server cannot be asked, and only there.
        let forbids = forbidsStale(stored)
        let window = forbids ? 0 : staleWhileRevalidate(stored)
        let soft = min(terms.softLifetime ?? lifetime, lifetime)
        let isReload = terms.forcesValidation && isFixed
        if let requirement = requirement(
            of: request, age: age, lifetime: lifetime, forbidsStale: forbids, isReload: isReload)
        {
            return requirement
        }
        if age < soft { return .now }
        return age < lifetime + window ? .nowThenValidate : .validate
    }

    /// The use that the request's own directives require; nil when they require none. §5.2.1.1 to §5.2.1.3.
    ///
    /// With `isReload` a `max-age` of 0 is the host's forced validation in other words, which RFC 8246 §2 answers.
    private func requirement(
        of request: ModelRequest, age: Double, lifetime: Double, forbidsStale: Bool, isReload: Bool
    ) -> Use? {
        let maxAge = seconds("max-age", in: request.fields)
        let minFresh = seconds("min-fresh", in: request.fields)
        // A limit that cannot be read is the strictest.
        if let maxAge, age > (maxAge ?? 0), !isReload || (maxAge ?? 0) > 0 { return .validate }
        if let minFresh {
            guard let wanted = minFresh, lifetime >= age + wanted else { return .validate }
        }
        guard age >= lifetime else { return nil }
        if !forbidsStale, let limit = acceptedStaleness(in: request.fields), age - lifetime <= limit { return .now }
        // §5.2.1.1: with max-age, and without max-stale, nothing stale is wanted.
        return maxAge != nil || minFresh != nil ? .validate : nil
    }
}
