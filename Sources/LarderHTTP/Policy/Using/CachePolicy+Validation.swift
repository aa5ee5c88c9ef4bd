internal import HTTPTypes
internal import LarderTransport

extension CachePolicy {
    /// Returns `request` as it is sent, without the spellings that no standard defines.
    ///
    /// `Cache-Control: none` becomes `no-store`; `If-Since-Modified` becomes `If-Modified-Since` where there is none.
    func standardized(_ request: HTTPRequest) -> HTTPRequest {
        guard understandsSourceSpellings else { return request }
        var request = request
        if let since = request.headerFields.first("if-since-modified") {
            let lines = request.headerFields.filter { $0.name.canonicalName != "if-since-modified" }
            request.headerFields = HTTPFields(lines)
            if !request.headerFields.has("if-modified-since") {
                request.headerFields.append(HTTPField(name: .ifModifiedSince, value: since))
            }
        }
        if let value = request.headerFields.combined("cache-control"), CacheControl(value).none {
            var members = FieldScanner.members(value).filter { FieldScanner.lowered($0) != Array("none".utf8) }
            // At the front, where an open quotation mark of another member cannot include it.
            members.insert(Array("no-store".utf8), at: 0)
            request.headerFields[fields: .cacheControl] = [
                HTTPField(name: .cacheControl, value: Array(members.joined(separator: [0x2C, 0x20])))
            ]
        }
        return request
    }

    /// Returns `request` with the conditions that let the server confirm stored responses. RFC 9111 §4.3.1.
    ///
    /// The request's own conditions stay. The tags of `others`, which the request selects too, are added to its own
    /// (RFC 9111 §4.3.2). Without any validator the request stays as it is.
    func validation(
        _ request: HTTPRequest, of response: StoredResponse, and others: [StoredResponse], forced: Bool
    ) -> HTTPRequest {
        var request = request
        if forced, !request.headerFields.has("cache-control") {
            request.headerFields.append(HTTPField(name: .cacheControl, value: "max-age=0"))
        }
        var tags: [EntityTag] = []
        for stored in [response] + others {
            guard let tag = stored.entityTag, !tags.contains(where: { $0.text == tag.text }) else { continue }
            tags.append(tag)
            if tags.count == Self.tagLimit { break }
        }
        if let own = request.headerFields.combined("if-none-match") {
            guard case .tags(let named) = EntityTagList(own) else { return request }
            let added = tags.filter { tag in !named.contains { $0.text == tag.text } }
            for tag in added { request.headerFields.append(HTTPField(name: .ifNoneMatch, value: tag.text)) }
            return request
        }
        if request.headerFields.has("if-modified-since") { return request }
        if !tags.isEmpty {
            let list = Array(tags.map(\.text).joined(separator: [0x2C, 0x20]))
            request.headerFields.append(HTTPField(name: .ifNoneMatch, value: list))
        }
        if tags.count <= 1, let changed = response.fields.first("last-modified"),
            HTTPDate.milliseconds(of: changed, now: response.receivedAt) != nil
        {
            request.headerFields.append(HTTPField(name: .ifModifiedSince, value: changed))
        }
        return request
    }

    /// The most tags that one request asks about.
    private static let tagLimit = 16
}

extension StoredResponse {
    /// Its entity tag, if it has one.
    var entityTag: EntityTag? { fields.first("etag").flatMap(EntityTag.init) }

    /// Its entity tag, if it proves the same bytes.
    var strongTag: EntityTag? { entityTag.flatMap { $0.isWeak ? nil : $0 } }

    /// Its `Last-Modified`, if it is a strong validator: at least a second before its `Date`. RFC 9110 §8.8.2.2.
    var strongDate: Int64? { HTTPFields.strongDate(of: fields, now: receivedAt) }
}

extension HTTPFields {
    /// The `Last-Modified` of `fields`, if it is a strong validator. RFC 9110 §8.8.2.2.
    static func strongDate(of fields: HTTPFields, now: Int64) -> Int64? {
        guard let changed = fields.first("last-modified").flatMap({ HTTPDate.milliseconds(of: $0, now: now) }),
            let made = fields.first("date").flatMap({ HTTPDate.milliseconds(of: $0, now: now) }),
            made - changed >= 1000
        else { return nil }
        return changed
    }
}
