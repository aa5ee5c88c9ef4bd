public import HTTPTypes
internal import LarderTransport

extension CachePolicy {
    /// Returns whether the response to `request` is stored. RFC 9111 §3.
    ///
    /// Only responses to GET are stored, and those to POST that declare themselves the representation of their target,
    /// with a lifetime. The latter then answer GET (RFC 9110 §9.3.3). A response without any freshness information is
    /// stored for the case that the server cannot be reached. Without a `Date` it gets its time of arrival (RFC 9110
    /// §6.6.1).
    ///
    /// - Parameters:
    ///   - response: the head of the response.
    ///   - request: as it was sent.
    ///   - url: the target URI of the request.
    ///   - terms: the host's terms for the request.
    ///   - requestedAt: when it was sent.
    ///   - receivedAt: when the head of the response arrived.
    public func storage(
        of response: HTTPResponse, to request: HTTPRequest, url: String, terms: RequestTerms = RequestTerms(),
        requestedAt: Int64, receivedAt: Int64
    ) -> StorageDecision {
        let directives = CacheControl(response.headerFields)
        if let reason = refusal(of: response, directives, to: request, url) { return .refuse(because: reason) }
        var coverage = StoredResponse.Coverage.whole
        if response.status == .partialContent {
            guard let part = ContentRange(response.headerFields), !response.isMultipart else {
                return .refuse(because: Reasons.badRange)
            }
            coverage = part.coverage
        }
        guard let selecting = selecting(by: response.headerFields, request) else {
            let isAny = Self.selectingNames(response.headerFields) == nil
            return .refuse(because: isAny ? Reasons.variesOnAll : Reasons.variesOnSecret)
        }
        var fields = StoredFields.selected(
            from: response.headerFields, without: credentialFields, keepingCookies: keepsCookies)
        if !fields.has("date") { fields.append(HTTPField(name: .date, value: HTTPDate.text(of: receivedAt))) }
        var status = response.status
        if status == .partialContent, coverage == .whole {
            // All bytes of a representation are a 200, also when they arrived as a part. RFC 9110 §15.3.7.3.
            status = .ok
            fields = HTTPFields(fields.filter { $0.name != .contentRange })
        }
        let stored = StoredResponse(
            method: .get, url: String(url.prefix { $0 != "#" }), status: status, fields: fields,
            requestedAt: requestedAt, receivedAt: receivedAt, selecting: selecting, coverage: coverage)
        return .store(stored, because: Reasons.stored)
    }

    /// Returns the reason a response is not stored, by its status and its directives; nil when it may be.
    private func refusal(
        of response: HTTPResponse, _ directives: CacheControl, to request: HTTPRequest, _ url: String
    ) -> CacheReason? {
        let isRead = request.method == .get
        if !isRead, request.method != .post || !representsTarget(response, directives, url) { return Reasons.method }
        if response.status.code < 200 { return Reasons.interim }
        if response.status == .notModified { return Reasons.unrelated }
        let requested = CacheControl(request.headerFields)
        if requested.noStore || understandsSourceSpellings && requested.none { return Reasons.requestNoStore }
        if forbidsStorage(directives, response.status) {
            return directives.mustUnderstand ? Reasons.mustUnderstand : Reasons.noStore
        }
        if response.headerFields.count > StoredFields.limit { return Reasons.tooManyFields }
        let isMarked = directives.isPublic || directives.isPrivate || directives.maxAge != nil
        let isCacheable = isMarked || response.headerFields.has("expires")
        return isCacheable || Self.heuristicStatuses.contains(response.status.code) ? nil : Reasons.notCacheable
    }

    /// Whether the response to a POST declares itself the representation of its target, with a lifetime.
    ///
    /// RFC 9110 §8.7, §9.3.3. With other statuses than 200 there is no such content, or it describes the action.
    private func representsTarget(_ response: HTTPResponse, _ directives: CacheControl, _ url: String) -> Bool {
        guard response.status == .ok, directives.maxAge != nil || response.headerFields.has("expires"),
            let location = response.headerFields.combined("content-location")
        else { return false }
        return Self.target(location, from: url).map { $0 == url.prefix { $0 != "#" } } ?? false
    }

    /// Whether the directives of a response with `status` forbid storing it. RFC 9111 §5.2.2.3, §5.2.2.5.
    ///
    /// With `must-understand` the status decides: a known one is stored in spite of `no-store`.
    func forbidsStorage(_ directives: CacheControl, _ status: HTTPResponse.Status) -> Bool {
        if directives.mustUnderstand { return !Self.knownStatuses.contains(status.code) }
        return directives.noStore || understandsSourceSpellings && directives.none
    }

    /// The final statuses whose caching is known. RFC 9110 §15.
    private static let knownStatuses: Set<Int> = [
        200, 201, 202, 203, 204, 205, 206, 300, 301, 302, 303, 305, 307, 308, 400, 401, 402, 403, 404, 405, 406, 407,
        408, 409, 410, 411, 412, 413, 414, 415, 416, 417, 421, 422, 426, 500, 501, 502, 503, 504, 505,
    ]
}

extension HTTPResponse {
    /// Whether its content has several parts. RFC 9110 §14.6.
    fileprivate var isMultipart: Bool {
        guard let type = headerFields.first("content-type") else { return false }
        return FieldScanner.lowered(type).starts(with: Array("multipart/".utf8))
    }
}

extension ContentRange {
    /// The coverage of a body with this range.
    var coverage: StoredResponse.Coverage {
        range.lowerBound == 0 && range.upperBound == total ? .whole : .part(range, total: total)
    }
}
