import HTTPTypes
import LarderStore
import LarderTransport

// The way from a plan to an answer: joining and starting flights, and their results.
extension HTTPCache {
    /// Joins the flight for this plan, or starts it.
    ///
    /// - Parameter isShared: whether others may join.
    /// - Throws: ``HTTPCacheError/transport(_:)`` of `cancelled` once the cache is closed.
    func joinFlight(_ resolved: ResolvedRequest, _ plan: FlightPlan, isShared: Bool = true) throws(HTTPCacheError)
        -> FlightParticipant
    {
        let fetchRequest = resolved.fetchRequest
        let isJoinable = isShared && plan.isStoring && fetchRequest.request.method == .get && fetchRequest.body == nil
        let key =
            isJoinable
            ? FlightTable.Key(
                cacheKey: resolved.key, request: fetchRequest.request, sent: plan.sent, tags: fetchRequest.tags,
                isPinned: fetchRequest.isPinned,
                isPersistent: fetchRequest.isPersistent, account: resolved.policy.account)
            : nil
        let participant = flights.join(key) {
            Flight(cacheKey: resolved.key, tags: fetchRequest.tags, unreadLimit: options.unreadLimit)
        }
        guard let participant else { throw .transport(.cancelled) }
        if !participant.isFirst { limiter.raise(ObjectIdentifier(participant.flight), to: fetchRequest.priority) }
        if participant.isFirst {
            let flight = participant.flight
            let exchange = CacheExchange(
                host: self, resolved: resolved, plan: plan, flight: flight,
                slot: ExchangeSlot(limiter, for: ObjectIdentifier(flight)))
            flight.start { [flights] in
                await exchange.run()
                flights.end(flight, key)
            }
        }
        return participant
    }

    /// Waits for the result of a flight.
    func awaitResult(_ participant: FlightParticipant, _ resolved: ResolvedRequest, _ plan: FlightPlan)
        async throws(HTTPCacheError)
        -> Fetched<HTTPAnswer>
    {
        if participant.isFirst { return try await awaitDelivery(participant, resolved, plan) }
        switch await participant.flight.outcome.value() {
        case nil: throw .transport(.cancelled)
        case .failed(let error)?:
            // The caller that began the flight may have cancelled it.
            if error.isCancelled, !Task.isCancelled { break }
            throw error
        case .stored(let stored)?: return answer(resolved, stored, .joined)
        case .notStored?: break
        }
        let newParticipant = try joinFlight(resolved, plan, isShared: false)
        return try await awaitDelivery(newParticipant, resolved, plan)
    }

    private func awaitDelivery(
        _ participant: FlightParticipant, _ resolved: ResolvedRequest, _ plan: FlightPlan
    ) async throws(HTTPCacheError) -> Fetched<HTTPAnswer> {
        guard let result = await participant.flight.delivery.value() else { throw .transport(.cancelled) }
        switch try result.get() {
        case .stored(let stored): return answer(resolved, stored, plan.reuse)
        case .streamed(let streamed): return answer(participant, resolved, plan, streamed)
        }
    }

    private func answer(
        _ participant: FlightParticipant, _ resolved: ResolvedRequest, _ plan: FlightPlan, _ streamed: Flight.Streamed
    ) -> Fetched<HTTPAnswer> {
        let now = services.now()
        let freshness = streamed.stored.map { policy.freshness(of: $0, terms: resolved.fetchRequest.terms, at: now) }
        let body = TransportBody(
            next: { () async throws(TransportError) in try await participant.flight.pipe.next() },
            // Nothing to do: releasing the body leaves the flight.
            cancel: {})
        return Fetched(
            value: HTTPAnswer(head: streamed.serverResponse.head, body: AnswerBody(.network(body))), origin: .network,
            state: freshness.map { state($0, at: now) } ?? .unknown, age: freshness.map { .milliseconds($0.age) },
            isIntermediate: false, reuse: plan.reuse, storage: streamed.storage)
    }

    private func answer(_ resolved: ResolvedRequest, _ stored: Flight.Stored, _ because: CacheReason) -> Fetched<
        HTTPAnswer
    > {
        let now = services.now()
        resolved.cache?.recordUse(of: stored.entry)
        let freshness = policy.freshness(of: stored.entry.response, terms: resolved.fetchRequest.terms, at: now)
        return answer(
            resolved, stored.entry, state: state(freshness, at: now), age: freshness.age, origin: stored.origin,
            because,
            stored.storage)
    }

    /// Requests the response; a stored one is the fallback for a failure where `rule` permits it.
    func fetchFromServer(_ lookup: Lookup, _ plan: FlightPlan, _ rule: FallbackRule) async throws(HTTPCacheError)
        -> Fetched<HTTPAnswer>
    {
        if let answer = answerOffline(lookup, rule) { return answer }
        return try await awaitResult(try joinFlight(lookup.resolved, plan), lookup, plan, rule)
    }

    func awaitResult(
        _ participant: FlightParticipant, _ lookup: Lookup, _ plan: FlightPlan, _ rule: FallbackRule
    ) async throws(HTTPCacheError) -> Fetched<HTTPAnswer> {
        do throws(HTTPCacheError) {
            let fetched = try await awaitResult(participant, lookup.resolved, plan)
            let status = fetched.value.head.status
            if rule.isForErrors, fetched.origin == .network, status.kind == .serverError,
                let answer = fallback(lookup, .permitted, status: status)
            {
                return answer
            }
            return fetched
        } catch {
            if error.isUnanswered, let answer = fallback(lookup, rule, status: nil) { return answer }
            throw error
        }
    }

    /// Fetches from the server in the background, unless too many background exchanges are under way.
    func fetchInBackground(_ resolved: ResolvedRequest, _ plan: FlightPlan) {
        // Checked before anything is sent; two calls at the same time may both pass.
        guard flights.canDetach(limit: options.backgroundExchanges), let participant = try? joinFlight(resolved, plan),
            participant.isFirst
        else { return }
        _ = flights.detach(participant.flight, limit: options.backgroundExchanges)
    }
}
