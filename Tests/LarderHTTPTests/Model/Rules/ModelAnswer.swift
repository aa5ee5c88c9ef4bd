// CacheModel: answers from stored responses (RFC 9111 §4, RFC 9110 §13.2.2 and §14.2).

import Foundation

/// An answer from the cache as the model makes it.
struct ModelAnswer: Hashable {
    var status: Int
    /// Which bytes of the representation belong to it.
    var bytes: Range<Int64>
    /// The value of `Age`, in whole seconds.
    var age: Int64
    var contentRange: String?
}

// RFC 9111 §4 with RFC 9110 §13.2.2 and §14.2: what is sent from what is stored.
extension CacheModel {
    /// The answer to `request` from a stored response whose kept body has `length` bytes.
    func answer(with stored: ModelStored, to request: ModelRequest, length: Int64, age: Int64) -> ModelAnswer {
        let storedRange = stored.part ?? 0..<length
        let total = stored.part == nil ? length : stored.total
        // RFC 9111 §5.1: whole seconds, and never less than what has passed.
        // RFC 9110 §15.3.7.3: all bytes of a representation are a 200, however they came.
        let isComplete = stored.part != nil && total == storedRange.upperBound && storedRange.lowerBound == 0
        var answer = ModelAnswer(status: isComplete ? 200 : stored.response.status, bytes: storedRange, age: age / 1000)
        guard ["GET", "HEAD"].contains(request.method) else { return answer }
        // RFC 9110 §13.2.1: conditions count where the answer would be a 2xx.
        if (200..<300).contains(stored.response.status), isNotModified(stored, for: request) {
            answer.status = 304
            answer.bytes = 0..<0
            return answer
        }
        if request.method == "HEAD" {
            answer.bytes = 0..<0
            return answer
        }
        // RFC 9110 §14.2: GET only, after the conditions, when it would be 200.
        guard [200, 206].contains(stored.response.status), let wanted = ranges(request), wanted.count == 1,
            holdsIfRange(stored, request)
        else {
            return answer
        }
        guard let total else {
            guard case .from(let first, let last?) = wanted[0] else { return answer }
            answer.status = 206
            answer.bytes = first..<(last + 1)
            answer.contentRange = "bytes \(first)-\(last)/*"
            return answer
        }
        guard let bytes = bytes(wanted[0], of: total) else {
            answer.status = 416
            answer.bytes = 0..<0
            answer.contentRange = "bytes */\(total)"
            return answer
        }
        answer.status = 206
        answer.bytes = bytes
        answer.contentRange = "bytes \(bytes.lowerBound)-\(bytes.upperBound - 1)/\(total)"
        return answer
    }

    /// RFC 9110 §13.1.5: whether `If-Range` lets the range be.
    func holdsIfRange(_ stored: ModelStored, _ request: ModelRequest) -> Bool {
        guard let value = request.fields.combined("If-Range") else { return true }
        if value.hasPrefix("\"") || value.hasPrefix("W/") {
            guard let wanted = tag(value), let own = tag(of: stored.response.fields) else { return false }
            // The strong comparison.
            return wanted == own && !wanted.isWeak
        }
        // A date must be the same as Last-Modified, and strong: at least a second before Date (§8.8.2.2).
        guard let wanted = date(value, now: stored.receivedAt),
            let modified = stored.response.fields.all("Last-Modified").first.flatMap({
                date($0, now: stored.receivedAt)
            }),
            let generated = stored.response.fields.all("Date").first.flatMap({ date($0, now: stored.receivedAt) })
        else { return false }
        return wanted == modified && generated - modified >= 1
    }
}
