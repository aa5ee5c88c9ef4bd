internal import HTTPTypes

extension CachePolicy {
    /// Returns the effect of a 206 on stored responses of its representation. RFC 9111 §3.4; RFC 9110 §15.3.7.3.
    ///
    /// Both must have the same strong validator. A part that begins where the stored one ends is joined to it, and a
    /// part within the stored bytes renews the stored fields.
    func combined(_ candidates: [StoredResponse], _ selected: [Int], _ received: ValidationResponse) -> UpdateDecision {
        guard let part = ContentRange(received.fields) else { return .none(because: Reasons.badRange) }
        let matching = selected.filter { isSame(candidates[$0], as: received) }
        guard let index = latest(matching, of: candidates) else {
            let wasRequested = selected.contains { requestsRest(of: candidates[$0], received.request) }
            return wasRequested
                ? .repeatUnconditionally(because: Reasons.unconfirmed) : .none(because: Reasons.unrelated)
        }
        var response = refreshed(candidates[index], by: received)
        guard case .part(let storedRange, let total) = response.coverage else {
            return .refresh([.init(index: index, response: response)], because: Reasons.samePart)
        }
        if storedRange.lowerBound <= part.range.lowerBound, part.range.upperBound <= storedRange.upperBound {
            return .refresh([.init(index: index, response: response)], because: Reasons.samePart)
        }
        guard part.range.lowerBound == storedRange.upperBound, total == nil || part.total == nil || total == part.total
        else {
            return .none(because: Reasons.unrelated)
        }
        let joined = ContentRange(storedRange.lowerBound..<part.range.upperBound, total: part.total ?? total)
        response.coverage = joined.coverage
        var dropped = StoredFields.bodyFields
        dropped.remove("content-encoding")
        response.fields = HTTPFields(response.fields.filter { !dropped.contains($0.name.canonicalName) })
        response.status = response.coverage == .whole ? .ok : .partialContent
        if response.coverage != .whole {
            response.fields[.contentRange] = joined.text
        }
        response.fields[.contentLength] = "\(joined.range.count)"
        return .combine(.init(index: index, response: response), because: Reasons.combined)
    }

    /// Whether an answer is of the same representation as the stored response, byte for byte.
    private func isSame(_ stored: StoredResponse, as received: ValidationResponse) -> Bool {
        guard stored.status == .ok || stored.status == .partialContent else { return false }
        if let tag = received.tag { return stored.entityTag.map(tag.matchesStrongly) ?? false }
        guard stored.entityTag == nil, let changed = stored.strongDate else { return false }
        return received.strongDate == changed
    }

    /// Whether a request is for the bytes behind a stored part, on condition that the part is still the same.
    private func requestsRest(of stored: StoredResponse, _ request: HTTPRequest) -> Bool {
        guard case .part(let storedRange, _) = stored.coverage, request.headerFields.has("if-range") else {
            return false
        }
        return RangeRequest(request) == .from(storedRange.upperBound, last: nil)
    }
}
