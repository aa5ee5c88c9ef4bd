import HTTPTypes
import LarderStore
import LarderTransport

// The way from a plan to an answer: joining and starting flights, and their results.
extension HTTPCache {
    /// Joins the flight for this plan, or starts it.
    ///
    /// - Parameter isShared: whether others may join.
    /// - Throws: ``HTTPCacheError/transport(_:)`` of `cancelled` once the cache is closed.
    func board(_ resolved: ResolvedRequest, _ plan: FlightPlan, isShared: Bool = true) throws(HTTPCacheError)
        -> FlightTicket
    {
        let asked = resolved.asked
        let isJoinable = isShared && plan.isStoring && asked.request.method == .get && asked.body == nil
        let key =
            isJoinable
            ? FlightTable.Key(
                cacheKey: resolved.key, request: asked.request, sent: plan.sent, tags: asked.tags,
                isPinned: asked.isPinned,
                isPersistent: asked.isPersistent, account: resolved.policy.account)
            : nil
        let ticket = flights.board(key) {
            Flight(cacheKey: resolved.key, tags: asked.tags, unreadLimit: options.unreadLimit)
        }
        guard let ticket else { throw .transport(.cancelled) }
        if !ticket.isFirst { limiter.raise(ObjectIdentifier(ticket.flight), to: asked.priority) }
        if ticket.isFirst {
            let flight = ticket.flight
            let exchange = CacheExchange(
                host: self, resolved: resolved, plan: plan, flight: flight,
                slot: ExchangeSlot(limiter, for: ObjectIdentifier(flight)))
            flight.start { [flights] in
                await exchange.run()
                flights.end(flight, key)
            }
        }
        return ticket
    }

    /// Waits for the result of a flight.
    func land(_ ticket: FlightTicket, _ resolved: ResolvedRequest, _ plan: FlightPlan) async throws(HTTPCacheError)
        -> Fetched<HTTPAnswer>
    {
        if ticket.isFirst { return try await delivered(ticket, resolved, plan) }
        switch await ticket.flight.outcome.value() {
        case nil: throw .transport(.cancelled)
        case .failed(let error)?:
            // The caller that began the flight may have cancelled it.
            if error.isCancelled, !Task.isCancelled { break }
            throw error
        case .kept(let kept)?: return answer(resolved, kept, .joined)
        case .notKept?: break
        }
        let own = try board(resolved, plan, isShared: false)
        return try await delivered(own, resolved, plan)
    }

    private func delivered(
        _ ticket: FlightTicket, _ resolved: ResolvedRequest, _ plan: FlightPlan
    ) async throws(HTTPCacheError) -> Fetched<HTTPAnswer> {
        guard let result = await ticket.flight.delivery.value() else { throw .transport(.cancelled) }
        switch try result.get() {
        case .kept(let kept): return answer(resolved, kept, plan.reuse)
        case .streamed(let streamed): return answer(ticket, resolved, plan, streamed)
        }
    }

    private func answer(
        _ ticket: FlightTicket, _ resolved: ResolvedRequest, _ plan: FlightPlan, _ streamed: Flight.Streamed
    ) -> Fetched<HTTPAnswer> {
        let now = services.now()
        let freshness = streamed.stored.map { policy.freshness(of: $0, terms: resolved.asked.terms, at: now) }
        let body = TransportBody(
            next: { () async throws(TransportError) in try await ticket.flight.pipe.next() },
            // Nothing to do: releasing the body leaves the flight.
            cancel: {})
        return Fetched(
            value: HTTPAnswer(head: streamed.exchange.head, body: AnswerBody(.network(body))), origin: .network,
            state: freshness.map { state($0, at: now) } ?? .unknown, age: freshness.map { .milliseconds($0.age) },
            isIntermediate: false, reuse: plan.reuse, storage: streamed.storage)
    }

    private func answer(_ resolved: ResolvedRequest, _ kept: Flight.Kept, _ because: CacheReason) -> Fetched<HTTPAnswer>
    {
        let now = services.now()
        let freshness = policy.freshness(of: kept.entry.response, terms: resolved.asked.terms, at: now)
        return answer(
            resolved, kept.entry, state: state(freshness, at: now), age: freshness.age, origin: kept.origin, because,
            kept.storage)
    }

    /// Asks the server; a stored response stands in for its failure where `rule` permits it.
    func ask(_ lookup: Lookup, _ plan: FlightPlan, _ rule: StandIn) async throws(HTTPCacheError) -> Fetched<HTTPAnswer>
    {
        if let answer = answerOffline(lookup, rule) { return answer }
        return try await land(try board(lookup.resolved, plan), lookup, plan, rule)
    }

    func land(
        _ ticket: FlightTicket, _ lookup: Lookup, _ plan: FlightPlan, _ rule: StandIn
    ) async throws(HTTPCacheError) -> Fetched<HTTPAnswer> {
        do throws(HTTPCacheError) {
            let fetched = try await land(ticket, lookup.resolved, plan)
            let status = fetched.value.head.status
            if rule.isForErrors, fetched.origin == .network, status.kind == .serverError,
                let answer = standIn(lookup, .permitted, status: status)
            {
                return answer
            }
            return fetched
        } catch {
            if error.isUnanswered, let answer = standIn(lookup, rule, status: nil) { return answer }
            throw error
        }
    }

    /// Asks the server in the background, unless too many background exchanges are under way.
    func askAlone(_ resolved: ResolvedRequest, _ plan: FlightPlan) {
        // Checked before anything is sent; two calls at the same time may both pass.
        guard flights.hasRoomAlone(limit: options.backgroundExchanges), let ticket = try? board(resolved, plan),
            ticket.isFirst
        else { return }
        _ = flights.goOnAlone(ticket.flight, limit: options.backgroundExchanges)
    }
}
