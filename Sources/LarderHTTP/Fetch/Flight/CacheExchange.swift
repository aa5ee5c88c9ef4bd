import HTTPTypes
import LarderStore
import LarderTransport
import Logging

/// One exchange with the server, from the wait for its slot to the stored answer.
struct CacheExchange: Sendable {
    /// The head of the server's answer, and its times in milliseconds since 1970-01-01 UTC.
    struct ServerResponse: Sendable {
        var head: HTTPResponse
        var sent: HTTPRequest
        var requestedAt: Int64
        var receivedAt: Int64
        /// Whether the transport decodes the body, so that offsets in it mean nothing to the server.
        var isDecoded: Bool
        /// The rules for this answer: those of the request, with a salt if it needs one.
        var policy: CachePolicy
    }

    /// An answer that is to be stored, and the stored responses that it then hides.
    struct Storing: Sendable {
        var response: StoredResponse
        var replaced: [CachedResponse]
    }

    let host: HTTPCache
    let resolved: ResolvedRequest
    let plan: FlightPlan
    let flight: Flight
    let slot: ExchangeSlot

    /// Runs the exchange to its end and reports its result to the flight.
    func run() async {
        defer { slot.release() }
        do throws(HTTPCacheError) {
            try await acquireSlot(resolved.fetchRequest.priority)
            var (serverResponse, body) = try await send(plan.sent)
            var update = update(by: serverResponse)
            if isUseless(serverResponse, update) {
                (serverResponse, body) = try await send(unconditional)
                update = self.update(by: serverResponse)
            }
            await invalidate(by: serverResponse)
            await apply(update, of: serverResponse, body)
        } catch {
            flight.complete(.failed(error))
        }
    }

    /// Waits for the slot, as long as other exchanges progress.
    func acquireSlot(_ priority: FetchPriority) async throws(HTTPCacheError) {
        let timeouts = resolved.fetchRequest.timeouts ?? host.options.timeouts
        // The transport lets an exchange with the same limits hang for as long before its head or in its body.
        let timeLimit = max(timeouts.head, timeouts.idle)
        switch await slot.acquire(priority, timeLimit: timeLimit, host.services.sleep) {
        case .acquired: break
        case .cancelled: throw .transport(.cancelled)
        case .noProgress: throw .transport(.timeout(.head))
        }
    }

    /// Sends a request once; ``send(_:)`` repeats it as the options permit.
    func sendOnce(_ request: HTTPRequest) async throws(HTTPCacheError) -> (ServerResponse, TransportBody) {
        let requestedAt = host.services.now()
        do throws(TransportError) {
            let response = try await host.transport.send(
                request, body: resolved.fetchRequest.body,
                timeouts: resolved.fetchRequest.timeouts ?? host.options.timeouts)
            let receivedAt = host.services.now()
            slot.recordProgress()
            let serverResponse = ServerResponse(
                head: response.head, sent: request, requestedAt: requestedAt, receivedAt: receivedAt,
                isDecoded: response.isDecoded, policy: await policy(for: response.head, to: request))
            return (serverResponse, response.body)
        } catch {
            throw .transport(error)
        }
    }

    /// Returns the rules for an answer. The first response that a secret selects creates the salt of its cache.
    private func policy(for head: HTTPResponse, to sent: HTTPRequest) async -> CachePolicy {
        var policy = resolved.policy
        guard plan.isStoring, policy.selectingSalt == nil, policy.needsSalt(head.headerFields, sent) else {
            return policy
        }
        policy.selectingSalt = await host.salt(of: resolved.cache, drawing: true)
        return policy
    }

    /// The request as the policy sends it when nothing is stored.
    private var unconditional: HTTPRequest {
        let decision = resolved.policy.reuse(
            resolved.request, url: resolved.url, among: [], terms: resolved.fetchRequest.terms, at: host.services.now())
        if case .forward(let request, _) = decision { return request }
        return resolved.request
    }

