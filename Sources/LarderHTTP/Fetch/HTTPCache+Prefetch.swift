internal import HTTPTypes
internal import LarderStore
internal import LarderTransport

/// The result of prefetching one request.
public enum PrefetchOutcome: Sendable {
    /// Its response is now stored, or the server has confirmed the stored one.
    case stored
    /// The stored response may be used without validation; nothing was sent.
    case fresh
    /// The server's answer is not stored, for this reason.
    case notStored(because: CacheReason)
    /// No answer is available, or its status is 400 or above (``HTTPCacheError/server(_:)``), stored or not.
    case failed(HTTPCacheError)
}

extension HTTPCache {
    /// Stores the responses to requests for later use.
    ///
    /// Fresh responses are not requested, stale ones are validated, and a request that is under way is joined; each gets
    /// the tags and the pin of its request. Bodies
    /// up to ``HTTPCacheOptions/fileLimit`` are read to their end and kept only in the cache. The priority of each
    /// request is at most ``FetchPriority/low``. The cache prefetches at most ``HTTPCacheOptions/backgroundExchanges``
    /// requests at a time, at least one. Redirections are followed as in ``fetch(_:_:)``.
    ///
    /// Cancelling the task ends the requests under way; responses stored by then stay.
    ///
    /// ```swift
    /// let outcomes = await cache.prefetch(chapters.compactMap { FetchRequest($0.address) })
    /// let missing = outcomes.count { if case .failed = $0 { true } else { false } }
    /// ```
    ///
    /// - Parameter requests: GET requests; others trap.
    /// - Returns: the outcomes in the order of the requests. A request that was cancelled has
    ///   ``HTTPCacheError/transport(_:)`` of `cancelled`.
    public func prefetch(_ requests: [FetchRequest]) async -> [PrefetchOutcome] {
        precondition(requests.allSatisfy { $0.request.method == .get }, "only GET requests can be prefetched")
        var outcomes = [PrefetchOutcome](repeating: .failed(.transport(.cancelled)), count: requests.count)
        await withTaskGroup(of: (Int, PrefetchOutcome).self) { group in
            for place in requests.indices {
                // No more tasks than can run at a time.
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

    /// Stores the response to one request.
    ///
    /// - Returns: the outcome, and the head of the answer where it is known.
    private func fill(_ request: FetchRequest) async throws(HTTPCacheError) -> (PrefetchOutcome, HTTPResponse?) {
        var request = request
        request.priority = min(request.priority, .low)
        let lookup = await lookup(try await resolve(request))
        let resolved = lookup.resolved
        let plan: FlightPlan
        switch step(lookup) {
        case .answer(let answer):
            guard answer.storage == .alreadyStored else { throw .notCached(answer.reuse) }
            await addOptions(of: request, to: answer.value.entry)
            return (.fresh, answer.value.head)
        case .fetch(let flightPlan), .answerAndFetch(_, let flightPlan, _): plan = flightPlan
        }
        let ticket = try joinFlight(resolved, plan)
        do throws(HTTPCacheError) {
            return try await filled(request, by: ticket)
        } catch {
            // The caller that began the flight may have cancelled it.
            guard error.isCancelled, !ticket.isFirst, !Task.isCancelled else { throw error }
            return try await filled(request, by: try joinFlight(resolved, plan, isShared: false))
        }
    }

    private func filled(
        _ request: FetchRequest, by participant: FlightParticipant
    ) async throws(HTTPCacheError) -> (PrefetchOutcome, HTTPResponse?) {
        var head: HTTPResponse?
        if participant.isFirst {
            guard let delivery = await participant.flight.delivery.value() else { throw .transport(.cancelled) }
            if case .streamed(let streamed) = try delivery.get() {
                head = streamed.serverResponse.head
                if streamed.stored == nil { return (.notStored(because: streamed.storage), head) }
                // The cache is the only reader of the body.
                participant.flight.pipe.abandon()
            }
        }
        switch await participant.flight.outcome.value() {
        case nil: throw .transport(.cancelled)
        case .failed(let error)?: throw error
        case .notStored(let because)?: return (.notStored(because: because), head)
        case .stored(let stored)?:
            await addOptions(of: request, to: stored.entry)
            let response = stored.entry.response
            return (.stored, HTTPResponse(status: response.status, headerFields: response.fields))
        }
    }
}
