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
        if isPassedBy(request) { return [miss] }
        let chosen = mostRecent(suitable(candidates, for: request), of: candidates)
        if chosen.isEmpty { return [miss] }
        return Set(
            chosen.map { index in
                switch use(candidates[index], for: request, terms: terms, now: now) {
                case .now: .reuse(index)
                case .nowAndAsk: onlyIfCached ? .reuse(index) : .reuseThenValidate(index)
                case .ask: onlyIfCached ? .unsatisfiable : .validate(index)
                }
            })
    }

    /// Whether a request is for the origin whatever is stored: §4.3.2 has conditions that a cache does not evaluate.
    func isPassedBy(_ request: ModelRequest) -> Bool {
        if request.fields.has("If-Match") || request.fields.has("If-Unmodified-Since") { return true }
        if choices.passesByForNoStore, forbidsStoring(request.fields) { return true }
        return choices.passesByForSeveralRanges && request.method == "GET" && (ranges(request) ?? []).count > 1
    }

    private enum Use {
        case now, nowAndAsk, ask
    }

    private func use(_ stored: ModelStored, for request: ModelRequest, terms: ModelTerms, now: Double) -> Use {
        let age = age(stored, now: now)
        let lifetime = terms.hardLifetime ?? lifetime(stored).seconds
        // RFC 8246 §2: what is immutable and fresh is not asked about.
        let isSettled = isImmutable(stored.response.fields) && age < lifetime
        if terms.forcesValidation, !isSettled { return .ask }
        // §5.2.1.4, §5.4
        if has("no-cache", in: request.fields) || pragmaNoCache(request) { return .ask }
        if stored.isInvalidated || needsValidation(stored) { return .ask }
        // A host's leave counts where the server cannot be asked, and only there.
        let forbids = forbidsStale(stored)
        let window = forbids ? 0 : staleWhileRevalidate(stored)
        let soft = min(terms.softLifetime ?? lifetime, lifetime)
        let isReload = terms.forcesValidation && isSettled
        if let wish = wish(of: request, age: age, lifetime: lifetime, forbidsStale: forbids, isReload: isReload) {
            return wish
        }
        if age < soft { return .now }
        return age < lifetime + window ? .nowAndAsk : .ask
    }

    /// What the request's own directives settle; nil when they leave it to the rest. §5.2.1.1 to §5.2.1.3.
    ///
    /// With `isReload` a `max-age` of 0 is the host's forced validation in other words, which RFC 8246 §2 answers.
    private func wish(
        of request: ModelRequest, age: Double, lifetime: Double, forbidsStale: Bool, isReload: Bool
    ) -> Use? {
        let maxAge = seconds("max-age", in: request.fields)
        let minFresh = seconds("min-fresh", in: request.fields)
        // A limit that cannot be read is the strictest.
        if let maxAge, age > (maxAge ?? 0), !isReload || (maxAge ?? 0) > 0 { return .ask }
        if let minFresh {
            guard let wanted = minFresh, lifetime >= age + wanted else { return .ask }
        }
        guard age >= lifetime else { return nil }
        if !forbidsStale, let limit = acceptedStaleness(in: request.fields), age - lifetime <= limit { return .now }
        // §5.2.1.1: with max-age, and without max-stale, nothing stale is wanted.
        return maxAge != nil || minFresh != nil ? .ask : nil
    }
}
