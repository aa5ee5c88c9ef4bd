internal import HTTPTypes

extension CachePolicy {
    /// What a 206 does to what is stored of the same representation. RFC 9111 §3.4; RFC 9110 §15.3.7.3.
    ///
    /// Only with the same strong validator: a part that begins where the stored one ends is joined to it, and one that
    /// lies within what is stored renews its fields.
    func combined(_ candidates: [StoredResponse], _ selected: [Int], _ news: News) -> UpdateDecision {
        guard let part = ContentRange(news.fields) else { return .none(because: Reasons.badRange) }
        let matching = selected.filter { isSame(candidates[$0], as: news) }
        guard let index = latest(matching, of: candidates) else {
            let wasAsked = selected.contains { asksForRest(of: candidates[$0], news.request) }
            return wasAsked
                ? .repeatUnconditionally(because: Reasons.unconfirmed) : .none(because: Reasons.unrelated)
        }
        var response = refreshed(candidates[index], by: news)
        guard case .part(let held, let total) = response.coverage else {
            return .refresh([.init(index: index, response: response)], because: Reasons.samePart)
        }
        if held.lowerBound <= part.range.lowerBound, part.range.upperBound <= held.upperBound {
            return .refresh([.init(index: index, response: response)], because: Reasons.samePart)
        }
        guard part.range.lowerBound == held.upperBound, total == nil || part.total == nil || total == part.total else {
            return .none(because: Reasons.unrelated)
        }
        let joined = ContentRange(held.lowerBound..<part.range.upperBound, total: part.total ?? total)
        response.coverage = joined.coverage
        var dropped = KeptFields.ofBody
        dropped.remove("content-encoding")
        response.fields = HTTPFields(response.fields.filter { !dropped.contains($0.name.canonicalName) })
        response.status = response.coverage == .whole ? .ok : .partialContent
        if response.coverage != .whole {
            response.fields[.contentRange] = joined.text
        }
        response.fields[.contentLength] = "\(joined.range.count)"
        return .combine(.init(index: index, response: response), because: Reasons.combined)
    }

    /// Whether an answer is of the very representation that is stored, byte for byte.
    private func isSame(_ stored: StoredResponse, as news: News) -> Bool {
        guard stored.status == .ok || stored.status == .partialContent else { return false }
        if let tag = news.tag { return stored.entityTag.map(tag.matchesStrongly) ?? false }
        guard stored.entityTag == nil, let changed = stored.strongDate else { return false }
        return news.strongDate == changed
    }

    /// Whether a request asks for what comes behind a stored part, on condition that it is still the same.
    private func asksForRest(of stored: StoredResponse, _ request: HTTPRequest) -> Bool {
        guard case .part(let held, _) = stored.coverage, request.headerFields.has("if-range") else { return false }
        return RangeRequest(request) == .from(held.upperBound, last: nil)
    }
}
