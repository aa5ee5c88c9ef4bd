// CacheModel: validation (RFC 9111 §4.3, RFC 9110 §8.8 and §13).

import Foundation

// RFC 9111 §4.3: validation; RFC 9110 §8.8 and §13.
extension CacheModel {
    /// An entity tag as it is compared. RFC 9110 §8.8.3.
    struct Tag: Hashable {
        var isWeak: Bool
        var opaque: String
    }

    /// The library takes a value without quotation marks, as some servers send it, for a weak tag.
    func tag(_ text: String) -> Tag? {
        if let tag = quotedTag(text) { return tag }
        return text.isEmpty ? nil : Tag(isWeak: true, opaque: text)
    }

    /// A tag as the grammar has it.
    func quotedTag(_ text: String) -> Tag? {
        let isWeak = text.hasPrefix("W/")
        let rest = isWeak ? String(text.dropFirst(2)) : text
        guard rest.count >= 2, rest.hasPrefix("\""), rest.hasSuffix("\"") else { return nil }
        let opaque = String(rest.dropFirst().dropLast())
        guard opaque.unicodeScalars.allSatisfy({ $0 == "!" || $0.value >= 0x23 && $0.value != 0x7F }) else {
            return nil
        }
        return Tag(isWeak: isWeak, opaque: "\"\(opaque)\"")
    }

    func tag(of fields: ModelFields) -> Tag? {
        fields.all("ETag").first.flatMap(tag)
    }

    func strongTag(_ fields: ModelFields) -> Tag? { tag(of: fields).flatMap { $0.isWeak ? nil : $0 } }

    /// RFC 9111 §4.3.1: the conditions that the cache adds to a request for what it has stored.
    ///
    /// - Returns: the tags of which `If-None-Match` must have at least the candidate's, and `If-Modified-Since`.
    func conditions(validating stored: ModelStored) -> (tag: String?, since: String?) {
        let fields = stored.response.fields
        let tags = fields.all("ETag")
        return (tags.first.flatMap { quotedTag($0) == nil ? nil : $0 }, lastModified(fields))
    }

    func hasValidator(_ stored: ModelStored) -> Bool {
        tag(of: stored.response.fields) != nil || lastModified(stored.response.fields) != nil
    }

    /// The value of `Last-Modified`, where it is a date.
    func lastModified(_ fields: ModelFields) -> String? {
        fields.all("Last-Modified").first.flatMap { date($0, now: 0) == nil ? nil : $0 }
    }

    /// RFC 9111 §4.3.2, RFC 9110 §13.2.2: whether a request's own conditions make 304 of a stored response.
    func isNotModified(_ stored: ModelStored, for request: ModelRequest) -> Bool {
        let fields = stored.response.fields
        if let list = request.fields.combined("If-None-Match") {
            if list.trimmed == "*" { return true }
            guard let own = tag(of: fields) else { return false }
            // The weak comparison.
            return list.listMembers.compactMap(tag).contains { $0.opaque == own.opaque }
        }
        var name = "If-Modified-Since"
        if options.understandsSourceSpellings, !request.fields.has(name) { name = "If-Since-Modified" }
        let values = request.fields.all(name)
        guard values.count == 1, let since = date(values[0], now: stored.receivedAt) else { return false }
        let modified = fields.all("Last-Modified").first.flatMap { date($0, now: stored.receivedAt) }
        return (modified ?? generated(stored)) <= since
    }
}

// RFC 9111 §4.3.4 and §4.3.5: which stored responses a 304 or a HEAD's answer concerns.
extension CacheModel {
    /// RFC 9111 §4.3.4: the stored responses that a 304 updates. Of equally recent ones each will do.
    func updated(
        _ candidates: [ModelStored], by response: ModelResponse, to request: ModelRequest, now: Double
    ) -> [[Int]] {
        let initial = candidates.indices.filter {
            candidates[$0].request.url == request.url && varyMatches(candidates[$0], request)
        }
        let own = tag(of: response.fields)
        let date = changed(response.fields, now)
        // RFC 9110 §8.8.2.2: a date that lies at least a second back is a strong validator.
        let made = self.date(response.fields.all("Date").first ?? "", now: now)
        let strongDate = date.flatMap { date in made.map { $0 - date >= 1 } ?? false ? date : nil }
        if strongDate != nil || own?.isWeak == false {
            // Where both have a tag, tags that differ are not outweighed by the same date.
            let same = initial.filter { index in
                let fields = candidates[index].response.fields
                let isSameDate = strongDate != nil && strongDate == changed(fields, now)
                guard let own, let other = tag(of: fields) else { return isSameDate }
                return own.isWeak ? own.opaque == other.opaque && isSameDate : own == other
            }
            return same.isEmpty ? [] : [same]
        }
        if own != nil || date != nil {
            let same = initial.filter { index in
                let fields = candidates[index].response.fields
                guard let own, let other = tag(of: fields) else { return date != nil && date == changed(fields, now) }
                return own.opaque == other.opaque
            }
            return mostRecent(same, of: candidates).map { [$0] }
        }
        // A freedom that the library takes: 304 without a validator confirms the one that was asked about.
        let requested = initial.filter { isConditional(candidates[$0], by: request, now) }
        if requested.count == 1 { return [requested] }
        guard initial.count == 1, !hasValidator(candidates[initial[0]]) else { return [] }
        return [initial]
    }

    private func changed(_ fields: ModelFields, _ now: Double) -> Double? {
        lastModified(fields).flatMap { date($0, now: now) }
    }

    /// Whether a request's condition names a validator of a stored response, and no other tag.
    private func isConditional(_ stored: ModelStored, by request: ModelRequest, _ now: Double) -> Bool {
        let fields = stored.response.fields
        if let list = request.fields.combined("If-None-Match") {
            // `*` is any tag, and not one of that name.
            let tags = list.trimmed == "*" ? [] : list.listMembers.compactMap(tag)
            return tags.count == 1 && tags[0].opaque == tag(of: fields)?.opaque
        }
        let since = request.fields.all("If-Modified-Since").first.flatMap { date($0, now: stored.receivedAt) }
        return since != nil && since == changed(fields, now)
    }

    /// RFC 9111 §4.3.5: whether a HEAD's answer says the same as a stored response of GET.
    func headConfirms(_ stored: ModelStored, _ response: ModelResponse) -> Bool {
        guard [200, 206].contains(stored.response.status) else { return false }
        // A freedom that the library takes: what it does not name it does not confirm, and of another type is another's answer.
        for name in ["ETag", "Last-Modified", "Content-Type"]
        where stored.response.fields.all(name) != response.fields.all(name) {
            return false
        }
        guard let length = response.fields.all("Content-Length").first, stored.part == nil else { return true }
        return stored.response.fields.all("Content-Length").first == length
    }
}
