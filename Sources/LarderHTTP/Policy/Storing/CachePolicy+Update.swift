public import HTTPTypes
internal import LarderTransport

extension CachePolicy {
    /// Returns the effect of the response to `request` on the stored responses. RFC 9111 §3.2, §3.4, §4.3.
    ///
    /// ``UpdateDecision/repeatUnconditionally(because:)`` concerns conditions and ranges that the cache added. Where
    /// the host's own request was sent unchanged, the answer belongs to the host.
    ///
    /// - Parameters:
    ///   - candidates: every response stored under the key of the request.
    ///   - response: the head of the response.
    ///   - request: as it was sent, with the conditions that ``reuse(_:url:among:terms:at:)`` gave it.
    ///   - requestedAt: when the request was sent.
    ///   - receivedAt: when the head of the response arrived.
    public func update(
        _ candidates: [StoredResponse], by response: HTTPResponse, to request: HTTPRequest,
        requestedAt: Int64, receivedAt: Int64
    ) -> UpdateDecision {
        guard request.method == .get || request.method == .head else { return .none(because: Reasons.unrelated) }
        let selected = selected(by: request, among: candidates)
        let received = ValidationResponse(
            response: response, request: request, requestedAt: requestedAt, receivedAt: receivedAt)
        switch response.status {
        case .notModified: return notModified(candidates, selected, received)
        case .partialContent where request.method == .get: return combined(candidates, selected, received)
        case .ok where request.method == .head: return head(candidates, selected, received)
        default: return .none(because: Reasons.unrelated)
        }
    }

    /// Returns `stored` with the fields and times of a validation response. RFC 9111 §3.2.
    ///
    /// A new `Vary` selects it by the fields that it names. If no request can match that `Vary` again, the response
    /// serves only the request it was confirmed for. If the fields would reach ``StoredFields/limit``, the stored ones
    /// stay and the response is validated before its next use.
    func refreshed(_ stored: StoredResponse, by received: ValidationResponse) -> StoredResponse {
        var response = stored
        response.fields = StoredFields.updated(
            stored.fields, with: received.fields, without: credentialFields, keepingCookies: keepsCookies)
        response.isInvalidated = response.fields.count >= StoredFields.limit
        if response.isInvalidated { response.fields = stored.fields }
        if !response.fields.has("date") {
            response.fields.append(HTTPField(name: .date, value: HTTPDate.text(of: received.receivedAt)))
        }
        response.selecting = selecting(by: response.fields, received.request) ?? stored.selecting
        response.requestedAt = received.requestedAt
        response.receivedAt = received.receivedAt
        response.isRefreshDue = false
        return response
    }

    /// Returns the decision to refresh these candidates.
    private func refresh(
        _ indices: [Int], of candidates: [StoredResponse], by received: ValidationResponse, because reason: CacheReason
    ) -> UpdateDecision {
        .refresh(
            indices.map { UpdateDecision.Refresh(index: $0, response: refreshed(candidates[$0], by: received)) },
            because: reason)
    }

    /// Returns the effect of a 304. RFC 9111 §4.3.4.
    private func notModified(_ candidates: [StoredResponse], _ selected: [Int], _ received: ValidationResponse)
        -> UpdateDecision
    {
        let confirmed = identified(candidates, selected, by: received)
        if !confirmed.isEmpty { return refresh(confirmed, of: candidates, by: received, because: Reasons.confirmed) }
        // A 304 for a tag of the host's own condition belongs to the host.
        let isForHostCondition = received.matchesRequestedTag && !candidates.contains { received.weaklyMatches($0) }
        let isForOwnCondition = !isForHostCondition && candidates.contains { validates($0, received.request) }
        return isForOwnCondition
            ? .repeatUnconditionally(because: Reasons.unconfirmed) : .none(because: Reasons.unrelated)
    }

    /// Returns the stored responses that a 304 confirms: by a strong validator all that have it, by a weak one the most
    /// recent, and without any the only one.
    ///
    /// A 304 that names no validator, as many servers send it, confirms the only one that the request asked about.
    private func identified(_ candidates: [StoredResponse], _ selected: [Int], by received: ValidationResponse) -> [Int]
    {
        if received.hasStrongValidator { return selected.filter { received.stronglyMatches(candidates[$0]) } }
        if received.tag != nil || received.lastModified != nil {
            return latest(selected.filter { received.weaklyMatches(candidates[$0]) }, of: candidates).map { [$0] } ?? []
        }
        let validated = selected.filter { validates(candidates[$0], received.request) }
        if validated.count == 1, hasSingleTag(received.request) { return validated }
        guard selected.count == 1, candidates[selected[0]].entityTag == nil,
            candidates[selected[0]].lastModified == nil
        else { return [] }
        return selected
    }

    /// Whether the conditions of `request` name a validator of `response`.
    private func validates(_ response: StoredResponse, _ request: HTTPRequest) -> Bool {
        if let named = request.headerFields.combined("if-none-match") {
            guard let tag = response.entityTag, case .tags(let tags) = EntityTagList(named) else { return false }
            return tags.contains { $0.matchesWeakly(tag) }
        }
        guard let since = request.headerFields.first("if-modified-since"), let changed = response.lastModified else {
            return false
        }
        return HTTPDate.milliseconds(of: since, now: response.receivedAt) == changed
    }

    /// Whether at most one tag is asked about. With more, a 304 may confirm any of them.
    private func hasSingleTag(_ request: HTTPRequest) -> Bool {
        guard let named = request.headerFields.combined("if-none-match") else { return true }
        guard case .tags(let tags) = EntityTagList(named) else { return false }
        return tags.count == 1
    }

    /// Returns the effect of a 200 to a HEAD. RFC 9111 §4.3.5.
    private func head(_ candidates: [StoredResponse], _ selected: [Int], _ received: ValidationResponse)
        -> UpdateDecision
    {
        guard !selected.isEmpty else { return .none(because: Reasons.unrelated) }
        let agreeing = selected.filter { agrees(candidates[$0], with: received.fields) }
        if agreeing.isEmpty { return .markStale(selected, because: Reasons.headDiffers) }
        return refresh(agreeing, of: candidates, by: received, because: Reasons.head)
    }

    /// Whether the answer to a HEAD agrees with the stored response. A captive portal's does not.
    private func agrees(_ stored: StoredResponse, with fields: HTTPFields) -> Bool {
        guard stored.status == .ok || stored.status == .partialContent else { return false }
        for name in ["etag", "last-modified", "content-type"]
        where stored.fields.combined(name) != fields.combined(name) {
            return false
        }
        guard let length = fields.first("content-length"), stored.coverage == .whole else { return true }
        return stored.fields.first("content-length") == length
    }
}

extension StoredResponse {
    /// Its `Last-Modified`, in milliseconds since 1970-01-01 UTC, if it is a date.
    var lastModified: Int64? {
        fields.first("last-modified").flatMap { HTTPDate.milliseconds(of: $0, now: receivedAt) }
    }
}
