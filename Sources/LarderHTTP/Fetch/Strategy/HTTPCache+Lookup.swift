import HTTPTypes
import LarderStore
import LarderTransport

/// The next step for a request, by the policy and the stored responses.
enum LookupStep: Sendable {
    /// Return this answer only.
    case answer(Fetched<HTTPAnswer>)
    /// Return this answer, and ask the server as well.
    case answerAndFetch(Fetched<HTTPAnswer>, FlightPlan, Freshness)
    /// Ask the server.
    case fetch(FlightPlan)
}

extension HTTPCache {
    /// Returns the stored responses for a resolved request; empty when the cache cannot be read.
    func lookup(_ resolved: ResolvedRequest) async -> Lookup {
        var candidates: [CachedResponse] = []
        do {
            candidates = try await resolved.cache?.entries(for: resolved.key) ?? []
        } catch {
            log("could not read stored responses", error)
        }
        var resolved = resolved
        let selecting = candidates.lazy.map(\.response.selecting)
        if resolved.policy.selectingSalt == nil, resolved.policy.needsSalt(resolved.request, among: selecting) {
            resolved.policy.selectingSalt = await salt(of: resolved.cache, drawing: false)
        }
        return Lookup(resolved: resolved, candidates: candidates, now: services.now())
    }

    /// Returns the next step, by the policy.
    func step(_ lookup: Lookup, forcingValidation: Bool = false) -> LookupStep {
        var terms = lookup.resolved.fetchRequest.terms
        if forcingValidation { terms.forcesValidation = true }
        let decision = lookup.resolved.policy.reuse(
            lookup.resolved.request, url: lookup.resolved.url, among: lookup.responses, terms: terms, at: lookup.now)
        switch decision {
        case .reuse(let place, let freshness, let because):
            return .answer(answer(lookup, place, freshness, because))
        case .reuseThenValidate(let place, let freshness, let request, let because):
            return .answerAndFetch(
                answer(lookup, place, freshness, because), plan(lookup, request, place, because), freshness)
        case .validate(let place, _, let request, let because):
            return .fetch(plan(lookup, request, place, because))
        case .forward(let request, let because):
            return .fetch(plan(lookup, request, nil, because))
        case .unsatisfiable(let because):
            return .answer(
                Fetched(
                    value: HTTPAnswer(head: HTTPResponse(status: .gatewayTimeout), body: AnswerBody([])),
                    origin: .cache, state: .unknown, age: nil, isIntermediate: false, reuse: because,
                    storage: .generated))
        }
    }

    private func plan(_ lookup: Lookup, _ request: HTTPRequest, _ selectedIndex: Int?, _ because: CacheReason)
        -> FlightPlan
    {
        FlightPlan(
            sent: request, candidates: lookup.candidates, selectedIndex: selectedIndex,
            isStoring: lookup.resolved.cache != nil, reuse: because)
    }

    /// Returns the stored response at `place` as an answer.
    func answer(
        _ lookup: Lookup, _ place: Int, _ freshness: Freshness, _ because: CacheReason, offline: Bool = false
    ) -> Fetched<HTTPAnswer> {
        let entry = lookup.candidates[place]
        // The use of a single entry was recorded when it was found.
        if lookup.candidates.count > 1 { lookup.resolved.cache?.recordUse(of: entry) }
        return answer(
            lookup.resolved, entry, state: state(freshness, at: lookup.now, offline: offline), age: freshness.age,
            origin: .cache, because, .alreadyStored)
    }

    func answer(
        _ resolved: ResolvedRequest, _ entry: CachedResponse, state: AnswerState, age: Int64, origin: AnswerOrigin,
        _ because: CacheReason, _ storage: CacheReason
    ) -> Fetched<HTTPAnswer> {
        let (head, bytes) = policy.answer(
            with: entry.response, to: resolved.request, length: entry.body.byteCount, age: age,
            isValidated: origin == .revalidated)
        var value = HTTPAnswer(head: head, body: AnswerBody(.stored(entry.body, bytes)))
        value.entry = entry
        return Fetched(
            value: value, origin: origin, state: state, age: .milliseconds(age), isIntermediate: false, reuse: because,
            storage: storage)
    }