    /// Whether the answer only fits the conditions or the range that the cache added to the host's request.
    private func isUseless(_ serverResponse: ServerResponse, _ update: UpdateDecision) -> Bool {
        if case .repeatUnconditionally = update { return true }
        guard !isRangeRequested(in: serverResponse) else { return false }
        if serverResponse.head.status == .rangeNotSatisfiable { return true }
        guard serverResponse.head.status == .partialContent else { return false }
        guard case .combine(let refresh, _) = update, let join = join(refresh, serverResponse) else { return true }
        return join.length > bodyLimit
    }

    /// Whether the host requested a part.
    var isRangeRequestedByHost: Bool { resolved.request.headerFields[.range] != nil }

    /// Whether the range that was sent is the one that the host requested.
    private func isRangeRequested(in serverResponse: ServerResponse) -> Bool {
        serverResponse.sent.headerFields[.range] == resolved.request.headerFields[.range]
    }

    private func join(_ refresh: UpdateDecision.Refresh, _ serverResponse: ServerResponse) -> BodyJoin? {
        let part = serverResponse.policy.storage(
            of: serverResponse.head, to: serverResponse.sent, url: resolved.url, terms: resolved.fetchRequest.terms,
            requestedAt: serverResponse.requestedAt, receivedAt: serverResponse.receivedAt)
        guard plan.candidates.indices.contains(refresh.index), case .store(let new, _) = part else { return nil }
        return BodyJoin(
            old: plan.candidates[refresh.index], new: new.coverage, whole: refresh.response.coverage)
    }

    private func update(by serverResponse: ServerResponse) -> UpdateDecision {
        guard plan.isStoring else { return .none(because: .notStoring) }
        return serverResponse.policy.update(
            plan.candidates.map(\.response), by: serverResponse.head, to: serverResponse.sent,
            requestedAt: serverResponse.requestedAt,
            receivedAt: serverResponse.receivedAt)
    }

    /// Invalidates the responses that an unsafe request changed. RFC 9111 §4.4. After a captive portal's answer they
    /// stay usable offline.
    private func invalidate(by serverResponse: ServerResponse) async {
        let urls = serverResponse.policy.invalidations(
            by: serverResponse.head, to: serverResponse.sent, url: resolved.url)
        guard !urls.isEmpty else { return }
        for key in Set(urls).union([resolved.key]) { await host.markInvalid(key, except: flight) }
    }

    private func apply(_ update: UpdateDecision, of serverResponse: ServerResponse, _ body: TransportBody) async {
        switch update {
        case .refresh(let refreshes, let because):
            let stored = await refresh(refreshes, because)
            if serverResponse.head.status == .notModified, let stored { return flight.complete(.stored(stored)) }
            await deliver(serverResponse, body, storing: nil, because)
        case .markStale(let places, let because):
            for place in places where plan.candidates.indices.contains(place) {
                var response = plan.candidates[place].response
                response.isInvalidated = true
                await write(UpdateDecision.Refresh(index: place, response: response))
            }
            await deliver(serverResponse, body, storing: nil, because)
        case .combine(let refresh, let because):
            await combine(refresh, serverResponse, body, because)
        case .none, .repeatUnconditionally:
            let (stored, because) = await storage(of: serverResponse)
            await deliver(serverResponse, body, storing: stored, because)
        }
    }

    /// Stores the refreshed candidates, and returns the one that the request validated, or else the first.
    private func refresh(_ refreshes: [UpdateDecision.Refresh], _ because: CacheReason) async -> Flight.Stored? {
        for refresh in refreshes { await write(refresh) }
        guard let refresh = refreshes.first(where: { $0.index == plan.selectedIndex }) ?? refreshes.first,
            plan.candidates.indices.contains(refresh.index)
        else { return nil }
        var entry = plan.candidates[refresh.index]
        entry.response = refresh.response
        return Flight.Stored(entry: entry, origin: .revalidated, storage: because)
    }

    private func write(_ refresh: UpdateDecision.Refresh) async {
        guard !flight.isStorageForbidden, let cache = resolved.cache, plan.candidates.indices.contains(refresh.index)
        else {
            return
        }
        do {
            try await cache.refresh(plan.candidates[refresh.index], with: refresh.response)
            // An invalidation during the exchange must not be lost.
            if flight.isStorageForbidden { try await cache.invalidate(resolved.key) }
        } catch {
            host.log("could not refresh a stored response", error)
        }
    }

