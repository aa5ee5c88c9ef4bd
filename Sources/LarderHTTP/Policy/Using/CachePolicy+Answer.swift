public import HTTPTypes

extension CachePolicy {
    /// Returns an answer from the cache: the stored fields with `Age`, after the request's own conditions and range.
    /// RFC 9111 §4, §4.3.2, §5.1; RFC 9110 §13.2.2, §14.
    ///
    /// Fields that `no-cache` names are left out, unless the response was validated for this request.
    ///
    /// - Parameters:
    ///   - response: the stored response.
    ///   - request: the request to answer, as the host made it.
    ///   - length: the bytes of the stored body.
    ///   - age: in milliseconds.
    ///   - isValidated: whether the server has just confirmed the response.
    /// - Returns: the head of the answer, and the range of its bytes in the stored body (empty for 304, 416 and HEAD).
    public func answer(
        with response: StoredResponse, to request: HTTPRequest, length: Int64, age: Int64, isValidated: Bool = false
    ) -> (head: HTTPResponse, bytes: Range<Int64>) {
        let request = standardized(request)
        let length = max(length, 0)
        let fields = answerFields(response, age: age, isValidated: isValidated)
        if isNotModified(response, for: request) {
            return (HTTPResponse(status: .notModified, headerFields: notModifiedFields(fields)), 0..<0)
        }
        let whole = HTTPResponse(status: response.status, headerFields: fields)
        if request.method == .head { return (whole, 0..<0) }
        let range = RangeRequest(request)
        guard range != .whole, range != .several, ifRangeMatches(request, response) else { return (whole, 0..<length) }
        switch response.coverage {
        case .whole:
            guard response.status == .ok else { return (whole, 0..<length) }
            guard let bytes = range.resolved(total: length) else { return unsatisfied(fields, total: length) }
            return (partial(fields, ContentRange(bytes, total: length)), bytes)
        case .part(let storedRange, let total):
            guard let wanted = range.resolved(total: total ?? storedRange.upperBound) else {
                return (whole, 0..<length)
            }
            // The stored length counts, in case the body is shorter than its part.
            let end = min(storedRange.upperBound, storedRange.lowerBound.addingSaturated(length))
            let found = wanted.clamped(to: storedRange.lowerBound..<max(end, storedRange.lowerBound))
            guard !found.isEmpty else { return (whole, 0..<length) }
            let bytes = (found.lowerBound - storedRange.lowerBound)..<(found.upperBound - storedRange.lowerBound)
            return (partial(fields, ContentRange(found, total: total)), bytes)
        }
    }

    private func answerFields(_ response: StoredResponse, age: Int64, isValidated: Bool) -> HTTPFields {
        let unvalidated = isValidated ? [] : response.parsed.directives.noCacheFields
        var fields = response.fields
        if !unvalidated.isEmpty || fields.has("age") {
            fields.removeAll { $0.name.canonicalName == "age" || unvalidated.contains($0.name.canonicalName) }
        }
        fields.append(HTTPField(name: .age, value: "\(min(max(age, 0) / 1000, 2_147_483_648))"))
        return fields
    }

    /// Returns the fields of a 304 for a stored response. RFC 9110 §15.4.5.
    private func notModifiedFields(_ fields: HTTPFields) -> HTTPFields {
        var dropped: Set<String> = [
            "content-length", "content-type", "content-encoding", "content-language", "content-range",
        ]
        if fields.has("etag") { dropped.insert("last-modified") }
        return HTTPFields(fields.filter { !dropped.contains($0.name.canonicalName) })
    }

    /// Returns a 206 (Partial Content). RFC 9110 §15.3.7.
    private func partial(_ fields: HTTPFields, _ range: ContentRange) -> HTTPResponse {
        var fields = fields
        fields[.contentRange] = range.text
        fields[.contentLength] = "\(range.range.count)"
        return HTTPResponse(status: .partialContent, headerFields: fields)
    }

    /// Returns a 416 (Range Not Satisfiable). RFC 9110 §15.5.17.
    private func unsatisfied(_ fields: HTTPFields, total: Int64) -> (head: HTTPResponse, bytes: Range<Int64>) {
        var remaining = HTTPFields(fields.filter { $0.name == .date || $0.name == .age })
        remaining[.contentRange] = "bytes */\(total)"
        remaining[.contentLength] = "0"
        return (HTTPResponse(status: .rangeNotSatisfiable, headerFields: remaining), 0..<0)
    }
}
