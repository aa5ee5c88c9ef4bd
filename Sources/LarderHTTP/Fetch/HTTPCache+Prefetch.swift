internal import HTTPTypes
internal import LarderStore
internal import LarderTransport

/// What became of a request that was prefetched.
public enum PrefetchOutcome: Sendable {
    /// Its response is stored now, or the server has confirmed the stored one.
    case stored
    /// The stored response may be used without asking; nothing was sent.
    case fresh
    /// The server's answer is not stored, for this reason.
    case notStored(because: CacheReason)
    /// No answer came, or one with a status of 400 or above (``HTTPCacheError/server(_:)``), stored or not.
    case failed(HTTPCacheError)
}

extension HTTPCache {
    /// Stores the responses to requests, so that they are there when they are needed.
    ///
    /// What is fresh is not asked for, what is stale is validated, and a request that is under way is joined. Bodies are read to their end,
    /// up to ``HTTPCacheOptions/fileLimit``, and held nowhere but in the cache. Each request waits behind those of higher
    /// priority: its own is ``FetchPriority/low`` at most. ``HTTPCacheOptions/backgroundExchanges`` of all requests being prefetched go at a
    /// time. Redirections are followed as ``fetch(_:_:)`` does.
    ///
    /// Cancelling the task ends what is under way; what was stored by then stays.
    ///
    /// ```swift
    /// let outcomes = await cache.prefetch(chapters.compactMap { FetchRequest($0.address) })
    /// let missing = outcomes.count { if case .failed = $0 { true } else { false } }
    /// ```
    ///
    /// - Parameter requests: GET requests.
    /// - Returns: what became of each, in the order of the requests; of those that a cancellation left,
    ///   ``HTTPCacheError/transport(_:)`` of `cancelled`.
    public func prefetch(_ requests: [FetchRequest]) async -> [PrefetchOutcome] {
        precondition(requests.allSatisfy { $0.request.method == .get }, "only GET requests can be prefetched")
        var outcomes = [PrefetchOutcome](repeating: .failed(.transport(.cancelled)), count: requests.count)
        await withTaskGroup(of: (Int, PrefetchOutcome).self) { group in
            for place in requests.indices {
                // No more tasks than may go.
                if place >= options.backgroundExchanges, let (done, outcome) = await group.next() {
                    outcomes[done] = outcome
                }
                group.addTask { (place, await self.prefetched(requests[place])) }
            }
            for await (done, outcome) in group { outcomes[done] = outcome }
        }
        return outcomes
    }

    private func prefetched(_ request: FetchRequest) async -> PrefetchOutcome {
        guard await prefetches.acquire(0) else { return .failed(.transport(.cancelled)) }
        defer { prefetches.release(0) }
        var chain = RedirectChain(request, limit: options.redirectLimit, credentials: policy.credentialFields)
        var request = request
        do throws(HTTPCacheError) {
            while true {
                let (outcome, head) = try await fill(request)
                guard let head else { return outcome }
                if head.status.code >= 400 { throw .server(head) }
                guard let next = try chain.request(after: head) else { return outcome }
                request = next
            }
        } catch {
            return .failed(error)
        }
    }

    /// Has the response to one request stored.
    ///
    /// - Returns: what became of it, and the head of the answer where that is known.
    private func fill(_ request: FetchRequest) async throws(HTTPCacheError) -> (PrefetchOutcome, HTTPResponse?) {
        var request = request
        request.priority = min(request.priority, .low)
        let resolved = try await resolve(request)
        let plan: FlightPlan
        switch step(await lookup(resolved)) {
        case .answer(let answer):
            guard answer.storage == .alreadyStored else { throw .notCached(answer.reuse) }
            return (.fresh, answer.value.head)
        case .ask(let asking), .answerThenAsk(_, let asking, _): plan = asking
        }
        let ticket = try board(resolved, plan)
        do throws(HTTPCacheError) {
            return try await filled(by: ticket)
        } catch {
            // The one that began it may have wished its end.
            guard error.isCancelled, !ticket.isFirst, !Task.isCancelled else { throw error }
            return try await filled(by: try board(resolved, plan, isShared: false))
        }
    }

    private func filled(by ticket: FlightTicket) async throws(HTTPCacheError) -> (PrefetchOutcome, HTTPResponse?) {
        var head: HTTPResponse?
        if ticket.isFirst {
            guard let delivery = await ticket.flight.delivery.value() else { throw .transport(.cancelled) }
            if case .streamed(let streamed) = try delivery.get() {
                head = streamed.exchange.head
                if streamed.stored == nil { return (.notStored(because: streamed.storage), head) }
                // The cache alone takes the body.
                ticket.flight.pipe.abandon()
            }
        }
        switch await ticket.flight.outcome.value() {
        case nil: throw .transport(.cancelled)
        case .failed(let error)?: throw error
        case .notKept(let because)?: return (.notStored(because: because), head)
        case .kept(let kept)?:
            let response = kept.entry.response
            return (.stored, HTTPResponse(status: response.status, headerFields: response.fields))
        }
    }
}
