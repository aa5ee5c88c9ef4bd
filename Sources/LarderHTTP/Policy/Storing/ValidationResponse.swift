internal import HTTPTypes
internal import LarderTransport

/// A validation response: the answer to a request about stored responses, and its times.
struct ValidationResponse {
    /// The head of the answer.
    var response: HTTPResponse
    /// The request as it was sent.
    var request: HTTPRequest
    /// The time when it was sent, in milliseconds since 1970-01-01 UTC.
    var requestedAt: Int64
    /// The time when the head of the answer arrived, likewise.
    var receivedAt: Int64

    /// The fields of the answer.
    var fields: HTTPFields { response.headerFields }
    /// The entity tag of the answer.
    var tag: EntityTag? { fields.first("etag").flatMap(EntityTag.init) }
    /// Its `Last-Modified`, in milliseconds since 1970-01-01 UTC, if it is a date.
    var lastModified: Int64? {
        fields.first("last-modified").flatMap { HTTPDate.milliseconds(of: $0, now: receivedAt) }
    }
    /// Its `Last-Modified`, if it is a strong validator.
    var strongDate: Int64? { HTTPFields.strongDate(of: fields, now: receivedAt) }
    /// Whether it has a validator that proves the same bytes. RFC 9110 §8.8.1.
    var hasStrongValidator: Bool { strongDate != nil || tag.map { !$0.isWeak } ?? false }

    /// Whether it has a tag that the request asks about.
    var matchesRequestedTag: Bool {
        guard let tag, let named = request.headerFields.combined("if-none-match") else { return false }
        return EntityTagList(named).matches(tag)
    }

    /// Whether the stored response has a strong validator of it. RFC 9111 §4.3.4.
    ///
    /// Where both have a tag, tags that differ are not outweighed by the same date.
    func stronglyMatches(_ stored: StoredResponse) -> Bool {
        guard let tag, let own = stored.entityTag else { return strongDate != nil && strongDate == stored.lastModified }
        if !tag.isWeak { return tag.matchesStrongly(own) }
        return tag.matchesWeakly(own) && strongDate != nil && strongDate == stored.lastModified
    }

    /// Whether the stored response has a validator of it, compared weakly.
    func weaklyMatches(_ stored: StoredResponse) -> Bool {
        if let tag, let own = stored.entityTag { return tag.matchesWeakly(own) }
        return lastModified != nil && lastModified == stored.lastModified
    }
}
