internal import LarderStore
internal import LarderTransport

extension HTTPCache {
    /// Returns one answer, as soon as its head has arrived; the body streams.
    ///
    /// A status of 400 or above is an answer, not an error. So is a redirection that is not followed
    /// (``HTTPCacheOptions/redirectLimit``), and the 504 for `only-if-cached` when nothing stored can be used.
    /// Cancelling the task does not end an exchange that other callers wait for.
    ///
    /// - Throws: ``HTTPCacheError/transport(_:)`` when the server cannot be reached and no stored response may be
    ///   the fallback; ``HTTPCacheError/notCached(_:)`` from ``SingleAnswerStrategy/cacheOnly``;
    ///   ``HTTPCacheError/redirectedTooOften(_:)``; ``HTTPCacheError/uploadTooLarge(actual:limit:)``,
    ///   ``HTTPCacheError/notConfigured(_:)`` and ``HTTPCacheError/invalidRequest(_:)`` before anything is sent.
    public func fetch(
        _ request: FetchRequest, _ strategy: SingleAnswerStrategy = .standard
    ) async throws(HTTPCacheError) -> Fetched<HTTPAnswer> {
        try await fetch(request, strategy, check: nil)
    }

    func fetch(
        _ request: FetchRequest, _ strategy: SingleAnswerStrategy, check: BodyCheck?
    ) async throws(HTTPCacheError) -> Fetched<HTTPAnswer> {
        // An answer from memory is so short that a span and labels for nothing would be much of its cost.
        guard services.isMeasured else { return try await fetchFollowed(request, strategy, check: check) }
        return try await services.measuring(
            span: "larder.fetch", timer: "larder_fetch_seconds", labels: { Self.labels($0) }
        ) { () async throws(HTTPCacheError) -> Fetched<HTTPAnswer> in
            try await fetchFollowed(request, strategy, check: check)
        }
    }

    private func fetchFollowed(
        _ request: FetchRequest, _ strategy: SingleAnswerStrategy, check: BodyCheck?
    ) async throws(HTTPCacheError) -> Fetched<HTTPAnswer> {
        try await followed(fetchOne(request, strategy, check: check), from: request, strategy, check: check)
    }

    private static func labels(_ result: Result<Fetched<HTTPAnswer>, HTTPCacheError>) -> [(String, String)] {
        guard case .success(let answer) = result else { return [("origin", "none"), ("state", "none")] }
        let state =
            switch answer.state {
            case .fresh: "fresh"
            case .stale: "stale"
            case .expiredServedOffline: "offline"
            case .unknown: "unknown"
            }
        return [("origin", answer.origin.rawValue), ("state", state)]
    }

    /// Returns the answer at the end of the redirections that begin with `answer`, or `answer` when it is not followed.
    func followed(
        _ answer: Fetched<HTTPAnswer>, from request: FetchRequest, _ strategy: SingleAnswerStrategy,
        check: BodyCheck? = nil
    ) async throws(HTTPCacheError) -> Fetched<HTTPAnswer> {
        await addOptions(of: request, to: answer.value.entry)
        if !follows(answer.value.head) { return answer }
        var chain = RedirectChain(request, limit: options.redirectLimit, credentials: policy.credentialFields)
        var answer = answer
        while let next = try chain.request(after: answer.value.head) {
            answer = try await fetchOne(next, strategy, check: check)
            await addOptions(of: next, to: answer.value.entry)
        }
        return answer
    }

    /// Gives the stored response that answers a request the tags and the pin of that request, where it lacks them: it
    /// may have been stored for another one.
    func addOptions(of request: FetchRequest, to entry: CachedResponse?) async {
        guard request.isPinned || !request.tags.isEmpty, let entry,
            request.isPinned && !entry.isPinned || !request.tags.isSubset(of: entry.tags)
        else { return }
        do {
            try await resolve(request).cache?.add(
                StorageOptions(tags: request.tags, isPinned: request.isPinned), to: entry)
        } catch {
            log("could not pin or tag a stored response", error)
        }
    }

