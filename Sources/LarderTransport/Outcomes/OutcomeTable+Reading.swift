package import HTTPTypes

extension OutcomeTable {
    /// Reads the response to a write that no outbox sent, and returns its verdict; a page is not the API's.
    ///
    /// - Parameters:
    ///   - tries: The number of sends that the server may have performed, this one included.
    ///   - now: The time, in milliseconds since 1970-01-01 UTC.
    /// - Throws: The error that ended a successful response too early, unless that is a page.
    package func verdict(
        reading response: TransportResponse, to method: HTTPRequest.Method, tries: Int, at now: Int64
    ) async throws(TransportError) -> Verdict {
        let head = response.head
        let content = await ResponseContent(reading: response.body, upTo: 1 << 20)
        let isPage = head.isPage(beginning: content.prefix)
        if let error = content.error, head.status.kind == .successful, !isPage { throw error }
        let wait = head.headerFields[.retryAfter].flatMap {
            RetryAfter.seconds($0, date: head.headerFields[.date], now: now)
        }
        return verdict(
            for: ResponseFacts(
                status: head.status.code, method: method.rawValue, tries: tries, retryAfter: wait.map { .seconds($0) },
                isForeign: isPage, isWhole: content.error == nil))
    }
}
