internal import HTTPTypes
internal import LarderTransport

/// The evaluation of a request's own conditions against a stored response. RFC 9110 §13; RFC 9111 §4.3.2.
extension CachePolicy {
    /// Whether the client already has the stored response, so that the answer is 304. RFC 9110 §13.1.2, §13.1.3.
    ///
    /// `If-Modified-Since` counts only without `If-None-Match`, and against `Date` where there is no `Last-Modified`.
    func isNotModified(_ response: StoredResponse, for request: HTTPRequest) -> Bool {
        guard (200..<300).contains(response.status.code) else { return false }
        if let named = request.headerFields.combined("if-none-match") {
            return EntityTagList(named).matches(response.entityTag)
        }
        guard let since = request.headerFields.first("if-modified-since"),
            let limit = HTTPDate.milliseconds(of: since, now: response.receivedAt)
        else { return false }
        let changed = response.fields.first("last-modified").flatMap {
            HTTPDate.milliseconds(of: $0, now: response.receivedAt)
        }
        return (changed ?? date(of: response)) <= limit
    }

    /// Whether the range of a request counts: it has no `If-Range`, or one that matches the response. RFC 9110 §13.1.5.
    func ifRangeMatches(_ request: HTTPRequest, _ response: StoredResponse) -> Bool {
        guard let value = request.headerFields.first("if-range") else { return true }
        if let limit = HTTPDate.milliseconds(of: value, now: response.receivedAt) {
            return response.strongDate == limit
        }
        guard let tag = EntityTag(value), let stored = response.entityTag else { return false }
        return tag.matchesStrongly(stored)
    }
}