    private func fetchOne(
        _ request: FetchRequest, _ strategy: SingleAnswerStrategy, check: BodyCheck?
    ) async throws(HTTPCacheError) -> Fetched<HTTPAnswer> {
        let resolved = try await resolve(request, check)
        switch strategy.kind {
        case .networkOnly: return try await fetchWithoutLookup(resolved, isStoring: false)
        case .reload: return try await fetchWithoutLookup(resolved, isStoring: resolved.cache != nil)
        case .standard, .staleIfOffline, .networkElseCache, .cacheElseNetwork, .cacheOnly: break
        }
        let lookup = await lookup(resolved)
        switch strategy.kind {
        case .staleIfOffline:
            if !isOnline(), let answer = fallback(lookup, .offline, status: nil) { return answer }
            return try await standard(lookup, .offline)
        case .networkElseCache(let limit): return try await networkElseCache(lookup, within: limit)
        case .cacheElseNetwork:
            if let answer = anyAge(lookup) { return answer }
            return try await standard(lookup, .permitted)
        case .cacheOnly:
            if let answer = anyAge(lookup) { return answer }
            throw .notCached(.nothingUsable)
        case .standard, .networkOnly, .reload: return try await standard(lookup, .permitted)
        }
    }

    private func standard(_ lookup: Lookup, _ rule: FallbackRule) async throws(HTTPCacheError) -> Fetched<HTTPAnswer> {
        switch step(lookup) {
        case .answer(let answer): return answer
        case .fetch(let plan): return try await fetchFromServer(lookup, plan, rule)
        case .answerAndFetch(let answer, let plan, let freshness):
            // A fresh response beyond its soft lifetime is not final. RFC 5861 §3 permits a stale one at once.
            if freshness.isFresh { return try await fetchFromServer(lookup, plan, rule) }
            fetchInBackground(lookup.resolved, plan)
            return answer
        }
    }

    private func networkElseCache(
        _ lookup: Lookup, within limit: Duration?
    ) async throws(HTTPCacheError) -> Fetched<HTTPAnswer> {
        let plan: FlightPlan
        switch step(lookup, forcingValidation: true) {
        case .answer(let answer): return answer
        case .fetch(let flightPlan), .answerAndFetch(_, let flightPlan, _): plan = flightPlan
        }
        if !isOnline(), let answer = fallback(lookup, .unanswered, status: nil) { return answer }
        let participant = try joinFlight(lookup.resolved, plan)
        if let limit, var answer = fallback(lookup, .late, status: nil), await isLate(participant, limit) {
            _ = flights.detach(participant.flight, limit: options.backgroundExchanges)
            answer.reuse = .timeLimit
            return answer
        }
        return try await awaitResult(participant, lookup, plan, .unanswered)
    }

    /// Whether a flight has no result after `limit`.
    private func isLate(_ participant: FlightParticipant, _ limit: Duration) async -> Bool {
        await withTaskGroup(of: Bool.self) { group in
            group.addTask {
                await participant.wait()
                return false
            }
            group.addTask { [services] in
                do { try await services.sleep(limit) } catch { return false }
                return true
            }
            defer { group.cancelAll() }
            return await group.next() ?? false
        }
    }

    private func fetchWithoutLookup(_ resolved: ResolvedRequest, isStoring: Bool) async throws(HTTPCacheError)
        -> Fetched<
            HTTPAnswer
        >
    {
        let bare = Lookup(resolved: resolved, candidates: [], now: services.now())
        // With no candidates, the policy only rewrites the request as it is to be sent.
        var plan: FlightPlan
        switch step(bare) {
        case .answer(let answer): return answer
        case .fetch(let flightPlan), .answerAndFetch(_, let flightPlan, _): plan = flightPlan
        }
        plan.isStoring = isStoring
        plan.reuse = .networkOnly
        return try await awaitResult(try joinFlight(resolved, plan, isShared: isStoring), resolved, plan)
    }
}