    func state(_ freshness: Freshness, at now: Int64, offline: Bool = false) -> AnswerState {
        let made = now.subtractingSaturated(freshness.age)
        // A response that must be validated before each use is stale from the start when there is no network.
        if offline, freshness.needsValidation { return .expiredServedOffline(since: made) }
        let end = made.addingSaturated(freshness.lifetime)
        if freshness.isFresh { return .fresh(until: end) }
        return offline ? .expiredServedOffline(since: end) : .stale(since: end)
    }

    /// Returns the stored response that the request selects, whatever its age; nil when none fits.
    private func selected(_ lookup: Lookup) -> (decision: ReuseDecision, place: Int, freshness: Freshness)? {
        var request = lookup.resolved.request
        request.headerFields[.cacheControl] = "max-stale"
        var terms = lookup.resolved.fetchRequest.terms
        terms.softLifetime = nil
        terms.forcesValidation = false
        let decision = lookup.resolved.policy.reuse(
            request, url: lookup.resolved.url, among: lookup.responses, terms: terms, at: lookup.now)
        switch decision {
        case .reuse(let place, let freshness, _), .reuseThenValidate(let place, let freshness, _, _),
            .validate(let place, let freshness, _, _):
            return (decision, place, freshness)
        case .forward, .unsatisfiable: return nil
        }
    }

    /// Returns the stored response, fresh or not, unless it forbids that.
    func anyAge(_ lookup: Lookup) -> Fetched<HTTPAnswer>? {
        guard let (decision, place, freshness) = selected(lookup) else { return nil }
        let isForbidden =
            freshness.needsValidation || freshness.mustRevalidate || !lookup.candidates[place].response.isInvalidated
        if case .validate = decision, isForbidden, !lookup.resolved.fetchRequest.terms.ignoresMustRevalidate {
            return nil
        }
        return answer(lookup, place, freshness, .anyAge)
    }

    /// The failures for which a stored response may be used, beside those of ``HTTPCacheOptions/servesStoredOffline``.
    enum FallbackRule {
        /// A failure that its server, or the request, permits.
        case permitted
        /// A failure that its server, or the request, permits, and a missing answer whatever the age.
        case offline
        /// A missing answer alone, whatever the age: a server's error is an answer.
        case unanswered
        /// A late answer, whatever the age. The server counts as reachable, so the option does not apply.
        case late
        /// No failure.
        case nothing

        /// Whether it permits the use for a server's error.
        var isForErrors: Bool { self == .permitted || self == .offline }
    }

    /// Returns the stored response in place of the server's answer; nil when it may not be used.
    ///
    /// - Parameter status: of the server's error; nil when there was no answer.
    func fallback(_ lookup: Lookup, _ rule: FallbackRule, status: HTTPResponse.Status?) -> Fetched<HTTPAnswer>? {
        guard let (_, place, freshness) = selected(lookup) else { return nil }
        var terms = lookup.resolved.fetchRequest.terms
        func reason(_ status: HTTPResponse.Status?) -> CacheReason? {
            let decision = lookup.resolved.policy.fallback(
                to: lookup.candidates[place].response, for: lookup.resolved.request, status: status, terms: terms,
                at: lookup.now)
            if case .serve(let because) = decision { return because } else { return nil }
        }
        var because: CacheReason?
        if rule != .permitted { terms.forcesValidation = false }
        // By the standard, a server that does not answer counts as a gateway timeout.
        if rule != .nothing { because = reason(rule == .permitted ? status ?? .gatewayTimeout : status) }
        if because == nil, status == nil, rule != .late, options.servesStoredOffline {
            terms.forcesValidation = false
            terms.ignoresMustRevalidate = true
            because = reason(nil).map { _ in .servedOffline }
        }
        return because.map { answer(lookup, place, freshness, $0, offline: status == nil) }
    }

    /// Returns the stored response, where the host knows of no network and permits its use then.
    func answerOffline(_ lookup: Lookup, _ rule: FallbackRule) -> Fetched<HTTPAnswer>? {
        options.servesStoredOffline && !isOnline() ? fallback(lookup, rule, status: nil) : nil
    }
}