    /// Returns the response to store, and the reason; without a response when the answer is not stored.
    private func storage(of serverResponse: ServerResponse) async -> (Storing?, CacheReason) {
        guard plan.isStoring, resolved.cache != nil else { return (nil, .notStoring) }
        if serverResponse.isEventStream { return (nil, .eventStream) }
        let decision = serverResponse.policy.storage(
            of: serverResponse.head, to: serverResponse.sent, url: resolved.url, terms: resolved.fetchRequest.terms,
            requestedAt: serverResponse.requestedAt, receivedAt: serverResponse.receivedAt)
        switch decision {
        case .refuse(let because): return (nil, because)
        case .store(let response, let because):
            let replaced = await replaced(by: response)
            if let reason = reasonNotToReplace(serverResponse, as: response, replacing: replaced) {
                return (nil, reason)
            }
            if let length = serverResponse.announcedLength, length > bodyLimit {
                host.logTooLarge(bodyLimit)
                return (nil, .tooLarge)
            }
            return (Storing(response: response, replaced: replaced), because)
        }
    }

    /// The longest body that is stored, in bytes.
    var bodyLimit: Int64 { min(host.options.fileLimit, resolved.cache?.bodyLimit ?? .max) }
}

extension CacheExchange {
    /// Delivers the answer, and stores its body as it arrives.
    private func deliver(
        _ serverResponse: ServerResponse, _ body: TransportBody, storing stored: Storing?, _ because: CacheReason
    ) async {
        var receiver = BodyReceiver(self, serverResponse)
        if let stored { await receiver.open(stored.response, replacing: stored.replaced) }
        let storage = stored != nil && !receiver.isStoring ? .cacheFailed : because
        if !receiver.isStoring { flight.reportNotStored(storage) }
        if serverResponse.isEventStream { slot.release() }
        if receiver.isStoring, serverResponse.announcedLength ?? 0 <= host.options.finishLimit {
            flight.finishUnread(true)
        }
        let streamed = Flight.Streamed(
            serverResponse: serverResponse, stored: receiver.isStoring ? stored?.response : nil, storage: storage)
        flight.delivery.fulfil(.success(.streamed(streamed)))
        await receiver.consume(body, because)
    }

    /// Joins the stored part and the received one to one body. RFC 9111 §3.4.
    private func combine(
        _ refresh: UpdateDecision.Refresh, _ serverResponse: ServerResponse, _ body: TransportBody,
        _ because: CacheReason
    ) async {
        guard let join = join(refresh, serverResponse) else {
            return await deliver(serverResponse, body, storing: nil, .notCombined)
        }
        var receiver = BodyReceiver(self, serverResponse)
        if join.length <= bodyLimit { await receiver.open(refresh.response, joining: join) }
        if !receiver.isStoring { flight.reportNotStored(join.length <= bodyLimit ? .cacheFailed : .tooLarge) }
        if isRangeRequested(in: serverResponse) {
            let streamed = Flight.Streamed(
                serverResponse: serverResponse, stored: receiver.isStoring ? refresh.response : nil, storage: because)
            flight.delivery.fulfil(.success(.streamed(streamed)))
            return await receiver.consume(body, because)
        }
        guard receiver.isStoring else {
            // The received part is no answer without the stored one.
            do throws(HTTPCacheError) {
                let (whole, body) = try await send(unconditional)
                return await deliver(whole, body, storing: nil, .cacheFailed)
            } catch {
                return flight.complete(.failed(error))
            }
        }
        // The host requested the whole, so it gets the joined body.
        flight.pipe.abandon()
        await receiver.consume(body, because)
        // Has no effect if the answer was delivered.
        flight.complete(.failed(.transport(.connectionLost(reason: "the rest of the body did not come"))))
    }
}

extension CacheExchange.ServerResponse {
    /// Whether the body is an endless stream, which is for its reader alone.
    var isEventStream: Bool {
        let type = FieldScanner.lowered(head.headerFields.first("content-type") ?? [])
        return ["text/event-stream", "multipart/x-mixed-replace"].contains { type.starts(with: $0.utf8) }
    }

    /// The length of the body that the head announces; nil where it announces none that the body must have.
    var announcedLength: Int64? { head.announcedLength(to: sent.method) }
}
